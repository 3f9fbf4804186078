"""What a bundle on disk looks like: file names, the version of the format, what its manifest says.

MODEL/
  bundle.json               the manifest: format, labels, settings, figures, a hash of every file
  parameters.safetensors    the parameters and the table of word vectors, or how to make it again
  words.txt                 the words of that table, one a line; where the table is stored
  features.json             the surface features that were selected (null without features)
  MODEL_CARD.md             for people: data, licence, figures, limits
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

FORMAT = 2  # since 2 a model may name the shipped word vectors, and may have several members

MANIFEST = "bundle.json"
PARAMETERS = "parameters.safetensors"
WORDS = "words.txt"
FEATURES = "features.json"
CARD = "MODEL_CARD.md"

HASHED = (PARAMETERS, WORDS, FEATURES, CARD)


@dataclass(frozen=True)
class Manifest:
    """The content of ``bundle.json``.

    ``configuration`` holds every setting the model was trained with, ``task`` what its labels mean, ``data``
    what it was trained on, and ``figures`` how well it did. ``calibration`` may hold the ``temperature`` that
    turns scores into probabilities, and another one for ``running_text``. ``vectors`` names the shipped word
    vectors that the model's table is made from; it is empty where the table is stored. ``digest`` guards the
    manifest itself.
    """

    format: int
    version: str  # of the package that wrote it
    labels: list[str]
    model: dict[str, Any]
    configuration: dict[str, Any] = field(default_factory=dict)
    task: dict[str, Any] = field(default_factory=dict)
    data: dict[str, Any] = field(default_factory=dict)
    figures: dict[str, Any] = field(default_factory=dict)
    hashes: dict[str, str] = field(default_factory=dict)
    calibration: dict[str, Any] = field(default_factory=dict)
    vectors: dict[str, Any] = field(default_factory=dict)

    @property
    def temperature(self) -> float:
        """What scores are divided by before they become probabilities; 1 where nothing was fitted."""
        return float(self.calibration.get("temperature", 1.0))

    @property
    def running_text_temperature(self) -> float:
        """The same where EntRel and NoRel are outcomes."""
        return float(self.calibration.get("running_text", self.temperature))

    def to_json(self) -> dict[str, Any]:
        content = asdict(self)
        return content | {"digest": digest(content)}


def manifest_text(content: dict[str, Any]) -> str:
    """The text of a manifest: one content has one text, so that a reader knows any other for damaged."""
    return json.dumps(content, indent=1, ensure_ascii=False)


def digest(content: dict[str, Any]) -> str:
    """A hash of the manifest's content, whatever the order of its keys."""
    text = json.dumps(content, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()


def hash_file(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
