"""Checked reading of the lists that describe a fitted extractor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from disco2.errors import BundleError, SettingsError
from disco2.features.settings import FeatureSettings


def stored_rows(data: Mapping[str, Any], family: str, *types: type) -> tuple[tuple[Any, ...], ...]:
    """The rows of a family, each a list of values of the given types, no two alike; else BundleError."""
    rows = data.get(family)
    if not isinstance(rows, list):
        raise damaged(family)
    for row in rows:
        if not isinstance(row, list) or [type(value) for value in row] != list(types):
            raise damaged(family)
    found = tuple(tuple(row) for row in rows)
    if len(set(found)) < len(found):
        raise damaged(family)
    return found


def stored_texts(data: Mapping[str, Any], family: str, *, wanted: bool) -> tuple[str, ...]:
    """The texts of a family, no two alike; else BundleError. Where it is not wanted it may be missing."""
    texts = data.get(family, None if wanted else [])
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise damaged(family)
    if len(set(texts)) < len(texts) or (texts and not wanted):
        raise damaged(family)
    return tuple(texts)


def stored_settings(data: Any) -> FeatureSettings:
    """The settings of a stored extractor; BundleError where there is no such thing."""
    if not isinstance(data, Mapping) or not isinstance(data.get("settings"), Mapping):
        raise damaged("settings")
    try:
        return FeatureSettings(**data["settings"])
    except (SettingsError, TypeError) as error:
        raise damaged("settings") from error


def damaged(part: str) -> BundleError:
    return BundleError(
        f"The stored surface features have no usable {part}.",
        hint="Take a fresh copy of the model, or train it again.",
    )
