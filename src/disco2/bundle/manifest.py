"""``bundle.json`` -> the manifest: whole to the last byte, of a format that is known, of the right types."""

from __future__ import annotations

import json
import math
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

from disco2.bundle.layout import (
    ENCODER_FILES,
    FORMAT,
    HASHED,
    MANIFEST,
    WORDS,
    Manifest,
    digest,
    manifest_text,
)
from disco2.bundle.reading import unverified_bytes
from disco2.bundle.refusal import REPAIR, reported
from disco2.errors import BundleError

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
        return _manifest(content)


def _check_levels(content: dict[str, Any]) -> None:
    """Raise ValueError where the manifest is nested so deeply that working with it would fail later."""
    level: list[Any] = [content]
    for _ in range(MOST_LEVELS):
        inner = [list(part.values()) if isinstance(part, dict) else part for part in level]
        level = [part for parts in inner for part in parts if isinstance(part, dict | list)]
        if not level:
            return
    raise ValueError(f"it is nested more than {MOST_LEVELS} levels deep")


def _manifest(content: dict[str, Any]) -> Manifest:
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
