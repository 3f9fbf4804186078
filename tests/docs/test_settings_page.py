"""The page of settings says what ``disco2 train --print-config`` says."""

from __future__ import annotations

import re
from dataclasses import fields
from types import ModuleType

import pytest

from disco2.corpora.tasks import DataSettings
from disco2.experiments.configuration import Configuration, commented_toml
from disco2.training.encoder import StagePlan
from tests.docs.loaded_tool import loaded_tool
from tests.docs.snippets import DOCS

PAGE = DOCS / "reference" / "settings.md"


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    return loaded_tool("make_settings_reference")


def test_the_page_is_as_the_tool_makes_it(tool: ModuleType) -> None:
    made = tool.settings_page()
    assert PAGE.read_text(encoding="utf-8") == made, "run: python tools/make_settings_reference.py"


def test_every_setting_is_on_the_page() -> None:
    toml, page = commented_toml(Configuration()), PAGE.read_text(encoding="utf-8")
    section = ""
    names = []
    for line in toml.splitlines():
        if found := re.fullmatch(r"\[(\w+)\]", line):
            section = found[1]
        elif found := re.match(r"(\w+) = ", line):
            names.append(f"{section}.{found[1]}")
    assert len(names) > 50
    names += [f"data.{one.name}" for one in fields(DataSettings)]
    names += [f"stage.{one.name}" for one in fields(StagePlan)]
    assert re.findall(r"^\| `([\w.]+)` \|", page, flags=re.MULTILINE) == names
