"""``disco2 serve`` in a process of its own, and what several tests do with the page."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
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


@dataclass(frozen=True)
class ServerProcess:
    address: str  # http://127.0.0.1:12345
    process: subprocess.Popen[str]

    def stop(self) -> None:
        """As Ctrl+C does, and wait for it."""
        self.process.terminate()
        self.process.wait(timeout=30)


@contextmanager
def serving(log: Path, *options: str) -> Iterator[ServerProcess]:
    """A server while the block runs; its messages go to a file, so that no pipe fills up."""
    command = [sys.executable, "-c", "from disco2.interfaces.cli import main; main()", "serve", "--port", "0"]
    with log.open("w", encoding="utf-8") as messages:
        process = subprocess.Popen([*command, *options], stdout=messages, stderr=messages, text=True)
    try:
        yield ServerProcess(_address(process, log), process)
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(timeout=30)


def _address(process: subprocess.Popen[str], log: Path) -> str:
    """Wait until the log has the address."""
    for _ in range(1200):
        if found := re.search(r"at (http://[\d.]+:\d+)", log.read_text(encoding="utf-8")):
            return found[1]
        try:
            process.wait(timeout=0.1)
        except subprocess.TimeoutExpired:
            continue
        break
    raise AssertionError(f"disco2 serve did not start: {log.read_text(encoding='utf-8')}")


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
