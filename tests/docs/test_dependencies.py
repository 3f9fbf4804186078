"""The page of dependencies names what pyproject.toml asks for, and nobody is bound by the base install."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from types import ModuleType

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.docs.loaded_tool import loaded_tool
from tests.docs.snippets import DOCS

PAGE = DOCS / "reference" / "dependencies.md"
PERMISSIVE = re.compile(r"\b(MIT|BSD|0BSD|Apache|ISC|PSF|Python Software Foundation|Zlib|MPL)")


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    return loaded_tool("list_dependencies")


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


def licences_in(section: str) -> dict[str, str]:
    rows = re.findall(r"^\| (?:\*\*)?([\w.-]+)(?:\*\*)? \|[^|]*\|[^|]*\| ([^|]+) \|", section, re.MULTILINE)
    return {name: licence for name, licence in rows if name not in ("package", "---")}


def test_every_direct_dependency_of_every_extra_is_named_with_its_bounds(
    tool: ModuleType, sections: dict[str, str]
) -> None:
    declared = tool.declared()
    assert {"", "serve", "cluster", "parquet", "dev-full"} <= declared.keys() == sections.keys()
    for extra, requirements in declared.items():
        rows = dict(re.findall(r"^\| \*\*([\w.-]+)\*\* \| (\S+) \|", sections[extra], flags=re.MULTILINE))
        for requirement in own(requirements):
            row = rows.get(canonicalize_name(requirement.name))
            assert row is not None, f"{requirement.name} is missing: run python tools/list_dependencies.py"
            assert row == (f"`{requirement.specifier}`" if requirement.specifier else "any")


def test_versions_were_installed_where_the_page_was_made(sections: dict[str, str]) -> None:
    for name in ("", "serve", "fast", "cluster", "parquet", "tune"):
        assert "not tested" not in sections[name], name


def test_no_package_of_the_base_install_has_a_strong_copyleft_licence(tool: ModuleType) -> None:
    found = tool.dependencies("")
    assert len(found) > 20
    for one in found:
        if one.version:  # others are for another system, or another version of Python
            assert one.copyleft != "strong", f"{one.name}: {one.licence}"
            assert PERMISSIVE.search(one.licence), f"{one.name}: {one.licence}"


def test_the_page_says_so_too(tool: ModuleType, sections: dict[str, str]) -> None:
    licences = licences_in(sections[""])
    assert len(licences) > 20
    assert not [name for name, said in licences.items() if tool.STRONG.search(said)]
    text = PAGE.read_text(encoding="utf-8")
    assert re.search(r"^\| gensim \| LGPL-2.1-only \| strong \| `word2vec`", text, re.MULTILINE)
    assert re.search(r"^\| certifi \| MPL-2.0 \| weak \| the base install", text, re.MULTILINE)


@pytest.mark.parametrize(
    ("licence", "kind"),
    [
        ("GPL-3.0-or-later", "strong"),
        ("GNU Lesser General Public License v2", "strong"),
        ("LGPL-2.1-only", "strong"),
        ("AGPL-3.0", "strong"),
        ("MPL-2.0 AND MIT", "weak"),
        ("MIT", ""),
        ("BSD-3-Clause", ""),
        ("CC-BY-NC-4.0", "strong"),
    ],
)
def test_kinds_of_licences(tool: ModuleType, licence: str, kind: str) -> None:
    assert tool.Dependency("a", "", "1", licence, ()).copyleft == kind


def test_installed_packages_have_the_licences_of_the_page(tool: ModuleType, sections: dict[str, str]) -> None:
    """Those of the base install; a package that changes its licence is to be looked at."""
    for name, said in licences_in(sections[""]).items():
        try:
            found = tool.licence_of(distribution(name))
        except PackageNotFoundError:
            continue
        assert re.split("[-, ]", said)[0] in found, f"{name}: {found}, on the page: {said}"
