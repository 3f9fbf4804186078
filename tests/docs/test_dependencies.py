"""The pages of dependencies and licences name what pyproject.toml asks for, and its licences."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.docs.snippets import DOCS
from tools import list_dependencies as tool

PAGE = DOCS / "reference" / "dependencies.md"
PERMISSIVE = re.compile(r"\b(MIT|BSD|0BSD|Apache|ISC|PSF|Python Software Foundation|Zlib|MPL)")


@pytest.fixture(scope="module")
def sections() -> dict[str, str]:
    """The page's text by extra; the base install's under the empty name."""
    parts = re.split(r"^## (.*)$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    found = {}
    for heading, text in zip(parts[1::2], parts[2::2], strict=True):
        if heading == "The base install" or heading.startswith("Extra "):
            found[heading.removeprefix("Extra ").strip("`") if heading != "The base install" else ""] = text
    return found


def own(requirements: list[Requirement]) -> Iterator[Requirement]:
    return (one for one in requirements if canonicalize_name(one.name) != "disco2")


def test_every_direct_dependency_of_every_extra_is_named_with_its_bounds(sections: dict[str, str]) -> None:
    declared = tool.declared()
    assert {"", "serve", "cluster", "parquet", "dev-full"} <= declared.keys() == sections.keys()
    for extra, requirements in declared.items():
        rows = dict(re.findall(r"^\| \*\*([\w.-]+)\*\* \| (\S+) \|", sections[extra], flags=re.MULTILINE))
        for requirement in own(requirements):
            row = rows.get(canonicalize_name(requirement.name))
            assert row is not None, f"{requirement.name} is missing: run python tools/list_dependencies.py"
            assert row == (f"`{requirement.specifier}`" if requirement.specifier else "any")


def test_no_package_of_the_base_install_has_a_strong_copyleft_licence() -> None:
    found = tool.dependencies("")
    assert len(found) > 20
    for one in found:
        if one.version:  # others are for another system, or another version of Python
            assert one.copyleft != "strong", f"{one.name}: {one.licence}"
            assert PERMISSIVE.search(one.licence), f"{one.name}: {one.licence}"


def test_every_extra_that_brings_copyleft_is_named() -> None:
    """As far as its packages are installed; extras for developers are theirs to look up."""
    page = (DOCS / "licences.md").read_text(encoding="utf-8")
    assert "| CC BY-NC-SA 4.0 | **not for commercial use**" in page  # of the models
    said = page.partition("## Python packages")[2].partition("## Corpora")[0]
    for extra in tool.declared():
        for one in tool.dependencies(extra):
            if extra not in ("dev", "dev-full", "docs") and one.copyleft == "strong":
                assert f"`{extra}`" in said, f"{extra} brings {one.name}, {one.licence}"
