"""The documentation as it is built: no warning, nothing from outside, every page in its place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.docs.snippets import DOCS

yaml = pytest.importorskip("yaml")

ROOT = DOCS.parent
CONFIGURATION = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
# What makes a browser fetch something from elsewhere as soon as it shows the page.
OUTSIDE = re.compile(
    r"""<(?:img|script|iframe|source|video|audio|embed|object|use|image)\b[^>]*(?:src|href|data)="(?:https?:)?//
      | <link\b(?=[^>]*rel="(?:\S+\ )?(?:stylesheet|icon|(?:module)?preload|(?:dns-)?prefetch|preconnect))
        [^>]*href="(?:https?:)?//
      | (?:@import|url\()\s*['"]?(?:https?:)?//""",
    re.VERBOSE,
)


def _in_nav(entry: Any) -> Iterator[str]:
    if isinstance(entry, str):
        yield entry
    else:
        for inside in entry.values() if isinstance(entry, dict) else entry:
            yield from _in_nav(inside)


def test_every_page_is_in_the_navigation_once_and_there() -> None:
    listed = list(_in_nav(CONFIGURATION["nav"]))
    assert sorted(listed) == sorted(page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md"))


def test_every_page_is_built(site: Path) -> None:
    for page in _in_nav(CONFIGURATION["nav"]):
        built = site / Path(page).with_suffix(".html")
        assert built.is_file(), page
        headings = built.read_text(encoding="utf-8").count("<h1")
        assert headings == 1, f"{page}: one heading of the first level"


def test_nothing_is_fetched_from_outside(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 25
    for page in (*pages, *site.rglob("*.css")):
        content = page.read_text(encoding="utf-8")
        assert not OUTSIDE.findall(content), page.relative_to(site)
        assert 'class="mermaid"' not in content  # whose script the theme would fetch


def test_the_schema_can_be_downloaded(site: Path) -> None:
    shipped = ROOT / "src" / "disco2" / "inference" / "predictions.schema.json"
    assert (site / "reference" / "predictions.schema.json").read_bytes() == shipped.read_bytes()


def test_public_names_are_in_the_reference(site: Path) -> None:
    import disco2

    page = (site / "reference" / "python.html").read_text(encoding="utf-8")
    for name in disco2.__all__:
        if name != "__version__":
            assert re.search(rf'id="disco2\.(\w+\.)*{name}"', page), name
