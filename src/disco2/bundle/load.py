"""A folder -> a trained model, verified before use."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file

from disco2.bundle.layout import FEATURES, FORMAT, MANIFEST, PARAMETERS, Manifest, digest, hash_file
from disco2.bundle.word_table import named_table, stored_table
from disco2.errors import BundleError, Disco2Error
from disco2.features import FeatureExtractor
from disco2.model import ModelSettings, RelationModel, initial_parameters

REPAIR = "Copy the model again from where it came from, or train it anew with: disco2 train"


def load_bundle(path: Path) -> tuple[RelationModel, Manifest]:
    """The model and its manifest; BundleError where the folder is missing, damaged or too new."""
    manifest = read_manifest(path)
    with _reported("The model", path):
        for name, expected in manifest.hashes.items():
            if not (path / name).is_file():
                raise BundleError(f"The model lacks its file {name}.", where=str(path), hint=REPAIR)
            if hash_file(path / name) != expected:
                raise BundleError(
                    f"The file {name} is damaged: its hash is not the recorded one.",
                    where=str(path),
                    hint=REPAIR,
                )
        arrays = load_file(path / PARAMETERS)
        features = json.loads((path / FEATURES).read_text(encoding="utf-8"))
        model = RelationModel(
            settings=ModelSettings(**manifest.model),
            labels=tuple(manifest.labels),
            vectors=stored_table(path, arrays) if not manifest.vectors else named_table(manifest, arrays),
            extractor=FeatureExtractor.from_json(features) if features is not None else None,
            parameters={
                name.removeprefix("parameters."): value
                for name, value in arrays.items()
                if name.startswith("parameters.")
            },
        )
        _check_shapes(model)
    return model, manifest


def read_manifest(path: Path) -> Manifest:
    """The manifest of a bundle, checked against its own digest and this program's format."""
    file = path / MANIFEST
    with _reported(MANIFEST, file):
        if not file.is_file():
            raise BundleError(
                f"There is no disco2 model: {MANIFEST} is missing.",
                where=str(path),
                hint="Give the folder that disco2 train wrote as --output.",
            )
        content = json.loads(file.read_text(encoding="utf-8"))
        if not isinstance(content, dict):
            raise ValueError("it is not an object in braces")
        found = content.pop("digest", None)
        version = content.get("format")
        if not isinstance(version, int):
            raise ValueError("it has no format number")
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
        return _manifest(content)


def _manifest(content: dict[str, Any]) -> Manifest:
    known = {declared.name for declared in fields(Manifest)}
    manifest = Manifest(**{name: value for name, value in content.items() if name in known})
    for name in ("model", "configuration", "task", "data", "figures", "hashes", "calibration", "vectors"):
        if not isinstance(getattr(manifest, name), dict):
            raise ValueError(f"its '{name}' is not an object in braces")
    labels = manifest.labels
    if not isinstance(labels, list) or not labels or not all(isinstance(label, str) for label in labels):
        raise ValueError("its 'labels' are not a list of texts")
    if len(set(labels)) < len(labels):
        raise ValueError("a label occurs twice in it")
    for name in ("temperature", "running_text"):
        temperature = manifest.calibration.get(name, 1.0)
        is_number = isinstance(temperature, int | float) and not isinstance(temperature, bool)
        if not (is_number and 1e-3 <= temperature <= 1e3):
            raise ValueError("its temperature is not a number from 0.001 to 1000")
    return manifest


def _check_shapes(model: RelationModel) -> None:
    """Raise ValueError unless all parameters fit the model's settings, labels, vectors and features."""
    settings, found = model.settings, model.parameters
    if settings.uses_vectors and model.vectors.dimensions != settings.K:
        raise ValueError(f"its vectors have {model.vectors.dimensions} dimensions and not {settings.K}")
    if settings.uses_features and model.extractor is None:
        raise ValueError("it lacks its features")
    if settings.uses_vectors and found["A1"].shape[-2:-1] != (settings.rank,):
        raise ValueError(f"its parameters have not the rank {settings.rank}")
    width = model.extractor.width if model.extractor else 0
    stack = () if settings.members == 1 else (settings.members,)
    expected = initial_parameters(settings, labels=len(model.labels), features=width, seed=0)
    for name, value in expected.items():
        fits = found[name].shape == (*stack, *value.shape)
        if not fits or not np.issubdtype(found[name].dtype, np.floating):
            raise ValueError(f"its parameter {name} has another shape or other numbers")


@contextmanager
def _reported(what: str, place: Path) -> Iterator[None]:
    """Turn whatever is wrong inside a bundle into a BundleError."""
    try:
        yield
    except BundleError as error:
        raise BundleError(error.what, where=error.where or str(place), hint=error.hint) from error
    except OSError as error:
        raise BundleError(
            f"{what} can't be read: {error.strerror or error}.", where=str(place), hint="Check its rights."
        ) from error
    except (
        ValueError,
        TypeError,
        LookupError,
        AttributeError,
        RecursionError,
        SafetensorError,
        Disco2Error,
    ) as error:
        said = error.what if isinstance(error, Disco2Error) else str(error)
        said = f"it lacks {said}" if isinstance(error, KeyError) else said
        raise BundleError(
            f"{what} can't be read: {said.rstrip('.')}.", where=str(place), hint=REPAIR
        ) from error
