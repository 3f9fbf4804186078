"""What makes two trainings the same one: equal settings, numbers to start from, and data."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, fields
from importlib.metadata import version

import numpy as np

from disco2.data.batch import Batch, MentionGroups
from disco2.model.arrays import Floats
from disco2.model.fastest import NEEDED, is_compiled
from disco2.model.parameters import Parameters
from disco2.model.settings import ModelSettings
from disco2.training.development import Development
from disco2.training.settings import TrainingSettings
from disco2.version import VERSION


def training_identity(
    model: ModelSettings,
    parameters: Parameters,
    vectors: Floats,
    batches: Sequence[Batch],
    development: Development,
    settings: TrainingSettings,
) -> str:
    """A hash of everything that a training depends on, asked for before its first step."""
    digest = _Digest()
    compiled = model.composes and is_compiled(vectors.dtype)
    # Another release of these may round otherwise: the end would be that of neither.
    packages = ["numpy", *(NEEDED if compiled else ())]
    versions = [VERSION, *map(version, packages)]
    digest.text(json.dumps([versions, compiled, asdict(model), asdict(settings)]))
    for name in sorted(parameters):
        digest.text(name)
        digest.array(parameters[name])
    digest.array(vectors)
    for batch in (*batches, *development.batches):
        digest.batch(batch)
    digest.text(json.dumps([development.positive, [sorted(labels) for labels in development.gold]]))
    return digest.result()


class _Digest:
    def __init__(self) -> None:
        self._hash = hashlib.blake2b()

    def text(self, text: str) -> None:
        self._hash.update(f"{text}\n".encode())

    def array(self, array: np.ndarray) -> None:
        self.text(f"{array.dtype.str} {array.shape}")
        self._hash.update(np.ascontiguousarray(array).data)

    def batch(self, batch: Batch) -> None:
        for part in (batch, batch.first_mentions, batch.second_mentions):
            for declared in fields(part):
                value = getattr(part, declared.name)
                if not isinstance(value, MentionGroups):
                    self.array(np.asarray(value))

    def result(self) -> str:
        return self._hash.hexdigest()
