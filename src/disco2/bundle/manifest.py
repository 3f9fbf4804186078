"""What a bundle on disk looks like, how its files are read, and what its manifest says.

MODEL/
  bundle.json               the manifest: format, labels, settings, figures, a hash of every file
  parameters.safetensors    the parameters and the table of word vectors, or how to make it again
  words.txt                 the words of that table, one a line; only if the table is stored
  features.json             the surface features that were selected (null without features)
  encoder.onnx              in place of words.txt where the kind is "encoder":
  tokenizer.json            the network that reads word pieces, and the table of these
  MODEL_CARD.md             for people: data, licence, figures, limits
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from safetensors import SafetensorError

from disco2.errors import BundleError, Disco2Error
from disco2.files import read_regular_file
from disco2.shipped import MANIFEST

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
