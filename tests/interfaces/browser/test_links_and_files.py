"""Links to a text, the way back, the clipboard, and the drawing as a file."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

from tests.interfaces.browser.conftest import OpenPage
from tests.interfaces.browser.reading_the_page import HE, SHE, answer, arcs, ask, expect, open_detail
from tests.interfaces.browser.server_process import ServerProcess

TEXT = "Käthe & Jörg sang 100% #1 songs + more. They were happy 🎉. The dog left?"
SVG = "{http://www.w3.org/2000/svg}"


def test_link_shows_the_same_text_and_relation(open_page: OpenPage, server: ServerProcess) -> None:
    page = open_page(server.address)
    arcs(page).wait_for()
    ask(page, TEXT)
    count = len(answer(page, TEXT)["relations"])
    expect(arcs(page)).to_have_count(count)
    open_detail(page, count - 1)
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator(".d2-status")).to_contain_text("clipboard")
    link = page.evaluate("navigator.clipboard.readText()")
    assert link.startswith(f"{server.address}/#text=")
    assert link.endswith(f"&relation={count - 1}")

    other = open_page(link)
    expect(arcs(other)).to_have_count(count)
    expect(arcs(other).nth(count - 1)).to_have_attribute("aria-pressed", "true")
    assert other.get_by_label("Your text").input_value() == TEXT
    expect(other.locator(".d2-detail h2")).to_have_text(page.locator(".d2-detail h2").inner_text())


def test_way_back_leads_to_the_text_before(open_page: OpenPage, server: ServerProcess) -> None:
    page = open_page(server.address)
    arcs(page).wait_for()
    page.get_by_role("radio", name="He", exact=True).check()
    expect(page.locator(".d2-sentence").last).to_have_text("He was hungry.")
    ask(page, "It rained. The match was cancelled. Everybody went home.")
    expect(arcs(page)).to_have_count(2)
    arcs(page).nth(1).click()
    page.locator(".d2-trees").wait_for()
    page.go_back()
    expect(page.locator(".d2-detail")).to_be_hidden()
    page.go_back()
    expect(arcs(page)).to_have_count(1)
    assert page.get_by_label("Your text").input_value() == HE
    page.go_back()
    expect(page.locator(".d2-sentence").last).to_have_text("She was hungry.")
    assert page.get_by_label("Your text").input_value() == SHE
    page.go_forward()
    expect(page.locator(".d2-sentence").last).to_have_text("He was hungry.")


def test_copied_json_is_the_servers_answer(open_page: OpenPage, server: ServerProcess) -> None:
    page = open_page(server.address)
    arcs(page).wait_for()
    ask(page, TEXT)
    expect(page.locator(".d2-flow")).to_contain_text("Käthe")
    page.get_by_role("button", name="Copy as JSON").click()
    expect(page.locator(".d2-status")).to_contain_text("clipboard")
    assert json.loads(page.evaluate("navigator.clipboard.readText()")) == answer(page, TEXT)


def test_downloaded_svg_stands_alone(open_page: OpenPage, server: ServerProcess, tmp_path: Path) -> None:
    page = open_page(server.address)
    page.locator(".d2-entity input").last.check(force=True)
    page.wait_for_timeout(500)  # colours come gradually
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download the SVG").click()
    file = tmp_path / waiting.value.suggested_filename
    assert file.suffix == ".svg"
    waiting.value.save_as(file)
    root = ElementTree.parse(file).getroot()  # noqa: S314  ours
    assert root.tag == f"{SVG}svg"
    assert root.get("role") == "img"
    assert root.get("data-chain") == "c0"  # as it was shown
    assert root.find(".//*[@tabindex]") is None
    # It needs no style sheet: programs that make slides know no names of colours.
    assert root.find(f".//{SVG}style") is None
    assert "var(" not in file.read_text(encoding="utf-8")
    alone = open_page(file.as_uri())
    looks = """() => {
      const look = part => getComputedStyle(part);
      const shown = part =>
        part.localName === 'svg' || (look(part).display !== 'none' && shown(part.parentNode));
      const names = ['fill', 'stroke', 'strokeWidth', 'strokeDasharray', 'opacity', 'fontSize', 'textAnchor'];
      return [...document.querySelectorAll('.d2-trees :is(path, rect, text, circle)')].filter(shown).map(
        part => names.map(name => look(part)[name]).join());
    }"""
    assert alone.evaluate(looks) == page.evaluate(looks)
