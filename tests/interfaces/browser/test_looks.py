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
