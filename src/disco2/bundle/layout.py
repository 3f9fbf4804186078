"""What a bundle on disk looks like: file names, the version of the format, what its manifest says.

MODEL/
  bundle.json               the manifest: format, labels, settings, figures, a hash of every file
  parameters.safetensors    the parameters and the table of word vectors, or how to make it again
  words.txt                 the words of that table, one a line; where the table is stored
  features.json             the surface features that were selected (null without features)
  encoder.onnx              in place of words.txt where the kind is "encoder":
  tokenizer.json            the network that reads word pieces, and the table of these
  MODEL_CARD.md             for people: data, licence, figures, limits
"""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import asdict, dataclass, field
from typing import Any

from disco2.shipped import MANIFEST as MANIFEST

FORMAT = 3  # the newest that can be read; 2: shipped word vectors by name, several members; 3: encoders

PARAMETERS = "parameters.safetensors"
WORDS = "words.txt"
FEATURES = "features.json"
ENCODER = "encoder.onnx"
TOKENIZER = "tokenizer.json"
CARD = "MODEL_CARD.md"

HASHED = (PARAMETERS, WORDS, FEATURES, CARD)  # of the paper's kinds
ENCODER_FILES = (PARAMETERS, FEATURES, ENCODER, TOKENIZER, CARD)
EVERY_FILE = tuple(dict.fromkeys((*HASHED, *ENCODER_FILES)))


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
    def is_encoder(self) -> bool:
        return self.model.get("kind") == "encoder"

    @property
    def label_counts(self) -> dict[str, float]:
        """The training relations of each label; empty where they were not recorded."""
        return dict(self.data.get("label_counts", {}))

    @property
    def prior_counts(self) -> dict[str, float]:
        """What a prior replaces: a label with the offset c counts exp(c / T) times in running text."""
        offsets, heat = self.data.get("offsets", {}), self.running_text_temperature
        return {
            label: count * math.exp(offsets.get(label, 0.0) / heat)
            for label, count in self.label_counts.items()
        }

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
