"""Who may import whom: the table in ARCHITECTURE.md, held."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import disco2
from tests.conftest import ROOT

PACKAGE = Path(disco2.__file__).parent
OPEN_TO_ALL = {
    "errors",
    "files",
    "lock",
    "settings",
    "shipped",
    "templates",
    "threads",
    "twin_keys",
    "version",
}


def table_of_rooms() -> dict[str, set[str]]:
    """Room -> rooms it may import, as ARCHITECTURE.md has it."""
    rows = re.findall(
        r"^\| ([a-z, ]+) \| ([a-z, ]+) \|$", (ROOT / "ARCHITECTURE.md").read_text(), re.MULTILINE
    )
    table: dict[str, set[str]] = {}
    for rooms, imports in rows:
        if rooms != "room" and not rooms.startswith("to see"):
            allowed = set() if imports == "nothing of ours" else set(imports.split(", "))
            table |= dict.fromkeys(rooms.split(", "), allowed)
    return table


MAY_IMPORT = table_of_rooms()


def imported_rooms(file: Path) -> set[str]:
    """The rooms of this package that a file imports, wherever in the file it does so."""
    rooms = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative import"
            names = [node.module or ""]
        rooms |= {name.split(".")[1] for name in names if name.startswith("disco2.")}
    return rooms


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_a_room_imports_only_what_it_may(room: str) -> None:
    allowed = MAY_IMPORT[room] | OPEN_TO_ALL | {room}
    for file in (PACKAGE / room).rglob("*.py"):
        assert imported_rooms(file) <= allowed, file


def test_every_room_is_in_the_table() -> None:
    rooms = {folder.name for folder in PACKAGE.iterdir() if folder.is_dir() and folder.name != "__pycache__"}
    assert rooms == MAY_IMPORT.keys() | {"interfaces"}


def test_modules_open_to_all_import_no_room() -> None:
    for name in OPEN_TO_ALL:
        assert imported_rooms(PACKAGE / f"{name}.py") <= OPEN_TO_ALL


def test_no_file_is_much_longer_than_a_screenful_of_screens() -> None:
    lengths = {file: len(file.read_text(encoding="utf-8").splitlines()) for file in PACKAGE.rglob("*.py")}
    assert max(lengths.values()) <= 500, max(lengths, key=lambda file: lengths[file])
