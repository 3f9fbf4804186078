"""SECURITY.md names tests that exist, and versions that pyproject.toml asks for."""

from __future__ import annotations

import re
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from tests.conftest import ROOT

PAGE = (ROOT / "SECURITY.md").read_text(encoding="utf-8")


def section(heading: str) -> str:
    return PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def rows(heading: str) -> list[list[str]]:
    """The table of a section, without its head."""
    lines = [line for line in section(heading).splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


def test_every_file_that_is_named_exists() -> None:
    named = re.findall(r"`((?:tests|docs|tools|src)/[\w/.-]+)`|\]\(((?!http)[\w/.-]+)\)", PAGE)
    paths = {path for pair in named for path in pair if path}
    assert len(paths) > 20
    for path in paths:
        assert (ROOT / path).is_file(), path


def test_every_promise_names_a_file_with_tests() -> None:
    promises = rows("What is promised, and what tests it")
    assert len(promises) > 15
    for promise, named, tried in promises:
        assert tried, promise
        files = re.findall(r"`(tests/[\w/]+\.py)`", named)
        assert any(
            re.search(r"^(async )?def test_", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)
            for file in files
        ), promise


def minimums() -> dict[str, Version]:
    """The lowest version that pyproject.toml allows, for every package that it names with one."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = [
        *project["dependencies"],
        *(one for of in project["optional-dependencies"].values() for one in of),
    ]
    found: dict[str, Version] = {}
    for requirement in map(Requirement, lines):
        for bound in requirement.specifier:
            if bound.operator in (">=", "=="):
                found[requirement.name.lower()] = Version(bound.version)
    return found


@pytest.mark.parametrize("row", rows("Dependencies"), ids=lambda row: row[0])
def test_no_version_with_an_advisory_is_allowed(row: list[str]) -> None:
    name, first, *_ = row
    allowed = minimums()
    assert name in allowed, f"{name} is not named in pyproject.toml"
    assert allowed[name] >= Version(first)
