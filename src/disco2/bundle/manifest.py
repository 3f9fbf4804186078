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
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from hashlib import sha256
from pathlib import Path
from typing import Any

from safetensors import SafetensorError

from disco2.errors import BundleError, Disco2Error
from disco2.files import hash_file
from disco2.shipped import MANIFEST

FORMAT = 3  # the newest that can be read; 2: shipped word vectors by name, several members; 3: encoders

PARAMETERS = "parameters.safetensors"
WORDS = "words.txt"
FEATURES = "features.json"
ENCODER = "encoder.onnx"
TOKENIZER = "tokenizer.json"
CARD = "MODEL_CARD.md"

HASHED = (PARAMETERS, WORDS, FEATURES, CARD)  # of the paper's kinds
ENCODER_FILES = (PARAMETERS, FEATURES, ENCODER, TOKENIZER, CARD)
EVERY_FILE = tuple(dict.fromkeys((*HASHED, *ENCODER_FILES)))


@dataclass(frozen=True)
class Manifest:
    """The content of ``bundle.json``.

    ``configuration`` holds every setting the model was trained with, ``task`` what its labels mean, ``data``
    what it was trained on, and ``figures`` how well it did. ``calibration`` may hold the ``temperature`` that
    turns scores into probabilities, and another one for ``running_text``. ``vectors`` names the shipped word
    vectors that the model's table is made from; it is empty if the table is stored. ``digest`` guards the
    manifest itself.
    """

    format: int
    version: str  # of the package that wrote it
    labels: list[str]
    model: dict[str, Any]
    configuration: dict[str, Any] = field(default_factory=dict)
    task: dict[str, Any] = field(default_factory=dict)
    data: dict[str, Any] = field(default_factory=dict)
    figures: dict[str, Any] = field(default_factory=dict)
    hashes: dict[str, str] = field(default_factory=dict)
    calibration: dict[str, Any] = field(default_factory=dict)
    vectors: dict[str, Any] = field(default_factory=dict)

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
        return float(self.calibration.get("temperature", 1.0))

    @property
    def running_text_temperature(self) -> float:
        """The temperature if EntRel and NoRel are outcomes."""
        return float(self.calibration.get("running_text", self.temperature))

    def to_json(self) -> dict[str, Any]:
        content = asdict(self)
        return content | {"digest": digest(content)}


def manifest_text(content: dict[str, Any]) -> str:
    """The text of a manifest: one content has exactly one text, so that any other text is damaged."""
    return json.dumps(content, indent=1, ensure_ascii=False)


def digest(content: dict[str, Any]) -> str:
    """A hash of the manifest's content; the order of keys does not matter."""
    text = json.dumps(content, sort_keys=True, ensure_ascii=False)
    return sha256(text.encode(errors="replace")).hexdigest()


# Any error inside a bundle becomes a BundleError that is safe to show.


REPAIR = "Copy the model again from where it came from, or train it anew with: disco2 train"
MOST_SAID = 400  # characters of a reason


@contextmanager
def report_errors(what: str, place: Path) -> Iterator[None]:
    """Turn any error that occurs while ``what`` is read into a BundleError."""
    try:
        yield
    except BundleError as error:
        raise BundleError(
            make_printable(error.what), where=error.where or str(place), hint=error.hint
        ) from error
    except OSError as error:
        raise BundleError(
            f"{what} can't be read: {error.strerror or error}.", where=str(place), hint="Check its rights."
        ) from error
    except (
        ValueError,
        TypeError,
        LookupError,
        AttributeError,
        ArithmeticError,
        MemoryError,
        RecursionError,
        SafetensorError,
        Disco2Error,
    ) as error:
        said = error.what if isinstance(error, Disco2Error) else str(error)
        if isinstance(error, KeyError):
            said = f"it lacks {said}"
        elif isinstance(error, MemoryError):
            said = "there is not enough memory"
        raise BundleError(
            f"{what} can't be read: {make_printable(said).rstrip('.')}.", where=str(place), hint=REPAIR
        ) from error


def make_printable(text: str) -> str:
    """Text of a bundle as a message may show it: not too long, and nothing that steers a terminal."""
    text = text if len(text) <= MOST_SAID else f"{text[:MOST_SAID]}..."
    return "".join(sign if sign.isprintable() else "?" for sign in text)


# A file of a bundle is read once and hashed as read. What is not a regular file (a pipe, a device, a folder)
# is refused before it is opened, so that nothing waits for it. A link is followed: the hash decides.


MEGABYTE = 1 << 20
MOST_BYTES = {
    MANIFEST: 4 * MEGABYTE,
    CARD: 4 * MEGABYTE,
    FEATURES: 16 * MEGABYTE,
    WORDS: 1024 * MEGABYTE,
    PARAMETERS: 16 * 1024 * MEGABYTE,
    ENCODER: 2047 * MEGABYTE,  # Protocol Buffers has no larger messages
    TOKENIZER: 64 * MEGABYTE,
}


def verified_bytes(folder: Path, name: str, *, expected: str) -> bytes:
    """Read a file whose SHA-256 must be the expected one; BundleError if it is missing or different."""
    content = unverified_bytes(folder, name)
    if content is None:
        raise BundleError(f"The model lacks its file {name}.", where=str(folder), hint=REPAIR)
    if sha256(content).hexdigest() != expected:
        raise BundleError(
            f"The file {name} is damaged: its hash is not the recorded one.", where=str(folder), hint=REPAIR
        )
    return content


def hash_of(folder: Path, name: str) -> str:
    """The SHA-256 of a file; BundleError if it is too large or not a regular file."""
    _check_file(folder, name)
    return hash_file(folder / name)


def unverified_bytes(folder: Path, name: str) -> bytes | None:
    """The content of a file without a recorded hash, such as the manifest; None if there is no such file."""
    try:
        _check_file(folder, name)
        return (folder / name).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None


def _check_file(folder: Path, name: str) -> None:
    state = (folder / name).stat()
    if not stat.S_ISREG(state.st_mode):
        raise BundleError(f"{name} is not a regular file.", where=str(folder), hint=REPAIR)
    if state.st_size > MOST_BYTES[name]:
        most = MOST_BYTES[name] // MEGABYTE
        raise BundleError(
            f"{name} is too large: such a file has at most {most} megabytes.", where=str(folder), hint=REPAIR
        )


# ``bundle.json`` -> the manifest: whole to the last byte, of a format that is known, of the right types.


MOST_LEVELS = 50  # of lists and objects within each other; a written manifest has five or so
MOST_SIGNS_OF_VERSION = 100  # characters

_SHA256 = re.compile(r"[0-9a-f]{64}")
_LISTS_OF_DATA = ("automatic_layers", "licences_of_texts", "notes")
_OBJECTS = ("model", "configuration", "task", "data", "figures", "hashes", "calibration", "vectors")


def read_manifest(path: Path) -> Manifest:
    """The manifest of a bundle, checked against its own digest and this program's format."""
    file = path / MANIFEST
    with report_errors(MANIFEST, file):
        raw = unverified_bytes(path, MANIFEST)
        if raw is None:
            raise BundleError(
                f"There is no disco2 model: {MANIFEST} is missing.",
                where=str(path),
                hint="Give the folder that disco2 train wrote as --output.",
            )
        text = raw.decode("utf-8")
        content = json.loads(text)
        if not isinstance(content, dict):
            raise ValueError("it is not an object in braces")
        _check_levels(content)
        version = content.get("format")
        if not isinstance(version, int) or isinstance(version, bool) or version < 1:
            raise ValueError("it has no format number")
        if version > FORMAT:
            raise BundleError(
                f"The model has format {version}; this program reads formats up to {FORMAT}.",
                where=str(path),
                hint="Update the program with: pip install --upgrade disco2",
            )
        # The digest is of the content. The text must be the one that is written for this content, too: a
        # space that became a tab or a duplicate key does not change the digest. Older versions wrote the line
        # ends of Windows there.
        as_written = text.replace("\r\n", "\n") == manifest_text(content)
        found = content.pop("digest", None)
        if digest(content) != found or not as_written:
            raise BundleError(
                f"{MANIFEST} is damaged: its hash is not the recorded one.", where=str(file), hint=REPAIR
            )
        return _checked_manifest(content)


def _check_levels(content: dict[str, Any]) -> None:
    """Raise ValueError if the manifest is nested so deeply that later steps would fail."""
    level: list[Any] = [content]
    for _ in range(MOST_LEVELS):
        inner = [list(part.values()) if isinstance(part, dict) else part for part in level]
        level = [part for parts in inner for part in parts if isinstance(part, dict | list)]
        if not level:
            return
    raise ValueError(f"it is nested more than {MOST_LEVELS} levels deep")


def _checked_manifest(content: dict[str, Any]) -> Manifest:
    known = {declared.name for declared in fields(Manifest)}
    manifest = Manifest(**{name: value for name, value in content.items() if name in known})
    for name in _OBJECTS:
        _require(isinstance(getattr(manifest, name), dict), f"its '{name}' is not an object in braces")
    for section, settings in manifest.configuration.items():
        _require(isinstance(settings, dict), f"its configuration section {section!r} is not an object")
    for name in _LISTS_OF_DATA:
        _require(_is_texts(manifest.data.get(name, [])), f"its '{name}' is not a list of texts")
    for name, least, most in (("label_counts", 0, math.inf), ("offsets", -100, 100)):
        numbers = manifest.data.get(name, {})
        valid = isinstance(numbers, dict) and all(_is_number(one, least, most) for one in numbers.values())
        _require(valid, f"its '{name}' is not an object with a number for each label")
    version = manifest.version
    valid = isinstance(version, str) and version.isprintable() and 0 < len(version) <= MOST_SIGNS_OF_VERSION
    _require(valid, "its 'version' is not a version number")
    labels = manifest.labels
    _require(bool(labels) and _is_texts(labels), "its 'labels' are not a list of texts")
    _require(len(set(labels)) == len(labels), "a label occurs twice in it")
    for name in ("temperature", "running_text"):
        heat = manifest.calibration.get(name, 1.0)
        _require(_is_number(heat, 1e-3, 1e3), "its temperature is not a number from 0.001 to 1000")
    files = ENCODER_FILES if manifest.is_encoder else HASHED
    for name, expected in manifest.hashes.items():
        _require(name in files, f"it names a file {name!r}, which no such model has")
        valid = isinstance(expected, str) and _SHA256.fullmatch(expected) is not None
        _require(valid, f"its hash of {name} is not a SHA-256")
    for name in files:
        may_lack = name == WORDS and bool(manifest.vectors)
        _require(name in manifest.hashes or may_lack, f"it has no hash of {name}")
    return manifest


def _require(condition: bool, otherwise: str) -> None:
    if not condition:
        raise ValueError(otherwise)


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _is_number(value: Any, least: float, most: float) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return is_number and least <= value <= most
