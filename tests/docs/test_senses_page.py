"""The page of senses has every outcome of the model that ships, and no other."""

from __future__ import annotations

import re

from disco2.bundle import read_manifest
from disco2.shipped import find_model
from tests.docs.snippets import DOCS


def test_every_outcome_is_explained() -> None:
    page = (DOCS / "reference" / "senses.md").read_text(encoding="utf-8")
    explained = re.findall(r"^\| ([A-Z][\w.-]+) \| [^|]+ \| [^|]+ \|$", page, re.MULTILINE)
    assert sorted(explained) == sorted(read_manifest(find_model()).labels)
