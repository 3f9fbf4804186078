"""What several tests of the page do: ask it for a text, and read what it shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

# Tests take it from here, so that all of a file is skipped where Playwright is absent.
expect = pytest.importorskip("playwright.sync_api", reason="needs playwright").expect

SHE = "Bob gave Tina the burger. She was hungry."
HE = "Bob gave Tina the burger. He was hungry."
ARC_LABELS = ".d2-arc-label"


def ask(page: Page, text: str) -> None:
    """Type a text and press the button, and wait for the answer."""
    page.get_by_label("Your text").fill(text)
    with page.expect_response("**/v1/relations"):
        page.get_by_role("button", name="Find relations").click()


def arcs(page: Page) -> Locator:
    return page.locator(ARC_LABELS)


def answer(page: Page, text: str, **options: Any) -> dict[str, Any]:
    """What the server says about a text, asked beside the page."""
    origin = "/".join(page.url.split("/")[:3])
    response = page.request.post(f"{origin}/v1/relations", data={"text": text, **options})
    assert response.ok, response.text()
    found: dict[str, Any] = response.json()
    return found


def percent(probability: float) -> str:
    return f"{round(100 * probability)}%"


def open_detail(page: Page, place: int = 0) -> None:
    """Choose an arc and wait for its trees."""
    arcs(page).nth(place).click()
    page.locator(".d2-trees").wait_for()


def wait_until(page: Page, condition: str) -> None:
    """Until an expression is true. Page.wait_for_function would be against the page's security policy."""
    for _ in range(200):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never true: {condition}")


def colour(found: Locator, which: str) -> str:
    """A colour as the browser has computed it."""
    value: str = found.evaluate(f"element => getComputedStyle(element).{which}")
    return value
