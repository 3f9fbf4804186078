"""A folder -> a trained model, verified before use."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.numpy import load_file

from disco2.bundle.layout import FEATURES, FORMAT, MANIFEST, PARAMETERS, WORDS, Manifest, digest, hash_file
from disco2.errors import BundleError, Disco2Error
from disco2.features import FeatureExtractor
from disco2.model import ModelSettings, RelationModel
from disco2.model.vectors import WordVectors

REPAIR = "Copy the model again from where it came from, or train it anew with: disco2 train"


def load_bundle(path: Path) -> tuple[RelationModel, Manifest]:
    """The model and its manifest; BundleError where the folder is missing, damaged or too new."""
    manifest = read_manifest(path)
    for name, expected in manifest.hashes.items():
        if not (path / name).is_file():
            raise BundleError(f"The model lacks its file {name}.", where=str(path), hint=REPAIR)
        if hash_file(path / name) != expected:
            raise BundleError(
                f"The file {name} is damaged: its hash is not the recorded one.", where=str(path), hint=REPAIR
            )
    try:
        arrays = load_file(path / PARAMETERS)
        words = (path / WORDS).read_text(encoding="utf-8").split("\n")[:-1]
        features = json.loads((path / FEATURES).read_text(encoding="utf-8"))
        model = RelationModel(
            settings=ModelSettings(**manifest.model),
            labels=tuple(manifest.labels),
            vectors=WordVectors(tuple(words), arrays.pop("vectors")),
            extractor=FeatureExtractor.from_json(features) if features is not None else None,
            parameters={name.removeprefix("parameters."): value for name, value in arrays.items()},
        )
    except (OSError, ValueError, TypeError, KeyError, SafetensorError, Disco2Error) as error:
        raise BundleError(f"The model can't be read: {error}.", where=str(path), hint=REPAIR) from error
    return model, manifest


def read_manifest(path: Path) -> Manifest:
    """The manifest of a bundle, checked against its own digest and this program's format."""
    file = path / MANIFEST
    if not file.is_file():
        raise BundleError(
            f"There is no disco2 model: {MANIFEST} is missing.",
            where=str(path),
            hint="Give the folder that disco2 train wrote as --output.",
        )
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        found = content.pop("digest")
        version = int(content["format"])
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise BundleError(f"{MANIFEST} can't be read: {error}.", where=str(file), hint=REPAIR) from error
    if version > FORMAT:
        raise BundleError(
            f"The model has format {version}; this program reads formats up to {FORMAT}.",
            where=str(path),
            hint="Update the program with: pip install --upgrade disco2",
        )
    if digest(content) != found:
        raise BundleError(
            f"{MANIFEST} is damaged: its hash is not the recorded one.", where=str(file), hint=REPAIR
        )
    return _manifest(content, file)


def _manifest(content: dict[str, Any], file: Path) -> Manifest:
    known = {declared.name for declared in fields(Manifest)}
    try:
        return Manifest(**{name: value for name, value in content.items() if name in known})
    except TypeError as error:
        raise BundleError(f"{MANIFEST} is incomplete: {error}.", where=str(file), hint=REPAIR) from error
