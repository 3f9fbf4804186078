"""All targets, the code that reads instrumented for atheris; nothing of ours may have been imported before.

Only readers are instrumented: branches of other code say nothing about an input, and functions that numba
compiles must stay as they are.
"""

from __future__ import annotations

import contextlib
import io
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import atheris

if TYPE_CHECKING:
    from tests.fuzzing.target import Target

PACKAGE = "disco2"
READERS = (
    *("annotation", "bundle", "corpora", "experiments.configuration", "experiments.runs"),
    *("features.stored_rows", "inference", "interfaces.server", "data", "settings"),
    "vectors",
)
NO_READERS = ("annotation.english",)  # they make layers and read none


def instrumented_targets() -> dict[str, Target]:
    """The targets by name, as ``all_targets`` has them."""
    assert PACKAGE not in sys.modules, "too late: what is imported already can't be instrumented"
    said = io.StringIO()  # atheris names every module
    with (
        contextlib.redirect_stderr(said),
        atheris.instrument_imports(include=[PACKAGE], exclude=_modules_left_alone()),
    ):
        from tests.fuzzing.target import all_targets

        return all_targets()


def _modules_left_alone() -> list[str]:
    spec = find_spec(PACKAGE)
    assert spec is not None
    assert spec.submodule_search_locations
    root = Path(spec.submodule_search_locations[0])
    found = []
    for file in root.rglob("*.py"):
        parts = file.relative_to(root).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        if not _is_in(name, READERS) or _is_in(name, NO_READERS):
            found.append(f"{PACKAGE}.{name}".rstrip("."))
    return found


def _is_in(name: str, rooms: tuple[str, ...]) -> bool:
    return any(name == room or name.startswith(f"{room}.") for room in rooms)
