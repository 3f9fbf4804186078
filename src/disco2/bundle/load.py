"""A folder -> a trained model, verified before use.

Every file is read once, and what was read is what was hashed. Other files in the folder are no part of the
bundle and are never looked at.
"""

from __future__ import annotations

import json
from pathlib import Path

from disco2.bundle.layout import ENCODER, FEATURES, PARAMETERS, TOKENIZER, WORDS, Manifest
from disco2.bundle.manifest import read_manifest
from disco2.bundle.reading import verified_bytes
from disco2.bundle.refusal import reported
from disco2.bundle.shapes import check_model, check_numbers
from disco2.bundle.tensors import read_arrays
from disco2.bundle.word_table import named_table, stored_table
from disco2.features import FeatureExtractor
from disco2.model import AnyModel, EncoderModel, ModelSettings, RelationModel

__all__ = ["load_bundle", "read_manifest"]

_OF_PARAMETERS = "parameters."
_OF_VECTORS = "vectors"


def load_bundle(path: Path) -> tuple[AnyModel, Manifest]:
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
        parameters = {
            name.removeprefix(_OF_PARAMETERS): value
            for name, value in arrays.items()
            if name.startswith(_OF_PARAMETERS)
        }
        if manifest.is_encoder:
            check_numbers({f"parameter {name}": value for name, value in parameters.items()})
            files, weights = (content[ENCODER], content[TOKENIZER]), (parameters["W"], parameters["b"])
            extractor = _read_features(content[FEATURES]) if FEATURES in content else None
            given = (tuple(manifest.labels), *files, *weights, extractor, parameters.get("F"))
            return EncoderModel(settings, *given), manifest
        vectors = named_table(manifest, arrays) if manifest.vectors else stored_table(content[WORDS], arrays)
        model = RelationModel(
            settings=settings,
            labels=tuple(manifest.labels),
            vectors=vectors,
            extractor=_read_features(content[FEATURES]),
            parameters=parameters,
        )
        check_model(model)
    return model, manifest


def _read_features(content: bytes) -> FeatureExtractor | None:
    described = json.loads(content.decode("utf-8"))
    return None if described is None else FeatureExtractor.from_json(described)
