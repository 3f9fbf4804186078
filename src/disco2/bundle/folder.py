"""A trained model to disk and back: arrays checked against the settings, files against their hashes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load, save

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
    report_errors,
    verified_bytes,
)
from disco2.bundle.summary import model_card
from disco2.errors import BundleError, VectorsError
from disco2.features import FeatureExtractor
from disco2.files import FileList, check_folder_place, folder_in_place, hash_file, without_twins
from disco2.model import AnyModel, EncoderModel, ModelSettings, RelationModel
from disco2.model.encoder_model import DIRECTION
from disco2.model.entity_term import NAMES as ENTITY_NAMES
from disco2.model.entity_term import EntityTerm
from disco2.model.parameters import check_finite, parameter_shapes
from disco2.shipped import MANIFEST
from disco2.vectors import WordVectors
from disco2.vectors.word_vectors import Recipe, Reduction, make_table
from disco2.version import VERSION

MOST_HEADER = 1 << 20  # bytes; a model's arrays are described in two thousand
KNOWN = ("F64", "F32", "F16", "I32")
MOST_DIMENSIONS = 10_000  # of word vectors: a model makes a row of them in use, stored or not
LARGEST = 1e5  # of values: what a score adds up is a product of four of them, and must stay a number
_LENGTH_BYTES = 8  # bytes of the header's own length

# A model's table of word vectors is stored, or made again from the vectors that ship with disco2. Made again,
# it is the same to the digit: the bundle holds the SHA-256 of the shipped files, how they were centred,
# projected and scaled, in double precision, and which rows of them the model has.
SHIPPED = "shipped"
PREFIX = "parameters."
TABLE = "vectors"
RECIPE = MEAN, DEVIATION, CENTRE, AXES, ROWS = tuple(
    f"vectors.{name}" for name in ("mean", "deviation", "centre", "axes", "rows")
)
FILES = FileList(MANIFEST, lambda folder: read_manifest(folder).hashes)

Arrays = Mapping[str, NDArray[Any]]


def read_arrays(content: bytes) -> dict[str, NDArray[Any]]:
    """All arrays by their names; what the header declares must be what follows, byte for byte.

    ValueError or SafetensorError otherwise. Memory is allocated for bytes that exist, not for declared sizes.
    """
    size = int.from_bytes(content[:_LENGTH_BYTES], "little")
    if len(content) < _LENGTH_BYTES or size > min(MOST_HEADER, len(content) - _LENGTH_BYTES):
        raise ValueError("its parameters have no usable header")
    header = json.loads(content[_LENGTH_BYTES : _LENGTH_BYTES + size], object_pairs_hook=without_twins)
    for name, declared in header.items():
        if name != "__metadata__" and declared["dtype"] not in KNOWN:
            raise ValueError(f"its array {name!r} is of the type {declared['dtype']!r}, which no model has")
    return load(content)


def check_model(model: RelationModel) -> None:
    """Raise ValueError unless all parameters fit the model's settings, labels, vectors and features."""
    settings, found = model.settings, model.parameters
    if settings.K > MOST_DIMENSIONS:
        raise ValueError(f"its K is {settings.K}, and may be {MOST_DIMENSIONS} at most")
    if model.vectors.dimensions != settings.K:
        raise ValueError(f"its vectors have {model.vectors.dimensions} dimensions and not {settings.K}")
    if settings.uses_features and model.extractor is None:
        raise ValueError("it lacks its features")
    width = model.extractor.width if model.extractor else 0
    stack = () if settings.members == 1 else (settings.members,)
    expected = parameter_shapes(settings, labels=len(model.labels), features=width)
    if further := found.keys() - expected.keys():
        raise ValueError(f"it has a parameter {min(further)!r}, which no such model has")
    for name, shape in expected.items():
        if found[name].shape != (*stack, *shape) or found[name].dtype not in (np.float32, np.float64):
            raise ValueError(f"its parameter {name} has another shape or other numbers")
    check_numbers({f"parameter {name}": value for name, value in found.items()})


def check_numbers(arrays: Arrays) -> None:
    """Raise ValueError if a value is not a number, or so large that scores could overflow."""
    for name, value in arrays.items():
        least, most = float(value.min(initial=0.0)), float(value.max(initial=0.0))
        if not (least >= -LARGEST and most <= LARGEST):
            raise ValueError(f"its {name} has values that are not numbers, or beyond {LARGEST:,.0f}")


def list_table_arrays(vectors: WordVectors) -> dict[str, NDArray[Any]]:
    """The arrays that are stored: the table, or what makes it again."""
    if vectors.recipe is None:
        return {TABLE: np.ascontiguousarray(vectors.matrix)}
    reduction = vectors.recipe.reduction
    stored = (reduction.mean, reduction.deviation, reduction.centre, reduction.axes, vectors.recipe.rows)
    named = zip(RECIPE, stored, strict=True)
    return {name: np.ascontiguousarray(array) for name, array in named if array is not None}


def read_stored_table(words: bytes, table: NDArray[Any]) -> WordVectors:
    """The table of a bundle that stores it; ``words`` is the content of its file of words."""
    if not np.issubdtype(table.dtype, np.floating):
        raise ValueError("its word vectors are of another type")
    check_numbers({"table of word vectors": table})
    listed = words.decode("utf-8").split("\n")[:-1]  # a word may hold a \r
    return WordVectors(tuple(listed), table.astype(np.float32))


def rebuild_table(manifest: Manifest, arrays: Arrays) -> WordVectors:
    """The table of a bundle that names the shipped vectors; BundleError if they are different ones."""
    said = manifest.vectors
    if said.get("source") != SHIPPED:
        raise ValueError(f"its word vectors come from {said.get('source')!r}, which is not known")
    rows = arrays.get(ROWS)
    if rows is not None and not (rows.dtype == np.int32 and rows.ndim == 1):
        raise ValueError("its rows of word vectors are not whole numbers")
    if rows is not None and (np.diff(rows.astype(np.int64), prepend=-1) <= 0).any():
        raise ValueError("its rows of word vectors do not ascend from 0 on")
    recipe = Recipe(str(said.get("digest")), _reduction(arrays), rows)
    try:
        with np.errstate(over="ignore"):  # values that are too large are refused below
            vectors = make_table(recipe)
    except VectorsError as error:
        raise BundleError(
            f"The model names its word vectors and does not hold them. {error.what}",
            where=error.where,
            hint=f"Install disco2 {manifest.version}, which wrote the model, or train it anew: disco2 train",
        ) from error
    if (vectors.dimensions, len(vectors)) != (said.get("dimensions"), said.get("words")):
        raise ValueError("its word vectors have another number of words or of dimensions")
    check_numbers({"table of word vectors": vectors.matrix})
    return vectors


def _reduction(arrays: Arrays) -> Reduction:
    mean, deviation, centre, axes = (arrays.get(name) for name in (MEAN, DEVIATION, CENTRE, AXES))
    if mean is None or deviation is None or mean.ndim != 1 or mean.shape != deviation.shape:
        raise ValueError("it lacks the means and deviations of its word vectors")
    if (centre is None) != (axes is None):
        raise ValueError("it lacks the axes of its word vectors")
    if centre is not None and axes is not None and axes.shape != (*centre.shape, *mean.shape):
        raise ValueError("the axes of its word vectors have another shape")
    for array in (mean, deviation, centre, axes):
        if array is not None and not (array.dtype == np.float64 and np.isfinite(array).all()):
            raise ValueError("the numbers for its word vectors are not numbers in double precision")
    return Reduction(mean, deviation, centre, axes)


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

    A model whose training diverged is refused. Word vectors made from the shipped ones are not stored.
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
    table_entry: dict[str, Any] = {}
    if vectors is not None and vectors.recipe is not None:
        table_entry = {"source": SHIPPED, "digest": vectors.recipe.digest}
        table_entry |= {"dimensions": vectors.dimensions, "words": len(vectors)}
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
        vectors=table_entry,
    )
    with folder_in_place(path, FILES, force=force) as folder:
        _write(model, manifest, folder)


def check_target(path: Path, *, force: bool = False) -> None:
    """Refuse to replace anything but a bundle; called before training, so that no work is lost."""
    check_folder_place(path, FILES, force=force)


def _write(model: AnyModel, manifest: Manifest, folder: Path) -> None:
    arrays = {f"{PREFIX}{name}": np.ascontiguousarray(value) for name, value in model.parameters.items()}
    if isinstance(model, EncoderModel):
        (folder / PARAMETERS).write_bytes(save(arrays))
        (folder / ENCODER).write_bytes(model.onnx)
        (folder / TOKENIZER).write_bytes(model.tokenizer)
    else:
        (folder / PARAMETERS).write_bytes(save(arrays | list_table_arrays(model.vectors)))
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


def load_bundle(path: Path) -> tuple[AnyModel, Manifest]:
    """Load a model and its manifest; BundleError if the folder is missing, damaged or too new."""
    manifest = read_manifest(path)
    with report_errors("The model", path):
        settings = ModelSettings(**manifest.model)
        content = {
            name: verified_bytes(path, name, expected=expected) for name, expected in manifest.hashes.items()
        }
        arrays = read_arrays(content[PARAMETERS])
        known = () if manifest.is_encoder else RECIPE if manifest.vectors else (TABLE,)
        if strange := [name for name in arrays if not name.startswith(PREFIX) and name not in known]:
            raise ValueError(f"it has an array {strange[0]!r}, which no such model has")
        parameters = {name.removeprefix(PREFIX): value for name, value in arrays.items() if name not in known}
        described = json.loads(content[FEATURES].decode("utf-8"))
        extractor = None if described is None else FeatureExtractor.from_json(described)
        if manifest.is_encoder:
            return _read_encoder(manifest, settings, content, parameters, extractor), manifest
        if manifest.vectors:
            vectors = rebuild_table(manifest, arrays)
        else:
            vectors = read_stored_table(content[WORDS], arrays[TABLE])
        model = RelationModel(settings, tuple(manifest.labels), vectors, extractor, parameters)
        check_model(model)
    return model, manifest


def _read_encoder(
    manifest: Manifest,
    settings: ModelSettings,
    content: Mapping[str, bytes],
    parameters: Arrays,
    extractor: FeatureExtractor | None,
) -> EncoderModel:
    check_numbers({f"parameter {name}": value for name, value in parameters.items()})
    entities = None
    if settings.entity_size:
        entities = EntityTerm(**{name: parameters[name] for name in ENTITY_NAMES}, pairs=settings.pairs)
    return EncoderModel(
        settings,
        tuple(manifest.labels),
        content[ENCODER],
        content[TOKENIZER],
        parameters["W"],
        parameters["b"],
        extractor,
        parameters.get("F"),
        entities,
        {name.removeprefix(DIRECTION): row for name, row in parameters.items() if name.startswith(DIRECTION)},
    )
