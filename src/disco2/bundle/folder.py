"""A trained model -> a folder, renamed into place when whole; a folder -> a model, verified before use.

Every file is read once, and what was read is what was hashed. Other files in the folder are no part of the
bundle and are never looked at.
"""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save

from disco2.bundle.manifest import (
    CARD,
    ENCODER,
    EVERY_FILE,
    FEATURES,
    FORMAT,
    MOST_BYTES,
    PARAMETERS,
    TOKENIZER,
    WORDS,
    Manifest,
    manifest_text,
    read_manifest,
    reported,
    verified_bytes,
)
from disco2.bundle.parameters import (
    check_model,
    check_numbers,
    named_table,
    naming,
    read_arrays,
    stored_table,
    table_arrays,
)
from disco2.bundle.summary import model_card
from disco2.errors import BundleError
from disco2.features import FeatureExtractor
from disco2.files import FileList, check_folder_place, folder_in_place, hash_file
from disco2.model import AnyModel, EncoderModel, ModelSettings, RelationModel
from disco2.model.entity_term import NAMES as ENTITY_NAMES
from disco2.model.entity_term import EntityTerm
from disco2.model.runaway import check_finite
from disco2.shipped import MANIFEST
from disco2.version import VERSION

FILES = FileList(MANIFEST, lambda folder: read_manifest(folder).hashes)


def save_bundle(
    model: AnyModel,
    path: Path,
    *,
    configuration: dict[str, Any] | None = None,
    task: dict[str, Any] | None = None,
    data: dict[str, Any] | None = None,
    figures: dict[str, Any] | None = None,
    calibration: dict[str, Any] | None = None,
    force: bool = False,
) -> None:
    """Write a bundle. ``files.check_folder_place`` says what may be there already, and what ``force`` does.

    A model whose training ran away is refused: it would answer, and always the same. ``calibration`` holds
    the ``temperature`` of its probabilities, where one was fitted. Word vectors that were made from the
    shipped ones are not stored but made again.
    """
    check_finite(model.parameters)
    vectors = None if isinstance(model, EncoderModel) else model.vectors
    try:
        table = {} if vectors is None else {"table of word vectors": vectors.matrix}
        check_numbers(model.parameters | table)
    except ValueError as error:
        raise BundleError(
            f"The model could not be used: {error}. Nothing was saved.",
            hint="Lower the learning rates, or look at the file of word vectors.",
        ) from None
    check_target(path, force=force)
    manifest = Manifest(
        format=FORMAT if vectors is None else FORMAT - 1,  # older versions read what they can
        version=VERSION,
        labels=list(model.labels),
        model=asdict(model.settings),
        configuration=configuration or {},
        task=task or {},
        data=data or {},
        figures=figures or {},
        calibration=calibration or {},
        vectors={} if vectors is None else naming(vectors),
    )
    with folder_in_place(path, FILES, force=force) as folder:
        _write(model, manifest, folder)


def check_target(path: Path, *, force: bool = False) -> None:
    """Refuse to replace anything but a bundle; called before training, so that no work is lost."""
    check_folder_place(path, FILES, force=force)


def _write(model: AnyModel, manifest: Manifest, folder: Path) -> None:
    arrays = {f"parameters.{name}": np.ascontiguousarray(value) for name, value in model.parameters.items()}
    if isinstance(model, EncoderModel):
        (folder / PARAMETERS).write_bytes(save(arrays))
        (folder / ENCODER).write_bytes(model.onnx)
        (folder / TOKENIZER).write_bytes(model.tokenizer)
    else:
        (folder / PARAMETERS).write_bytes(save(arrays | table_arrays(model.vectors)))
        if not manifest.vectors:
            words = "".join(f"{word}\n" for word in model.vectors.words)
            (folder / WORDS).write_text(words, encoding="utf-8", newline="\n")
    features = model.extractor.to_json() if model.extractor else None
    (folder / FEATURES).write_text(json.dumps(features, ensure_ascii=False), encoding="utf-8")
    # What UTF-8 can't write, such as the undecodable bytes of a file's name, becomes a question mark.
    (folder / CARD).write_text(model_card(manifest), encoding="utf-8", errors="replace")
    written = [name for name in EVERY_FILE if (folder / name).is_file()]
    hashed = replace(manifest, hashes={name: hash_file(folder / name) for name in written})
    (folder / MANIFEST).write_text(
        manifest_text(hashed.to_json()), encoding="utf-8", errors="replace", newline="\n"
    )
    for name, most in MOST_BYTES.items():
        if (folder / name).is_file() and (folder / name).stat().st_size > most:
            raise BundleError(
                f"The model's {name} would be too large to be read again. Nothing was saved.",
                hint="Train with fewer features or word vectors.",
            )


_PARAMETER_PREFIX = "parameters."
_VECTORS_PREFIX = "vectors"


def load_bundle(path: Path) -> tuple[AnyModel, Manifest]:
    """The model and its manifest; BundleError where the folder is missing, damaged or too new."""
    manifest = read_manifest(path)
    with reported("The model", path):
        settings = ModelSettings(**manifest.model)
        content = {
            name: verified_bytes(path, name, expected=expected) for name, expected in manifest.hashes.items()
        }
        arrays = read_arrays(content.pop(PARAMETERS))
        if strange := [name for name in arrays if not name.startswith((_PARAMETER_PREFIX, _VECTORS_PREFIX))]:
            raise ValueError(f"it has an array {strange[0]!r}, which no model has")
        parameters = {
            name.removeprefix(_PARAMETER_PREFIX): value
            for name, value in arrays.items()
            if name.startswith(_PARAMETER_PREFIX)
        }
        if manifest.is_encoder:
            check_numbers({f"parameter {name}": value for name, value in parameters.items()})
            files, weights = (content[ENCODER], content[TOKENIZER]), (parameters["W"], parameters["b"])
            extractor = _read_features(content[FEATURES]) if FEATURES in content else None
            given = (tuple(manifest.labels), *files, *weights, extractor, parameters.get("F"))
            entities = None
            if settings.entity_size:
                arrays_of_term = {name: parameters[name] for name in ENTITY_NAMES}
                entities = EntityTerm(**arrays_of_term, pairs=settings.pairs)
            return EncoderModel(settings, *given, entities), manifest
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
