"""Who may import whom: the table in ARCHITECTURE.md, held."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import disco2
from tests.conftest import ROOT

PACKAGE = Path(disco2.__file__).parent
OPEN_TO_ALL = {*("errors", "files", "settings", "shipped", "threads", "version")}


def read_table() -> dict[str, set[str]]:
    """Folder -> folders it may import, as ARCHITECTURE.md has it."""
    rows = re.findall(
        r"^\| ([a-z, ]+) \| ([a-z, ]+) \|$", (ROOT / "ARCHITECTURE.md").read_text(), re.MULTILINE
    )
    table: dict[str, set[str]] = {}
    for folders, imports in rows:
        if folders not in ("folder", "change"):
            allowed = set() if imports == "nothing of ours" else set(imports.split(", "))
            table |= dict.fromkeys(folders.split(", "), allowed)
    return table


MAY_IMPORT = read_table()


def imported_folders(file: Path) -> set[str]:
    """The folders of this package that a file imports, wherever in the file it does so."""
    folders = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative import"
            names = [node.module or ""]
        folders |= {name.split(".")[1] for name in names if name.startswith("disco2.")}
    return folders


@pytest.mark.parametrize("folder", MAY_IMPORT)
def test_a_folder_imports_only_what_it_may(folder: str) -> None:
    allowed = MAY_IMPORT[folder] | OPEN_TO_ALL | {folder}
    for file in (PACKAGE / folder).rglob("*.py"):
        assert imported_folders(file) <= allowed, file


def test_every_folder_is_in_the_table() -> None:
    folders = {
        folder.name for folder in PACKAGE.iterdir() if folder.is_dir() and folder.name != "__pycache__"
    }
    assert folders == MAY_IMPORT.keys() | {"interfaces"}


def test_modules_open_to_all_import_no_folder() -> None:
    for name in OPEN_TO_ALL:
        assert imported_folders(PACKAGE / f"{name}.py") <= OPEN_TO_ALL


def test_no_file_is_much_longer_than_a_screenful_of_screens() -> None:
    lengths = {file: len(file.read_text(encoding="utf-8").splitlines()) for file in PACKAGE.rglob("*.py")}
    assert max(lengths.values()) <= 500, max(lengths, key=lambda file: lengths[file])
