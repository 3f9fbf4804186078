"""The page asks for what the server has, in an order that works."""

from __future__ import annotations

import re

import pytest

from disco2.drawing.layout import ASSETS, SCRIPTS, STYLES, asset_text

pytest.importorskip("starlette", reason='needs pip install "disco2[serve]"')


def test_page_loads_the_scripts_of_the_drawing_in_their_order() -> None:
    from disco2.interfaces.server.app import PAGE_FOLDER

    page = (PAGE_FOLDER / "index.html").read_text(encoding="utf-8")
    scripts = re.findall(r'<script[^>]* src="/assets/([^"]+)"', page)
    styles = re.findall(r'<link rel="stylesheet" href="/assets/([^"]+)"', page)
    assert tuple(name for name in scripts if name in SCRIPTS) == SCRIPTS
    assert tuple(styles[: len(STYLES)]) == STYLES


def test_the_page_uses_every_file() -> None:
    from disco2.interfaces.server.app import PAGE_FOLDER

    used = set(re.findall(r'"/assets/([^"]+)"', (PAGE_FOLDER / "index.html").read_text(encoding="utf-8")))
    assert used == {file.name for file in PAGE_FOLDER.iterdir()} - {"index.html"} | set(ASSETS)


def test_no_script_writes_markup_or_runs_text() -> None:
    forbidden = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function")
    assert [name for name in SCRIPTS if forbidden.search(asset_text(name))] == []


def test_unknown_asset_is_refused() -> None:
    with pytest.raises(KeyError):
        asset_text("../trees.py")
