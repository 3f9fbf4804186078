"""The built pages in a browser, opened as files: they search, and ask nobody."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

playwright = pytest.importorskip("playwright.sync_api")


def test_the_search_finds_a_page_without_a_server(site: Path) -> None:
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("no Chromium on this machine")
    asked: list[str] = []
    faults: list[str] = []
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto((site / "index.html").as_uri())
        page.get_by_role("textbox", name="Search").click()
        page.get_by_role("textbox", name="Search").press_sequentially("OntoNotes")
        result = page.locator(".md-search-result__link").first
        result.wait_for(timeout=20_000)
        target = result.get_attribute("href") or ""
        browser.close()
    assert "ontonotes.html" in target
    assert not faults
    assert not [url for url in asked if url.startswith("http")]
