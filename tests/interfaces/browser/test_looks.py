"""Light and dark, phone and projector, and what axe-core says about each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.interfaces.browser.helpers import OpenPage, arcs, expect
from tests.interfaces.server.served_process import Served

if TYPE_CHECKING:
    from playwright.sync_api import Page

PHONE = {"viewport": {"width": 360, "height": 740}}
LOOKS = {"light": {"color_scheme": "light"}, "dark phone": {**PHONE, "color_scheme": "dark"}}


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
def test_no_serious_fault_with_everything_open(open_page: OpenPage, server: Served, look: str) -> None:
    page = open_page(server.address, reduced_motion="reduce", **LOOKS[look])
    page.locator(".d2-comparison").wait_for()
    page.locator(".d2-entity input").last.check(force=True)
    page.locator(".d2-node").nth(7).click()
    page.get_by_role("button", name="Wrong").click()
    for summary in page.locator("#relations summary").all():
        summary.click()
    assert faults(page) == []
    page.get_by_role("button", name="With connectives").click()
    expect(page.locator(".d2-connective").first).to_be_visible()
    page.get_by_role("button", name="Guess first").click()
    arcs(page).first.click()
    expect(page.locator(".d2-guess")).to_be_visible()
    page.get_by_label("Your text").fill("")
    page.get_by_role("button", name="Find relations").click()
    expect(page.get_by_role("alert")).to_be_visible()
    assert faults(page) == []
    page.get_by_role("link", name="API").click()
    expect(page.get_by_role("heading", name="/v1/relations")).to_be_visible()
    assert faults(page) == []


def test_phone_has_nothing_beside_the_page(open_page: OpenPage, server: Served) -> None:
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
        page.locator(".d2-menu summary").click()
        assert page.evaluate(fits), name
    captions = [caption.bounding_box() for caption in page.locator(".d2-caption").all()]
    assert captions[1]["y"] > captions[0]["y"] + 50  # one tree below the other
    table = page.locator(".d2-scroll")
    table.evaluate("box => { box.scrollLeft = box.scrollWidth; }")
    table.scroll_into_view_if_needed()
    expect(table.locator("thead th").last).to_be_in_viewport(ratio=0.9)
    expect(table.locator("tbody th").first).to_be_in_viewport(ratio=0.9)  # the names of the rows stay
    page.get_by_label("Size").select_option("larger")
    assert page.evaluate(fits)
