"""A trained model to disk and back: arrays checked against the settings, files against their hashes.

MODEL/
  bundle.json               the manifest: format, labels, settings, figures, a hash of every file
  parameters.safetensors    the parameters and the table of word vectors, or how to make it again
  words.txt                 the words of that table, one a line; only if the table is stored
  features.json             the surface features that were selected (null without features)
  encoder.onnx              in place of words.txt where the kind is "encoder":
  tokenizer.json            the network that reads word pieces, and the table of these
  MODEL_CARD.md             for people: data, licence, figures, limits

A model's table of word vectors is stored, or made again from the vectors that ship with disco2. Made again,
it is the same to the digit: the bundle holds the SHA-256 of the shipped files, how they were centred,
projected and scaled, in double precision, and which rows of them the model has.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from safetensors import SafetensorError
from safetensors.numpy import load, save

from disco2.bundle.summary import model_card
from disco2.errors import BundleError, Disco2Error, VectorsError
from disco2.features import FeatureExtractor
from disco2.files import (
    FileList,
    check_folder_place,
    folder_in_place,
    hash_file,
    read_regular_file,
    without_twins,
)
from disco2.model import AnyModel, EncoderModel, ModelSettings, RelationModel
from disco2.model.encoder_model import DIRECTION
from disco2.model.entity_term import NAMES as ENTITY_NAMES
from disco2.model.entity_term import EntityTerm
from disco2.model.parameters import check_finite, parameter_shapes
from disco2.shipped import MANIFEST
from disco2.vectors import WordVectors
from disco2.vectors.word_vectors import Recipe, Reduction, make_table
from disco2.version import VERSION

FORMAT = 3  # the newest that can be read; 2: shipped word vectors by name, several members; 3: encoders
REPAIR = "Copy the model again from where it came from, or train it anew with: disco2 train"
MOST_SAID = 400  # characters of a reason
# What reading damaged or hostile content may raise.
_DAMAGED = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, SafetensorError)
UNREADABLE = (*_DAMAGED, OSError, MemoryError, RecursionError, Disco2Error)

PARAMETERS = "parameters.safetensors"
WORDS = "words.txt"
FEATURES = "features.json"
ENCODER = "encoder.onnx"
TOKENIZER = "tokenizer.json"
CARD = "MODEL_CARD.md"

HASHED = (PARAMETERS, WORDS, FEATURES, CARD)  # of the paper's kinds
ENCODER_FILES = (PARAMETERS, FEATURES, ENCODER, TOKENIZER, CARD)
EVERY_FILE = tuple(dict.fromkeys((*HASHED, *ENCODER_FILES)))
MOST_BYTES = 16 << 30  # of any other file than these, which are parsed as a whole
MOST_TEXT = {MANIFEST: 4 << 20, CARD: 4 << 20, FEATURES: 64 << 20, TOKENIZER: 64 << 20}


class _Data(BaseModel):
    """Types in ``Manifest.data``; other fields may have any."""

    automatic_layers: list[str] = []
    licences_of_texts: list[str] = []
    notes: list[str] = []
    label_counts: dict[str, Annotated[float, Field(ge=0, allow_inf_nan=False)]] = {}
    offsets: dict[str, Annotated[float, Field(ge=-100, le=100)]] = {}


def _check_data(data: dict[str, Any]) -> dict[str, Any]:
    """The data as it is: whole numbers and the order of keys stay."""
    _Data.model_validate(data, strict=True)
    return data


class Manifest(BaseModel):
    """The content of ``bundle.json``.

    ``configuration`` holds every setting the model was trained with, ``task`` what its labels mean, ``data``
    what it was trained on, and ``figures`` how well it did. ``calibration`` may hold the ``temperature`` that
    turns scores into probabilities, and another one for ``running_text``. ``vectors`` names the shipped word
    vectors that the model's table is made from; it is empty if the table is stored. ``digest`` guards the
    manifest itself.
    """

    model_config = ConfigDict(frozen=True, strict=True)

    format: Annotated[int, Field(ge=1)]
    version: Annotated[str, Field(pattern=r"^[!-~]{1,100}$")]  # of the package that wrote it
    labels: Annotated[list[str], Field(min_length=1)]
    model: dict[str, Any]
    configuration: dict[str, dict[str, Any]] = {}
    task: dict[str, Any] = {}
    data: Annotated[dict[str, Any], AfterValidator(_check_data)] = {}
    figures: dict[str, Any] = {}
    hashes: dict[str, Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]] = {}
    calibration: dict[str, Annotated[float, Field(ge=1e-3, le=1e3)]] = {}  # temperatures
    vectors: dict[str, Any] = {}

    @property
    def is_encoder(self) -> bool:
        return self.model.get("kind") == "encoder"

    @property
    def label_counts(self) -> dict[str, float]:
        """The training relations of each label; empty if they were not recorded."""
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
        """What scores are divided by before they become probabilities; 1 if nothing was fitted."""
        return self.calibration.get("temperature", 1.0)

    @property
    def running_text_temperature(self) -> float:
        """The temperature if EntRel and NoRel are outcomes."""
        return self.calibration.get("running_text", self.temperature)

    def to_json(self) -> dict[str, Any]:
        content = self.model_dump()
        return content | {"digest": digest(content)}


def manifest_text(content: dict[str, Any]) -> str:
    """The text of a manifest: one content has exactly one text, so that any other text is damaged."""
    return json.dumps(content, indent=1, ensure_ascii=False)


def digest(content: dict[str, Any]) -> str:
    """A hash of the manifest's content; the order of keys does not matter."""
    text = json.dumps(content, sort_keys=True, ensure_ascii=False)
    return sha256(text.encode(errors="replace")).hexdigest()


@contextmanager
def report_errors(what: str, place: Path) -> Iterator[None]:
    """Turn any error that occurs while ``what`` is read into a BundleError that is safe to show."""
    try:
        yield
    except BundleError as error:
        raise BundleError(
            make_printable(error.what), where=error.where or str(place), hint=error.hint
        ) from error
    except UNREADABLE as error:
        said = error.what if isinstance(error, Disco2Error) else str(error) or type(error).__name__
        if isinstance(error, KeyError):
            said = f"it lacks {said}"
        elif isinstance(error, ValidationError):
            first = error.errors()[0]
            said = f"its '{'.'.join(map(str, first['loc']))}' is invalid: {first['msg']}"
        raise BundleError(
            f"{what} can't be read: {make_printable(said).rstrip('.')}.", where=str(place), hint=REPAIR
        ) from error


def make_printable(text: str) -> str:
    """Text of a bundle as a message may show it: not too long, and nothing that steers a terminal."""
    text = text if len(text) <= MOST_SAID else f"{text[:MOST_SAID]}..."
    return "".join(sign if sign.isprintable() else "?" for sign in text)


def verified_bytes(folder: Path, name: str, *, expected: str) -> bytes:
    """Read a file once; BundleError if it is missing or its SHA-256 is not the expected one."""
    content = unverified_bytes(folder, name)
    if content is None:
        raise BundleError(f"The model lacks its file {name}.", where=str(folder), hint=REPAIR)
    if sha256(content).hexdigest() != expected:
        raise _damaged(name, folder)
    return content


def unverified_bytes(folder: Path, name: str) -> bytes | None:
    """The content of a file without a recorded hash, such as the manifest; None if there is no such file."""
    try:
        return read_regular_file(folder / name, MOST_TEXT.get(name, MOST_BYTES))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except ValueError as error:
        raise BundleError(f"{error}.", where=str(folder), hint=REPAIR) from error


def _damaged(name: str, folder: Path) -> BundleError:
    what = f"The file {name} is damaged: its hash is not the recorded one."
    return BundleError(what, where=str(folder), hint=REPAIR)


def read_manifest(path: Path) -> Manifest:
    """The manifest of a bundle, checked against its own digest and this program's format."""
    with report_errors(MANIFEST, path / MANIFEST):
        raw = unverified_bytes(path, MANIFEST)
        if raw is None:
            raise BundleError(
                f"There is no disco2 model: {MANIFEST} is missing.",
                where=str(path),
                hint="Give the folder that disco2 train wrote as --output.",
            )
        text = raw.decode("utf-8").replace("\r\n", "\n")  # older versions wrote the line ends of Windows
        content = json.loads(text)
        version = content.get("format")
        if isinstance(version, int) and version > FORMAT:
            raise BundleError(
                f"The model has format {version}; this program reads formats up to {FORMAT}.",
                where=str(path),
                hint="Update the program with: pip install --upgrade disco2",
            )
        # The digest is of the content. The text must be the one that is written for this content, too: a
        # space that became a tab or a duplicate key does not change the digest.
        as_written = text == manifest_text(content)
        if not as_written or content.pop("digest", None) != digest(content):
            raise _damaged(MANIFEST, path)
        manifest = Manifest(**content)
        if len(set(manifest.labels)) < len(manifest.labels):
            raise ValueError("a label occurs twice in it")
        files = set(ENCODER_FILES if manifest.is_encoder else HASHED)
        if further := manifest.hashes.keys() - files:
            raise ValueError(f"it names a file {min(further)!r}, which no such model has")
        if missing := files - manifest.hashes.keys() - ({WORDS} if manifest.vectors else set()):
            raise ValueError(f"it has no hash of {min(missing)}")
    return manifest


MOST_DIMENSIONS = 10_000  # of word vectors: a model makes a row of them in use, stored or not
LARGEST = 1e5  # of values: what a score adds up is a product of four of them, and must stay a number

SHIPPED = "shipped"
PREFIX = "parameters."
TABLE = "vectors"
RECIPE = MEAN, DEVIATION, CENTRE, AXES, ROWS = tuple(
    f"vectors.{name}" for name in ("mean", "deviation", "centre", "axes", "rows")
)
FILES = FileList(MANIFEST, lambda folder: read_manifest(folder).hashes)

Arrays = Mapping[str, NDArray[Any]]


def check_model(model: RelationModel) -> None:
    """Raise ValueError unless all parameters fit the model's settings, labels, vectors and features."""
    settings, found = model.settings, model.parameters
    if model.vectors.dimensions != settings.K or settings.K > MOST_DIMENSIONS:
        raise ValueError(f"its vectors have {model.vectors.dimensions} dimensions and not {settings.K}")
    if settings.uses_features and model.extractor is None:
        raise ValueError("it lacks its features")
    width = model.extractor.width if model.extractor else 0
    stack = () if settings.members == 1 else (settings.members,)
    expected = parameter_shapes(settings, labels=len(model.labels), features=width)
    if found.keys() != expected.keys():
        raise ValueError(f"its parameters are {sorted(found)} and not {sorted(expected)}")
    for name, shape in expected.items():
        if found[name].shape != (*stack, *shape) or found[name].dtype not in (np.float32, np.float64):
            raise ValueError(f"its parameter {name} has another shape or other numbers")


def check_numbers(arrays: Arrays) -> None:
    """Raise ValueError if a value is not a number, or so large that scores could overflow."""
    for name, value in arrays.items():
        if not (value.min(initial=0) >= -LARGEST and value.max(initial=0) <= LARGEST):
            raise ValueError(f"its array {name} has values that are not numbers, or beyond {LARGEST:,.0f}")


def list_table_arrays(vectors: WordVectors) -> dict[str, NDArray[Any]]:
    """The arrays that are stored: the table, or what makes it again."""
    if vectors.recipe is None:
        return {TABLE: np.ascontiguousarray(vectors.matrix)}
    reduction = vectors.recipe.reduction
    stored = (reduction.mean, reduction.deviation, reduction.centre, reduction.axes, vectors.recipe.rows)
    named = zip(RECIPE, stored, strict=True)
    return {name: np.ascontiguousarray(array) for name, array in named if array is not None}


def read_table(manifest: Manifest, content: Mapping[str, bytes], arrays: Arrays) -> WordVectors:
    """The table of a bundle; BundleError if it names the shipped vectors and they are different ones."""
    said = manifest.vectors
    if not said:
        if arrays[TABLE].dtype.kind != "f":
            raise ValueError("its word vectors are of another type")
        words = content[WORDS].decode("utf-8").split("\n")[:-1]  # a word may hold a \r
        vectors = WordVectors(tuple(words), arrays[TABLE].astype(np.float32))
    else:
        mean, deviation, centre, axes, rows = map(arrays.get, RECIPE)
        if said["source"] != SHIPPED or mean is None or deviation is None:
            raise ValueError(f"its word vectors come from {said['source']!r}, or lack their means")
        fits = mean.ndim == 1 and mean.shape == deviation.shape and (centre is None) == (axes is None)
        if centre is not None and axes is not None:
            fits = fits and centre.ndim == 1 and axes.shape == (*centre.shape, *mean.shape)
        if not fits:  # what is broadcast would take any memory
            raise ValueError("the means and axes of its word vectors have shapes that do not fit")
        if rows is not None and (np.diff(rows.astype(np.int64), prepend=-1) <= 0).any():
            raise ValueError("its rows of word vectors do not ascend from 0 on")
        try:
            with np.errstate(over="ignore"):  # values that are too large are refused below
                vectors = make_table(Recipe(said["digest"], Reduction(mean, deviation, centre, axes), rows))
        except VectorsError as error:
            raise BundleError(
                f"The model names its word vectors and does not hold them. {error.what}",
                where=error.where,
                hint=f"Install disco2 {manifest.version}, which wrote the model, or train it anew.",
            ) from error
        if (vectors.dimensions, len(vectors)) != (said["dimensions"], said["words"]):
            raise ValueError("its word vectors have another number of words or of dimensions")
    check_numbers({"table of word vectors": vectors.matrix})
    return vectors


def save_bundle(model: AnyModel, path: Path, *, force: bool = False, **record: dict[str, Any]) -> None:
    """Write a bundle. ``files.check_folder_place`` says what may be there already, and what ``force`` does.

    ``record`` may have the manifest's ``configuration``, ``task``, ``data``, ``figures``, ``calibration``.
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
    table_entry: dict[str, Any] = {}
    if vectors is not None and vectors.recipe is not None:
        table_entry = {"source": SHIPPED, "digest": vectors.recipe.digest}
        table_entry |= {"dimensions": vectors.dimensions, "words": len(vectors)}
    manifest = Manifest(
        format=FORMAT if vectors is None else FORMAT - 1,  # older versions read what they can
        version=VERSION,
        labels=list(model.labels),
        model=asdict(model.settings),
        vectors=table_entry,
        **record,
    )
    with folder_in_place(path, FILES, force=force) as folder:
        _write(model, manifest, folder)


def check_target(path: Path, *, force: bool = False) -> None:
    """Refuse to replace anything but a bundle; called before training, so that no work is lost."""
    check_folder_place(path, FILES, force=force)


def _write(model: AnyModel, manifest: Manifest, folder: Path) -> None:
    arrays = {f"{PREFIX}{name}": np.ascontiguousarray(value) for name, value in model.parameters.items()}
    if isinstance(model, EncoderModel):
        (folder / ENCODER).write_bytes(model.onnx)
        (folder / TOKENIZER).write_bytes(model.tokenizer)
    else:
        arrays |= list_table_arrays(model.vectors)
        if not manifest.vectors:
            words = "".join(f"{word}\n" for word in model.vectors.words)
            (folder / WORDS).write_text(words, encoding="utf-8", newline="\n")
    (folder / PARAMETERS).write_bytes(save(arrays))
    features = model.extractor.to_json() if model.extractor else None
    (folder / FEATURES).write_text(json.dumps(features, ensure_ascii=False), encoding="utf-8")
    # What UTF-8 can't write, such as the undecodable bytes of a file's name, becomes a question mark.
    (folder / CARD).write_text(model_card(manifest), encoding="utf-8", errors="replace")
    hashes = {name: hash_file(folder / name) for name in EVERY_FILE if (folder / name).is_file()}
    text = manifest_text(manifest.model_copy(update={"hashes": hashes}).to_json())
    (folder / MANIFEST).write_text(text, encoding="utf-8", errors="replace", newline="\n")


def load_bundle(path: Path) -> tuple[AnyModel, Manifest]:
    """Load a model and its manifest; BundleError if the folder is missing, damaged or too new."""
    manifest = read_manifest(path)
    with report_errors("The model", path):
        settings = ModelSettings(**manifest.model)
        content = {
            name: verified_bytes(path, name, expected=expected) for name, expected in manifest.hashes.items()
        }
        arrays = load(content[PARAMETERS])  # an error where the file is not what it declares
        size = int.from_bytes(content[PARAMETERS][:8], "little")
        json.loads(content[PARAMETERS][8 : 8 + size], object_pairs_hook=without_twins)
        known = () if manifest.is_encoder else RECIPE if manifest.vectors else (TABLE,)
        parameters = {name.removeprefix(PREFIX): value for name, value in arrays.items() if name not in known}
        described = json.loads(content[FEATURES].decode("utf-8"))
        extractor = None if described is None else FeatureExtractor.from_json(described)
        check_numbers(parameters)
        labels = tuple(manifest.labels)
        if not manifest.is_encoder:
            vectors = read_table(manifest, content, arrays)
            model = RelationModel(settings, labels, vectors, extractor, parameters)
            check_model(model)
            return model, manifest
        entities = None
        if settings.entity_size:
            entities = EntityTerm(**{name: parameters[name] for name in ENTITY_NAMES}, pairs=settings.pairs)
        directed = {name: row for name, row in parameters.items() if name.startswith(DIRECTION)}
        encoder = EncoderModel(
            settings,
            labels,
            content[ENCODER],
            content[TOKENIZER],
            parameters["W"],
            parameters["b"],
            extractor,
            parameters.get("F"),
            entities,
            {name.removeprefix(DIRECTION): row for name, row in directed.items()},
        )
    return encoder, manifest
