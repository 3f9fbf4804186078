"""Declaration of settings: one declaration checks, prints and documents a setting."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import Field, field, fields
from reprlib import repr as shortened
from typing import Any

from disco2.errors import SettingsError

_LARGEST = 2**63 - 1
_TYPES = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text in quotes",
    tuple: "a list of texts",
}


def setting(
    default: Any,
    doc: str,
    *,
    choices: tuple[str, ...] = (),
    minimum: float | None = None,
    above: float | None = None,
    below: float | None = None,
) -> Any:  # Any, as dataclasses.field does it: the attribute keeps its own type
    """A dataclass field with a one-line explanation and the values it may take."""
    metadata = {"doc": doc, "choices": choices, "minimum": minimum, "above": above, "below": below}
    return field(default=default, metadata=metadata)


class Settings:
    """Base class of all dataclasses of settings; values are checked when an object is created."""

    def __post_init__(self) -> None:
        for declared in fields(self):  # type: ignore[arg-type]  # only dataclasses derive from this
            object.__setattr__(self, declared.name, _checked(declared, getattr(self, declared.name)))


def _checked(declared: Field[Any], value: Any) -> Any:
    name, default, hint = declared.name, declared.default, declared.metadata["doc"]
    if isinstance(default, tuple) and isinstance(value, list | tuple):
        value = tuple(value)
        fits = all(isinstance(item, str) for item in value)
    elif isinstance(default, bool) or isinstance(value, bool):
        fits = isinstance(default, bool) and isinstance(value, bool)
    elif isinstance(default, float):
        fits = isinstance(value, int | float) and abs(value) <= sys.float_info.max  # False for NaN, too
        value = float(value) if fits else value
    elif isinstance(default, int):
        fits = isinstance(value, int) and abs(value) <= _LARGEST
    else:
        fits = isinstance(value, type(default))
    if not fits:
        raise SettingsError(f"{name} must be {_TYPES[type(default)]}, not {_shown(value)}.", hint=hint)
    if wanted := _wanted(value, declared.metadata):
        raise SettingsError(f"{name} is {_shown(value)}; it must be {wanted}.", hint=hint)
    return value


def _wanted(value: Any, bounds: Mapping[str, Any]) -> str:
    """The condition that a value violates; empty if it is valid."""
    choices, minimum, above, below = (bounds[name] for name in ("choices", "minimum", "above", "below"))
    if choices and value not in choices:
        return f"one of: {', '.join(choices)}"
    if minimum is not None and value < minimum:
        return f"at least {minimum}"
    if above is not None and value <= above:
        return f"above {above}"
    if below is not None and value >= below:
        return f"below {below}"
    return ""


def _shown(value: Any) -> str:
    try:
        return shortened(value)
    except ValueError:  # Python writes no number of thousands of digits
        return "what was given"
