"""Everything without a mouse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.interfaces.browser.conftest import OpenPage
from tests.interfaces.browser.reading_the_page import arcs, expect
from tests.interfaces.browser.server_process import ServerProcess

if TYPE_CHECKING:
    from playwright.sync_api import Page

MOST_STEPS = 60


def tab_to(page: Page, selector: str) -> None:
    """Press the tabulator key until an element that the selector fits has the focus."""
    for _ in range(MOST_STEPS):
        page.keyboard.press("Tab")
        if page.evaluate("wanted => document.activeElement.matches(wanted)", selector):
            return
    raise AssertionError(f"{selector} can't be reached")


def focused(page: Page, what: str) -> str:
    found: str = page.evaluate(f"String(document.activeElement.{what})")
    return found


def test_from_typing_to_the_parts_of_the_score(open_page: OpenPage, server: ServerProcess) -> None:
    page = open_page(server.address)
    arcs(page).wait_for()
    tab_to(page, "#text")
    page.keyboard.press("Control+A")
    page.keyboard.type("Ann lost her keys. She called Ben. He had a second pair.")
    page.keyboard.press("Control+Enter")
    expect(arcs(page)).to_have_count(2)

    tab_to(page, ".d2-arc-label")
    assert "from sentence 1 to sentence 2" in focused(page, "ariaLabel")
    page.keyboard.press("ArrowRight")
    assert "from sentence 2 to sentence 3" in focused(page, "ariaLabel")
    page.keyboard.press("ArrowRight")  # there is no further one
    assert "from sentence 2 to sentence 3" in focused(page, "ariaLabel")
    page.keyboard.press("Home")
    assert "from sentence 1 to sentence 2" in focused(page, "ariaLabel")
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    page.locator(".d2-trees").wait_for()
    expect(page.locator(".d2-detail-head")).to_contain_text("sentence 2 to sentence 3")

    tab_to(page, ".d2-step")
    page.keyboard.press("Space")
    expect(page.locator(".d2-below-trees")).to_contain_text("Height 0 of")
    tab_to(page, ".d2-slider")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".d2-below-trees")).to_contain_text("Height 1 of")
    tab_to(page, ".d2-entity input")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".d2-trees")).to_have_attribute("data-chain", "c0")

    tab_to(page, ".d2-node")
    assert focused(page, "dataset.arg") == "1"
    page.keyboard.press("ArrowRight")  # from root to root
    assert focused(page, "dataset.arg") == "2"
    root = focused(page, "dataset.node")
    page.keyboard.press("ArrowDown")
    assert focused(page, "dataset.node") != root
    expect(page.locator(".d2-inspector .d2-strip").first).to_be_visible()
    page.keyboard.press("ArrowUp")
    assert focused(page, "dataset.node") == root
    tab_to(page, ".d2-scroll")
    page.keyboard.press("Escape")
    expect(page.locator(".d2-detail")).to_be_hidden()
    assert "from sentence 2 to sentence 3" in focused(page, "ariaLabel")


def test_focus_can_be_seen(open_page: OpenPage, server: ServerProcess) -> None:
    page = open_page(server.address)
    arcs(page).wait_for()
    for selector in (
        "#theme",
        ".examples button",
        "#text",
        "#ask [type=submit]",
        ".d2-arc-label",
        ".d2-play",
    ):
        tab_to(page, selector)
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid", selector
