"""An arc is chosen: arguments, trees with both passes, the parts of the score; all by keyboard, too."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.interfaces.browser.helpers import arcs, expect

if TYPE_CHECKING:
    from playwright.sync_api import Page

STORY = (
    "Maria found an old map in the attic. She showed it to her brother. Jonas laughed at the map. "
    "He had never believed in treasures."
)
MOST_STEPS = 60


def tab_to(page: Page, selector: str) -> None:
    """Press the tabulator key until an element that the selector fits has the focus, which can be seen."""
    for _ in range(MOST_STEPS):
        page.keyboard.press("Tab")
        if page.evaluate("wanted => document.activeElement.matches(wanted)", selector):
            style = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
            assert style == "solid" or selector == ".d2-node", selector  # nodes have a thick box
            return
    raise AssertionError(f"{selector} can't be reached")


def focused(page: Page, what: str) -> str:
    found: str = page.evaluate(f"String(document.activeElement.{what})")
    return found


def test_upward_pass_and_nodes(page: Page) -> None:
    step = page.get_by_role("button", name="Step", exact=True)
    slider = page.get_by_role("slider")
    step.click()
    expect(page.locator(".d2-trees")).to_have_attribute("data-pass", "up")
    expect(page.locator(".d2-node.d2-reached")).to_have_count(page.locator(".d2-leaf").count())
    before = page.locator(".d2-node.d2-reached").count()
    step.click()
    expect(page.locator(".d2-below-trees")).to_contain_text(re.compile("Height 1 of.*the burger"))
    assert page.locator(".d2-node.d2-reached").count() > before
    page.get_by_role("button", name="Step back").click()
    expect(page.locator(".d2-node.d2-reached")).to_have_count(before)
    slider.fill(slider.get_attribute("max") or "")
    expect(page.locator(".d2-node:not(.d2-reached)")).to_have_count(0)

    page.get_by_role("button", name="NP: the burger").click()
    inspector = page.locator(".d2-inspector")
    expect(inspector).to_contain_text("u(the burger) = tanh(U [u(the); u(burger)])")
    numbers = page.locator(".d2-strip").first.locator("rect").count()
    assert numbers > 8
    inspector.locator("summary").first.click()
    assert len(inspector.locator(".d2-numbers").first.inner_text().split()) == numbers
    page.get_by_role("button", name="NNP: Tina").click()
    expect(inspector).to_contain_text("d(Tina) = tanh(V [")


def test_parts_add_up_and_the_winner_is_told(page: Page) -> None:
    page.locator(".d2-score").wait_for()
    numbers = [
        float(row.locator("td .d2-number").first.inner_text().replace("\u2212", "-"))
        for row in page.locator(".d2-score tbody tr.d2-part, .d2-score tfoot tr").all()
    ]
    assert abs(sum(numbers[:-1]) - numbers[-1]) < 0.005 * (len(numbers) + 1)
    senses = page.locator(".d2-score thead .d2-sense-name").all_inner_texts()
    said = page.locator(".d2-verdict").inner_text()
    assert said.startswith(f"{senses[0]} wins over {senses[1]} by ")
    expect(page.locator(".d2-score tbody tr.d2-inner-part")).to_have_count(5)


def test_everything_by_keyboard(page: Page) -> None:
    arcs(page).wait_for()
    for selector in ("#theme", ".examples button", "#text"):
        tab_to(page, selector)
    page.keyboard.press("Control+A")
    page.keyboard.type("Ann lost her keys. She called Ben. He had a second pair.")
    page.keyboard.press("Control+Enter")
    expect(arcs(page)).to_have_count(2)

    tab_to(page, ".d2-arc-label")
    first, second = "from sentence 1 to sentence 2", "from sentence 2 to sentence 3"
    for key, where in (("ArrowRight", second), ("ArrowRight", second), ("Home", first), ("End", second)):
        page.keyboard.press(key)
        assert where in focused(page, "ariaLabel")
    page.keyboard.press("Enter")
    page.locator(".d2-trees").wait_for()
    expect(page.locator(".d2-detail-head")).to_contain_text("sentence 2 to sentence 3")

    tab_to(page, ".d2-menu summary")
    tab_to(page, ".d2-mark button")
    page.keyboard.press("Space")
    expect(page.locator(".d2-status")).to_contain_text("Marked as right.")
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
    assert second in focused(page, "ariaLabel")
