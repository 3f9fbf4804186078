"""The files of the page, and the page that carries its data: the same drawing without a server."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import disco2
from disco2.drawing import relations_html
from disco2.drawing.layout import ASSETS, SCRIPTS, STYLES, asset_text
from disco2.inference.prediction import text_result
from disco2.interfaces.notebook import framed
from tests.drawing.made_up import HOSTILE, pipeline
from tests.interfaces.browser.helpers import OpenPage, arcs, expect

TEXT = f"Bob gave Tina the burger. She was hungry. {HOSTILE} made Bob laugh."


def write_page(folder: Path, *, kind: str = "entities", views: int | None = 2) -> str:
    nlp = pipeline(kind)
    document = nlp.annotate(TEXT)
    predictions = nlp.relations(document)
    shown = None if views is None else [nlp.view(one) for one in predictions[:views]]
    page = folder / "relations.html"
    page.write_text(relations_html(text_result(nlp, document, predictions), shown), encoding="utf-8")
    return page.as_uri()


def test_arcs_trees_and_bars_work_from_a_file(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(write_page(tmp_path))
    count = arcs(page).count()
    assert count >= 2
    expect(page.locator(".d2-flow")).to_contain_text(HOSTILE)
    arcs(page).first.click()
    expect(page.locator(".d2-trees .d2-node").first).to_be_visible()
    expect(page.locator(".d2-score")).to_be_visible()
    page.locator(".d2-entity input").nth(1).check(force=True)
    expect(page.locator(".d2-trees")).to_have_attribute("data-chain", "c0")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download the SVG").click()
    assert 'stroke="rgb(' in Path(waiting.value.path()).read_text(encoding="utf-8")


def test_the_page_uses_every_file_in_the_order_of_the_drawing() -> None:
    pytest.importorskip("starlette", reason='needs pip install "disco2[serve]"')
    from disco2.interfaces.server.app import PAGE_FOLDER

    page = (PAGE_FOLDER / "index.html").read_text(encoding="utf-8")
    used = re.findall(r'"/assets/([^"]+)"', page)
    assert tuple(name for name in used if name in SCRIPTS) == SCRIPTS
    assert tuple(name for name in used if name in STYLES) == STYLES
    others = {"index.html", "docs.html"}
    assert set(used) == {file.name for file in PAGE_FOLDER.iterdir()} - others | set(ASSETS)


def test_no_script_writes_markup_or_runs_text() -> None:
    forbidden = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function")
    assert [name for name in SCRIPTS if forbidden.search(asset_text(name))] == []


def test_frames_of_a_notebook_grow_and_shrink_with_what_is_chosen(
    open_page: OpenPage, tmp_path: Path
) -> None:
    nlp = pipeline("entities")
    texts = ("Ann is tall. Max is short. It rained all day.", "Bob likes tea. Ann prefers coffee. He left.")
    frames = [framed(disco2.render(nlp(text), pipeline=nlp, jupyter=False) or "") for text in texts]
    notebook = tmp_path / "notebook.html"
    notebook.write_text(f"<!DOCTYPE html><meta charset='utf-8'>{'<hr>'.join(frames)}", encoding="utf-8")
    page = open_page(notebook.as_uri())

    def settled_heights() -> list[float]:
        """Heights that stay as they are: a frame that grew because it grew would go on."""
        last: list[float] = []
        for _ in range(30):
            page.wait_for_timeout(150)
            now = [frame.bounding_box()["height"] for frame in page.query_selector_all("iframe")]
            if now == last:
                return now
            last = now
        raise AssertionError(f"The frames never come to rest: {last}")

    closed = settled_heights()
    inside = page.frames[2]
    inside.locator(".d2-arc-label").first.click()
    inside.locator("svg.d2-trees").wait_for()
    opened = settled_heights()
    assert opened[0] == closed[0]
    assert opened[1] > closed[1] + 300
    inside.get_by_role("button", name="Close").click()
    assert settled_heights() == closed
