"""A folder -> a trained model, verified before use.

Every file is read once, and what was read is what was hashed. Other files in the folder are no part of the
bundle and are never looked at.
"""

from __future__ import annotations

import json
from pathlib import Path

from disco2.bundle.layout import FEATURES, PARAMETERS, WORDS, Manifest
from disco2.bundle.manifest import read_manifest
from disco2.bundle.reading import verified_bytes
from disco2.bundle.refusal import reported
from disco2.bundle.shapes import check_model
from disco2.bundle.tensors import read_arrays
from disco2.bundle.word_table import named_table, stored_table
from disco2.features import FeatureExtractor
from disco2.model import ModelSettings, RelationModel

__all__ = ["load_bundle", "read_manifest"]

_OF_PARAMETERS = "parameters."
_OF_VECTORS = "vectors"


def load_bundle(path: Path) -> tuple[RelationModel, Manifest]:
    """The model and its manifest; BundleError where the folder is missing, damaged or too new."""
    manifest = read_manifest(path)
    with reported("The model", path):
        settings = ModelSettings(**manifest.model)
        content = {
            name: verified_bytes(path, name, expected=expected) for name, expected in manifest.hashes.items()
        }
        arrays = read_arrays(content.pop(PARAMETERS))
        if strange := [name for name in arrays if not name.startswith((_OF_PARAMETERS, _OF_VECTORS))]:
            raise ValueError(f"it has an array {strange[0]!r}, which no model has")
        features = json.loads(content[FEATURES].decode("utf-8"))
        vectors = named_table(manifest, arrays) if manifest.vectors else stored_table(content[WORDS], arrays)
        model = RelationModel(
            settings=settings,
            labels=tuple(manifest.labels),
            vectors=vectors,
            extractor=FeatureExtractor.from_json(features) if features is not None else None,
            parameters={
                name.removeprefix(_OF_PARAMETERS): value
                for name, value in arrays.items()
                if name.startswith(_OF_PARAMETERS)
            },
        )
        check_model(model)
    return model, manifest
