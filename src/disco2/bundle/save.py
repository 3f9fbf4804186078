"""A trained model -> a folder, written beside and renamed into place."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save

from disco2.bundle.card import model_card
from disco2.bundle.layout import (
    CARD,
    FEATURES,
    FORMAT,
    HASHED,
    MANIFEST,
    PARAMETERS,
    WORDS,
    Manifest,
    hash_file,
    manifest_text,
)
from disco2.bundle.reading import MOST_BYTES
from disco2.bundle.shapes import check_numbers
from disco2.bundle.word_table import naming, table_arrays
from disco2.errors import BundleError
from disco2.files import check_folder_place, folder_in_place, is_empty_or_new
from disco2.model import RelationModel
from disco2.model.runaway import check_finite
from disco2.version import VERSION


def save_bundle(
    model: RelationModel,
    path: Path,
    *,
    configuration: dict[str, Any] | None = None,
    task: dict[str, Any] | None = None,
    data: dict[str, Any] | None = None,
    figures: dict[str, Any] | None = None,
    calibration: dict[str, Any] | None = None,
) -> None:
    """Write a bundle. A bundle that is already there is replaced; any other folder is refused.

    So is a model whose training ran away: it would answer, and always the same. ``calibration`` holds the
    ``temperature`` of its probabilities, where one was fitted. Word vectors that were made from the shipped
    ones are not stored but made again.
    """
    check_finite(model.parameters)
    try:
        check_numbers(model.parameters | {"table of word vectors": model.vectors.matrix})
    except ValueError as error:
        raise BundleError(
            f"The model could not be used: {error}. Nothing was saved.",
            hint="Lower the learning rates, or look at the file of word vectors.",
        ) from None
    check_target(path)
    manifest = Manifest(
        format=FORMAT,
        version=VERSION,
        labels=list(model.labels),
        model=asdict(model.settings),
        configuration=configuration or {},
        task=task or {},
        data=data or {},
        figures=figures or {},
        calibration=calibration or {},
        vectors=naming(model.vectors),
    )
    with folder_in_place(path) as folder:
        _write(model, manifest, folder)


def check_target(path: Path) -> None:
    """Refuse to replace anything but a bundle; called before training, so that no work is lost."""
    if not is_empty_or_new(path) and not (path / MANIFEST).is_file():
        raise BundleError(
            "Something that is not a disco2 model stands there.",
            where=str(path),
            hint="Choose another --output folder.",
        )
    check_folder_place(path)


def _write(model: RelationModel, manifest: Manifest, folder: Path) -> None:
    arrays = {f"parameters.{name}": np.ascontiguousarray(value) for name, value in model.parameters.items()}
    (folder / PARAMETERS).write_bytes(save(arrays | table_arrays(model.vectors)))
    if not manifest.vectors:
        (folder / WORDS).write_text(
            "".join(f"{word}\n" for word in model.vectors.words), encoding="utf-8", newline="\n"
        )
    features = model.extractor.to_json() if model.extractor else None
    (folder / FEATURES).write_text(json.dumps(features, ensure_ascii=False), encoding="utf-8")
    # What UTF-8 can't write, such as the undecodable bytes of a file's name, becomes a question mark.
    (folder / CARD).write_text(model_card(manifest), encoding="utf-8", errors="replace")
    written = [name for name in HASHED if (folder / name).is_file()]
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
