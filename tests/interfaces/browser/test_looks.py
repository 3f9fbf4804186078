"""Light and dark, phone and projector, and what axe-core says about each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.interfaces.browser.conftest import OpenPage
from tests.interfaces.browser.reading_the_page import arcs, colour, expect
from tests.interfaces.browser.server_process import ServerProcess

if TYPE_CHECKING:
    from playwright.sync_api import Page

PHONE = {"viewport": {"width": 360, "height": 740}}
LOOKS = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "phone": PHONE,
    "dark phone": {**PHONE, "color_scheme": "dark"},
}


def faults(page: Page) -> list[str]:
    """What axe-core finds that is serious or critical."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright-python")
    found = axe.Axe().run(page).response["violations"]
    return [
        f"{fault['id']}: {fault['nodes'][0]['html'][:160]}"
        for fault in found
        if fault["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("look", LOOKS)
def test_no_serious_fault_with_everything_open(open_page: OpenPage, server: ServerProcess, look: str) -> None:
    page = open_page(server.address, reduced_motion="reduce", **LOOKS[look])
    page.locator(".d2-comparison").wait_for()
    page.locator(".d2-entity input").last.check(force=True)
    page.locator(".d2-node").nth(7).click()
    for summary in page.locator(".d2-detail summary").all():
        summary.click()
    assert faults(page) == []
    page.get_by_role("button", name="With connectives").click()
    expect(page.locator(".d2-connective").first).to_be_visible()
    assert faults(page) == []
    page.get_by_label("Your text").fill("")
    page.get_by_role("button", name="Find relations").click()
    expect(page.get_by_role("alert")).to_be_visible()
    assert faults(page) == []


def test_phone_has_nothing_beside_the_page(open_page: OpenPage, server: ServerProcess) -> None:
    page = open_page(server.address, **PHONE)
    fits = "document.documentElement.scrollWidth <= innerWidth"
    page.locator(".d2-score").wait_for()
    assert page.evaluate(fits)
    for name in ("A story", "With connectives"):
        page.get_by_role("button", name=name).click()
        expect(page.get_by_role("button", name=name)).to_have_attribute("aria-pressed", "true")
        arcs(page).nth(3).wait_for()
        arcs(page).nth(2).click()
        page.locator(".d2-trees").wait_for()
        assert page.evaluate(fits), name
    page.get_by_label("Size").select_option("larger")
    assert page.evaluate(fits)


def test_phone_brings_answers_and_errors_into_sight(open_page: OpenPage, server: ServerProcess) -> None:
    page = open_page(server.address, **PHONE)
    arcs(page).wait_for()
    page.get_by_role("radio", name="He", exact=True).check(force=True)
    expect(page.locator(".d2-sentence").last).to_have_text("He was hungry.")
    expect(page.locator(".d2-document")).to_be_in_viewport()
    expect(page.get_by_role("radio", name="He", exact=True)).to_be_in_viewport()
    page.get_by_label("Your text").fill("")
    page.get_by_role("button", name="Find relations").click()
    expect(page.get_by_role("alert")).to_be_in_viewport()


def test_theme_is_kept_and_reaches_the_trees(open_page: OpenPage, server: ServerProcess) -> None:
    page = open_page(server.address, color_scheme="light")
    page.locator(".d2-trees").wait_for()
    grounds = [page.locator("body"), page.locator(".d2-document")]
    light = [colour(ground, "backgroundColor") for ground in grounds]
    paper = colour(page.locator(".d2-paper"), "fill")
    page.get_by_role("combobox", name="Colours").select_option("dark")
    assert all(
        colour(ground, "backgroundColor") != before for ground, before in zip(grounds, light, strict=True)
    )
    assert colour(page.locator(".d2-paper"), "fill") != paper
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.get_by_role("combobox", name="Colours").select_option("auto")
    assert [colour(ground, "backgroundColor") for ground in grounds] == light


def test_projector_makes_letters_larger(open_page: OpenPage, server: ServerProcess) -> None:
    page = open_page(server.address)
    arcs(page).wait_for()
    size = "parseFloat(getComputedStyle(document.querySelector('.d2-paragraph')).fontSize)"
    before = page.evaluate(size)
    page.get_by_label("Size").select_option("larger")
    assert page.evaluate(size) == pytest.approx(1.5 * before)


def test_arcs_are_where_the_sentences_are_on_paper(open_page: OpenPage, server: ServerProcess) -> None:
    """Chromium tells a page before it prints, and then lays it out anew without running a script."""
    page = open_page(server.address)
    arcs(page).wait_for()
    places = """selector => [...document.querySelectorAll(selector)].map(part => {
      const [box, flow] = [part, part.closest('.d2-flow')].map(one => one.getBoundingClientRect());
      return [box.left - flow.left, box.right - flow.left, box.top - flow.top, box.bottom - flow.top];
    })"""
    drawn, sentences = page.evaluate(
        f"""() => {{
          dispatchEvent(new Event('beforeprint'));
          return ['.d2-arc-ends', '.d2-sentence'].map({places}); // at once: no observer has come between
        }}"""
    )
    (begin, end, _, bottom), ((left, right, top, _), (other_left, other_right, *_)) = drawn[0], sentences
    assert left < begin < right
    assert other_left < end < other_right
    assert bottom == pytest.approx(top, abs=8)
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    expect(page.locator(".d2-on-paper")).to_have_count(0)
    expect(page.locator(".d2-few")).to_have_count(1)

    page.get_by_role("button", name="A story").click()
    expect(page.locator(".d2-sentence")).to_have_count(8)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    on_screen = page.evaluate(places, ".d2-sentence")
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 717, "height": 1000})  # A4
    assert len({round(top) for *_, top, _ in on_screen}) > 2  # lines
    for before, now in zip(on_screen, page.evaluate(places, ".d2-sentence"), strict=True):
        assert now == pytest.approx(before, abs=1)


def test_heads_of_the_score_table_stay_in_their_columns(open_page: OpenPage, server: ServerProcess) -> None:
    page = open_page(server.address, viewport={"width": 360, "height": 740})
    page.locator(".d2-score").wait_for()
    over = "cells => cells.filter(cell => cell.scrollWidth > cell.clientWidth).length"
    assert page.locator(".d2-score thead th").evaluate_all(over) == 0
    lines = """names => names.map(name => {
      const tops = new Set([...name.getClientRects()].map(rect => Math.round(rect.top)));
      return tops.size - name.textContent.split('.').length;
    })"""
    assert max(page.locator(".d2-score .d2-sense-name").evaluate_all(lines)) <= 0  # no word is broken


def test_paper_has_text_and_trees_without_controls(open_page: OpenPage, server: ServerProcess) -> None:
    page = open_page(server.address, color_scheme="dark")
    page.locator(".d2-trees").wait_for()
    page.emulate_media(media="print", color_scheme="dark")
    expect(page.locator(".d2-controls")).to_be_hidden()
    expect(page.locator("#ask")).to_be_hidden()
    expect(page.locator(".d2-trees")).to_be_visible()
    assert colour(page.locator(".d2-document"), "backgroundColor") == "rgb(255, 255, 255)"
