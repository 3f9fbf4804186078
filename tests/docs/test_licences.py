"""The page of licences says what the models' own page says, and which extras bring copyleft."""

from __future__ import annotations

import re

import pytest

from tests.docs.loaded_tool import loaded_tool
from tests.docs.snippets import DOCS


@pytest.fixture(scope="module")
def page() -> str:
    return (DOCS / "licences.md").read_text(encoding="utf-8")


def test_the_licence_of_the_models_is_said(page: str) -> None:
    models = DOCS.parent / "src" / "disco2" / "models" / "english" / "README.md"
    assert "CC BY-NC-SA 4.0" in models.read_text(encoding="utf-8")
    assert "| CC BY-NC-SA 4.0 | **not for commercial use**" in page


def test_every_extra_that_brings_copyleft_is_named(page: str) -> None:
    """As far as its packages are installed; extras for developers are theirs to look up."""
    tool = loaded_tool("list_dependencies")
    said = page.partition("## Python packages")[2].partition("## Corpora")[0]
    for extra in tool.declared():
        for one in tool.dependencies(extra):
            if extra not in ("dev", "dev-full", "docs") and one.copyleft == "strong":
                assert re.search(rf"`{extra}`", said), f"{extra} brings {one.name}, {one.licence}"
