"""What a bundle on disk looks like, how its files are read, and what its manifest says.

MODEL/
  bundle.json               the manifest: format, labels, settings, figures, a hash of every file
  parameters.safetensors    the parameters and the table of word vectors, or how to make it again
  words.txt                 the words of that table, one a line; where the table is stored
  features.json             the surface features that were selected (null without features)
  encoder.onnx              in place of words.txt where the kind is "encoder":
  tokenizer.json            the network that reads word pieces, and the table of these
  MODEL_CARD.md             for people: data, licence, figures, limits
"""

from __future__ import annotations

import hashlib
import json
import math
import os
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
    vectors that the model's table is made from; it is empty where the table is stored. ``digest`` guards the
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
        """The training relations of each label; empty where they were not recorded."""
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
        """What scores are divided by before they become probabilities; 1 where nothing was fitted."""
        return float(self.calibration.get("temperature", 1.0))

    @property
    def running_text_temperature(self) -> float:
        """The same where EntRel and NoRel are outcomes."""
        return float(self.calibration.get("running_text", self.temperature))

    def to_json(self) -> dict[str, Any]:
        content = asdict(self)
        return content | {"digest": digest(content)}


def manifest_text(content: dict[str, Any]) -> str:
    """The text of a manifest: one content has one text, so that a reader knows any other for damaged."""
    return json.dumps(content, indent=1, ensure_ascii=False)


def digest(content: dict[str, Any]) -> str:
    """A hash of the manifest's content, whatever the order of its keys."""
    text = json.dumps(content, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()


# Whatever is wrong inside a bundle becomes a BundleError that is safe to show.


REPAIR = "Copy the model again from where it came from, or train it anew with: disco2 train"
MOST_SAID = 400  # characters of a reason; a bundle may say as many as it likes


@contextmanager
def reported(what: str, place: Path) -> Iterator[None]:
    """Turn what goes wrong while ``what`` is read into a BundleError."""
    try:
        yield
    except BundleError as error:
        raise BundleError(tame(error.what), where=error.where or str(place), hint=error.hint) from error
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
        said = f"it lacks {said}" if isinstance(error, KeyError) else said
        said = said or "there is not enough memory" if isinstance(error, MemoryError) else said
        raise BundleError(
            f"{what} can't be read: {tame(said).rstrip('.')}.", where=str(place), hint=REPAIR
        ) from error


def tame(text: str) -> str:
    """Text of a bundle as a message may show it: not too long, and nothing that steers a terminal."""
    text = text if len(text) <= MOST_SAID else f"{text[:MOST_SAID]}..."
    return "".join(sign if sign.isprintable() else "?" for sign in text)


# The bytes of a bundle's file: read once, hashed as read, and never more of them than such a file may have.
#
# What is not an ordinary file (a pipe, a device, a folder) is refused before it is opened, so that nothing
# waits for it. A link is followed, as stores of models use them: the hash decides, wherever the bytes lie.


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
LARGE = 64 * MEGABYTE  # from here on, a file is hashed in pieces before room is made for all of it

_OPEN_FLAGS = (
    os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
)


def verified_bytes(folder: Path, name: str, *, expected: str) -> bytes:
    """The content of a file whose SHA-256 is the expected one; BundleError where it is missing or another."""
    try:
        descriptor = _open_file(folder, name)
    except (FileNotFoundError, NotADirectoryError):
        raise BundleError(f"The model lacks its file {name}.", where=str(folder), hint=REPAIR) from None
    try:
        if os.fstat(descriptor).st_size > LARGE:
            _compare_hashes(_hash_open_file(descriptor, folder, name), expected, folder, name)
            os.lseek(descriptor, 0, os.SEEK_SET)
        content = b"".join(_read_pieces(descriptor, folder, name))
    finally:
        os.close(descriptor)
    _compare_hashes(sha256(content).hexdigest(), expected, folder, name)
    return content


def hash_of(folder: Path, name: str) -> str:
    """The SHA-256 of a file, which is not held; BundleError where it is too large or no ordinary file."""
    descriptor = _open_file(folder, name)
    try:
        return _hash_open_file(descriptor, folder, name)
    finally:
        os.close(descriptor)


def unverified_bytes(folder: Path, name: str) -> bytes | None:
    """The content of a file, such as the manifest, which guards itself; None where there is no such file."""
    try:
        descriptor = _open_file(folder, name)
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        return b"".join(_read_pieces(descriptor, folder, name))
    finally:
        os.close(descriptor)


def _hash_open_file(descriptor: int, folder: Path, name: str) -> str:
    running = sha256()
    for piece in _read_pieces(descriptor, folder, name):
        running.update(piece)
    return running.hexdigest()


def _compare_hashes(found: str, expected: str, folder: Path, name: str) -> None:
    if found != expected:
        raise BundleError(
            f"The file {name} is damaged: its hash is not the recorded one.", where=str(folder), hint=REPAIR
        )


def _open_file(folder: Path, name: str) -> int:
    """A descriptor of an ordinary file that is not too large."""
    _check_file((folder / name).stat(), folder, name)  # before: opening a device may already do something
    descriptor = os.open(folder / name, _OPEN_FLAGS)
    try:
        _check_file(os.fstat(descriptor), folder, name)  # and after: it may have been put there in between
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _check_file(state: os.stat_result, folder: Path, name: str) -> None:
    if not stat.S_ISREG(state.st_mode):
        raise BundleError(f"{name} is not an ordinary file.", where=str(folder), hint=REPAIR)
    if state.st_size > MOST_BYTES[name]:
        raise _too_large_error(folder, name)


def _read_pieces(descriptor: int, folder: Path, name: str) -> Iterator[bytes]:
    """To the end of the file as it is, which need not be where its size was said to end."""
    total = 0
    while piece := os.read(descriptor, MEGABYTE):
        total += len(piece)
        if total > MOST_BYTES[name]:
            raise _too_large_error(folder, name)
        yield piece


def _too_large_error(folder: Path, name: str) -> BundleError:
    most = MOST_BYTES[name] // MEGABYTE
    return BundleError(
        f"{name} is too large: such a file has at most {most} megabytes.", where=str(folder), hint=REPAIR
    )


# ``bundle.json`` -> the manifest: whole to the last byte, of a format that is known, of the right types.


MOST_LEVELS = 50  # of lists and objects within each other; a written manifest has five or so
MOST_SIGNS_OF_VERSION = 100

_SHA256 = re.compile(r"[0-9a-f]{64}")
_LISTS_OF_DATA = ("automatic_layers", "licences_of_texts", "notes")
_OBJECTS = ("model", "configuration", "task", "data", "figures", "hashes", "calibration", "vectors")


def read_manifest(path: Path) -> Manifest:
    """The manifest of a bundle, checked against its own digest and this program's format."""
    file = path / MANIFEST
    with reported(MANIFEST, file):
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
        # The digest is of the content. A damage that does not change that (a space that became a tab, a digit
        # more at the end of a number, a name that comes twice) is seen by the text. Versions before this one
        # ended lines on Windows as Windows does.
        as_written = text.replace("\r\n", "\n") == manifest_text(content)
        found = content.pop("digest", None)
        if digest(content) != found:
            raise BundleError(
                f"{MANIFEST} is damaged: its hash is not the recorded one.", where=str(file), hint=REPAIR
            )
        if not as_written:
            raise BundleError(
                f"{MANIFEST} is damaged: it is not set out as it was written.", where=str(file), hint=REPAIR
            )
        return _checked_manifest(content)


def _check_levels(content: dict[str, Any]) -> None:
    """Raise ValueError where the manifest is nested so deeply that working with it would fail later."""
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
        if not isinstance(getattr(manifest, name), dict):
            raise ValueError(f"its '{name}' is not an object in braces")
    for section, settings in manifest.configuration.items():
        if not isinstance(settings, dict):
            raise ValueError(f"its 'configuration' has a section {section!r} that is not an object in braces")
    for name in _LISTS_OF_DATA:
        if not _is_texts(manifest.data.get(name, [])):
            raise ValueError(f"its 'data' have '{name}' that are not a list of texts")
    counts = manifest.data.get("label_counts", {})
    if not isinstance(counts, dict) or not all(_is_number(one) and one >= 0 for one in counts.values()):
        raise ValueError("its 'label_counts' are not numbers by label")
    offsets = manifest.data.get("offsets", {})
    if not isinstance(offsets, dict) or not all(
        _is_number(one) and abs(one) < 100 for one in offsets.values()
    ):
        raise ValueError("its 'offsets' are not numbers by label")
    version = manifest.version
    if not (
        isinstance(version, str) and version.isprintable() and 1 <= len(version) <= MOST_SIGNS_OF_VERSION
    ):
        raise ValueError("its 'version' is not the number of one")
    labels = manifest.labels
    if not labels or not _is_texts(labels):
        raise ValueError("its 'labels' are not a list of texts")
    if len(set(labels)) < len(labels):
        raise ValueError("a label occurs twice in it")
    _check_hashes(manifest)
    for name in ("temperature", "running_text"):
        temperature = manifest.calibration.get(name, 1.0)
        if not (_is_number(temperature) and 1e-3 <= temperature <= 1e3):
            raise ValueError("its temperature is not a number from 0.001 to 1000")
    return manifest


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _check_hashes(manifest: Manifest) -> None:
    """Raise ValueError unless the files of such a bundle, and no others, have a hash."""
    files = ENCODER_FILES if manifest.is_encoder else HASHED
    for name, expected in manifest.hashes.items():
        if name not in files:
            raise ValueError(f"it names a file {name!r}, which no such model has")
        if not (isinstance(expected, str) and _SHA256.fullmatch(expected)):
            raise ValueError(f"its hash of {name} is not one")
    for name in files:
        if name not in manifest.hashes and not (name == WORDS and manifest.vectors):
            raise ValueError(f"it has no hash of {name}")
