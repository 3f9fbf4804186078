"""What a run will do, and the name of its directory, which follows from nothing else."""

from __future__ import annotations

from dataclasses import dataclass

from disco2.experiments.configuration import Configuration
from disco2.experiments.naming import readable_name
from disco2.experiments.runs.vectors_digest import vectors_digest
from disco2.version import VERSION

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
        """A readable name with a hash of all that a run depends on: same name, same run.

        That is the corpus, every setting, the content of a file of vectors, and the version of this package.
        """
        content = {
            "corpus": corpus_digest,
            "configuration": self.configuration.to_json(),
            "vectors": vectors_digest(self.configuration.vectors.source),
            "disco2": VERSION,
        }
        words = (self.model, self.layers, self.configuration.task.protocol, f"seed {self.seed}")
        return readable_name(words, content)
