"""What a run will do, and the name of its directory, which follows from nothing else."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from hashlib import sha256

from disco2.experiments.configuration import Configuration

OWN = "own"


@dataclass(frozen=True)
class RunPlan:
    """One training: all its settings, seed and split among them, on one version of the corpus.

    ``model`` is its name for people. ``layers`` names the version of the corpus: its own layers, or others.
    """

    model: str
    configuration: Configuration
    layers: str = OWN

    @property
    def seed(self) -> int:
        return self.configuration.training.seed

    def directory(self, corpus_digest: str) -> str:
        """A readable name with a hash of the corpus and of every setting: same name, same run."""
        content = {"corpus": corpus_digest, "configuration": self.configuration.to_json()}
        digest = sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:12]
        words = (self.model, self.layers, self.configuration.task.protocol, f"seed {self.seed}")
        readable = "-".join(re.sub(r"[^a-z0-9]+", "-", word.lower()).strip("-") for word in words if word)
        return f"{readable}-{digest}"
