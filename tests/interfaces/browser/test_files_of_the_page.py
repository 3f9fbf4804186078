"""The page asks for what the server has, in an order that works."""

from __future__ import annotations

import re

import pytest

from disco2.drawing.layout import ASSETS, SCRIPTS, STYLES, asset_text

pytest.importorskip("starlette", reason='needs pip install "disco2[serve]"')


def test_page_loads_the_scripts_of_the_drawing_in_their_order() -> None:
    from disco2.interfaces.server.page_files import INDEX

    page = INDEX.read_text(encoding="utf-8")
    scripts = re.findall(r'<script[^>]* src="/assets/([^"]+)"', page)
    styles = re.findall(r'<link rel="stylesheet" href="/assets/([^"]+)"', page)
    assert tuple(name for name in scripts if name in SCRIPTS) == SCRIPTS
    assert tuple(styles[: len(STYLES)]) == STYLES


def test_server_has_every_file_of_the_page_and_no_other() -> None:
    from disco2.interfaces.server.page_files import ASSETS as SERVED
    from disco2.interfaces.server.page_files import INDEX

    asked = set(re.findall(r'"/assets/([^"]+)"', INDEX.read_text(encoding="utf-8")))
    assert asked == set(SERVED)
    assert all((folder / name).is_file() for name, folder in SERVED.items())
    assert set(ASSETS) <= asked


def test_no_script_writes_markup_or_runs_text() -> None:
    forbidden = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function")
    assert [name for name in SCRIPTS if forbidden.search(asset_text(name))] == []


def test_unknown_asset_is_refused() -> None:
    with pytest.raises(KeyError):
        asset_text("../trees.py")
