"""A real browser before a real server; tests skip where either is absent."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.interfaces.browser.helpers import OpenPage
from tests.interfaces.server.served_process import REAL_PROGRAM, Served, served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

NAMES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="session")
def browser_program() -> str:
    pytest.importorskip("playwright.sync_api", reason="needs playwright")
    for extra in ("fastapi", "uvicorn", "prometheus_client"):
        pytest.importorskip(extra, reason='needs pip install "disco2[serve]"')
    found = os.environ.get("DISCO2_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if not found:
        pytest.skip("no Chromium here; set DISCO2_CHROMIUM to its program")
    return found


@pytest.fixture(scope="session")
def server(browser_program: str) -> Iterator[Served]:
    """The shipped model whose trees have vectors."""
    with served("en-fast", program=REAL_PROGRAM) as process:
        yield process


@pytest.fixture
def page(open_page: OpenPage, server: Served) -> Page:
    """The page of the server."""
    return open_page(server.address)


@pytest.fixture(scope="package")
def browser(browser_program: str) -> Iterator[Browser]:
    """Closed before tests elsewhere begin: there can't be two of Playwright's drivers in one process."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        program = playwright.chromium.launch(executable_path=browser_program, args=list(ARGUMENTS))
        yield program
        program.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[OpenPage]:
    """Open an address; options are those of Browser.new_context.

    At the end of the test no page may have asked another server, or complained: a violation of the content
    security policy and an exception of a script are messages of the console. A refusal by the server is one,
    too, and is what some tests want.
    """
    contexts, complaints, strangers = [], [], []

    def opens(address: str, **options: Any) -> Page:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 720}, **options})
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on(
            "console",
            lambda said: (
                complaints.append(said.text)
                if said.type in ("error", "warning") and "Failed to load resource" not in said.text
                else None
            ),
        )
        page.on("pageerror", lambda error: complaints.append(str(error)))
        origin = "/".join(address.split("/")[:3])
        page.on(
            "request",
            lambda request: (
                None if request.url.startswith((origin, "blob:", "data:")) else strangers.append(request.url)
            ),
        )
        page.goto(address)
        return page

    yield opens
    for context in contexts:
        context.close()
    assert complaints == []
    assert strangers == []
