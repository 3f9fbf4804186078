"""What several tests do with the page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

# Tests take it from here, so that all of a file is skipped where Playwright is absent.
expect = pytest.importorskip("playwright.sync_api", reason="needs playwright").expect

SHE = "Bob gave Tina the burger. She was hungry."
HE = "Bob gave Tina the burger. He was hungry."
OpenPage = Callable[..., "Page"]


def ask(page: Page, text: str) -> None:
    """Type a text and press the button, and wait for the answer."""
    page.get_by_label("Your text").fill(text)
    with page.expect_response("**/v1/relations"):
        page.get_by_role("button", name="Find relations").click()


def arcs(page: Page) -> Locator:
    return page.locator(".d2-arc-label")


def answer(page: Page, text: str, **options: Any) -> dict[str, Any]:
    """What the server says about a text, asked beside the page."""
    origin = "/".join(page.url.split("/")[:3])
    response = page.request.post(f"{origin}/v1/relations", data={"text": text, **options})
    assert response.ok, response.text()
    found: dict[str, Any] = response.json()
    return found


def download(page: Page, folder: Path, button: str) -> Path:
    """The file that a button saves."""
    with page.expect_download() as waiting:
        page.get_by_role("button", name=button).click()
    file = folder / waiting.value.suggested_filename
    waiting.value.save_as(file)
    return file


def colour(found: Locator, which: str) -> str:
    """A colour as the browser has computed it."""
    value: str = found.evaluate(f"element => getComputedStyle(element).{which}")
    return value
