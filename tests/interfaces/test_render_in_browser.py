"""Drawings in a notebook's page, in a real browser: each frame as high as what is in it, and no higher."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import disco2
from disco2.interfaces.notebook import framed
from tests.inference.small_pipeline import small_pipeline

CHROMIUM = shutil.which("chromium")
playwright = pytest.importorskip("playwright.sync_api")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Debian's chromium")


@pytest.fixture
def browser_page() -> Iterator[Any]:
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser.new_page(viewport={"width": 900, "height": 700})
        browser.close()


def test_frames_grow_and_shrink_with_what_is_chosen(browser_page: Any, tmp_path: Path) -> None:
    nlp = small_pipeline()
    frames = []
    for text in (
        "Ann is tall. Max is short. It rained all day.",
        "Bob likes tea. Ann prefers coffee. He left.",
    ):
        page = disco2.render(nlp(text), pipeline=nlp, jupyter=False)
        assert page is not None
        frames.append(framed(page))
    notebook = tmp_path / "notebook.html"
    notebook.write_text(f"<!DOCTYPE html><meta charset='utf-8'>{'<hr>'.join(frames)}", encoding="utf-8")
    faults: list[str] = []
    browser_page.on("pageerror", lambda fault: faults.append(str(fault)))
    browser_page.goto(notebook.as_uri())

    def settled_heights() -> list[float]:
        """Heights that stay as they are: a frame that grew because it grew would go on."""
        last: list[float] = []
        for _ in range(30):
            browser_page.wait_for_timeout(150)
            now = [frame.bounding_box()["height"] for frame in browser_page.query_selector_all("iframe")]
            if now == last:
                return now
            last = now
        raise AssertionError(f"The frames never come to rest: {last}")

    closed = settled_heights()
    inside = browser_page.frames[2]
    inside.locator(".d2-arc-label").first.click()
    inside.locator("svg.d2-trees").wait_for()
    opened = settled_heights()
    assert opened[0] == closed[0]
    assert opened[1] > closed[1] + 300
    inside.get_by_role("button", name="Close").click()
    assert settled_heights() == closed
    assert not faults
