"""The documentation as it is built: no warning, nothing from outside, every page in its place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tests.docs.snippets import DOCS

yaml = pytest.importorskip("yaml")

ROOT = DOCS.parent
CONFIGURATION = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
# Attributes that make a browser fetch something as soon as it shows the page.
FETCHED = {"img": "src", "script": "src", "iframe": "src", "source": "src", "video": "src", "audio": "src"}
FETCHED |= {"embed": "src", "object": "data", "use": "href", "image": "href"}
FETCHED_LINKS = ("stylesheet", "icon", "preload", "prefetch", "preconnect", "dns-prefetch", "modulepreload")


class _Fetched(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.headings: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "h1":
            self.headings.append("")
        if tag == "link" and set((given.get("rel") or "").split()) & set(FETCHED_LINKS):
            self.found.append(given.get("href") or "")
        elif tag in FETCHED:
            self.found.append(given.get(FETCHED[tag]) or "")
        self.found += re.findall(r"url\(([^)]+)\)", given.get("style") or "")

    def handle_data(self, data: str) -> None:
        if self.headings:
            self.headings[-1] += data


def _read(page: Path) -> _Fetched:
    parser = _Fetched()
    parser.feed(page.read_text(encoding="utf-8"))
    return parser


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
        assert len(_read(built).headings) == 1, f"{page}: one heading of the first level"


def test_nothing_is_fetched_from_outside(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 25
    for page in pages:
        outside = [url for url in _read(page).found if re.match(r"\s*['\"]?(https?:)?//", url)]
        assert not outside, f"{page.relative_to(site)}: {outside}"
        assert 'class="mermaid"' not in page.read_text(encoding="utf-8")  # whose script the theme would fetch
    for sheet in site.rglob("*.css"):
        assert not re.search(r"(@import|url\()\s*['\"]?(https?:)?//", sheet.read_text(encoding="utf-8")), (
            sheet
        )


def test_the_schema_can_be_downloaded(site: Path) -> None:
    shipped = ROOT / "src" / "disco2" / "inference" / "predictions.schema.json"
    assert (site / "reference" / "predictions.schema.json").read_bytes() == shipped.read_bytes()


def test_public_names_are_in_the_reference(site: Path) -> None:
    import disco2

    page = (site / "reference" / "python.html").read_text(encoding="utf-8")
    for name in disco2.__all__:
        if name != "__version__":
            assert re.search(rf'id="disco2\.(\w+\.)*{name}"', page), name
