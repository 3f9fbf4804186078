"""Readers guess first and mark answers; the page saves marks, relations and pictures."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from disco2.corpora.pairs import read_pairs
from disco2.data import RelationKind
from tests.interfaces.browser.helpers import SHE, answer, arcs, ask, download, expect

if TYPE_CHECKING:
    from playwright.sync_api import Page

SVG = "{http://www.w3.org/2000/svg}"
TEXT = 'Ann said "no", \nand left. She was tired. However, Ben stayed. The soup was cold.'


def test_guess_first(page: Page) -> None:
    ask(page, TEXT)
    relations = answer(page, TEXT)["relations"]
    expect(arcs(page)).to_have_count(len(relations))
    page.get_by_role("button", name="Guess first").click()
    for place, relation in enumerate(relations):
        assert relation["sense"] not in (arcs(page).nth(place).get_attribute("aria-label") or "")
        assert relation["sense"].split(".")[-1] not in arcs(page).nth(place).inner_text()
    expect(page.locator(".d2-legend")).to_be_hidden()
    compare = page.get_by_role("button", name="Compare with the answer")
    first = next(n for n, one in enumerate(relations) if one["kind"] == "Implicit")
    other = (first + 1) % len(relations)
    for place, same in ((first, True), (other, False)):
        arcs(page).nth(place).focus()
        page.keyboard.press("Enter")
        expect(page.locator(".d2-detail h2")).to_have_text("Guess the sense")
        expect(page.locator(".d2-bars")).to_have_count(0)
        expect(compare).to_be_disabled()
        guess = relations[place]["sense"] if same else "NoRel"
        page.locator(f'.d2-choice input[value="{guess}"]').check()
        compare.click()
        verdict = page.locator(".d2-verdict-box")
        expect(verdict).to_contain_text("You agree" if same else "You differ")
        expect(verdict).to_contain_text(f"disco2 says {relations[place]['sense']}")
        expect(arcs(page).nth(place)).to_contain_text(relations[place]["sense"].split(".")[-1])
    expect(verdict).to_contain_text("agree in 1 of 2 guesses")
    page.locator(".d2-trees").wait_for()
    ask(page, SHE)  # the mode stays; its comparison would tell the answer
    expect(page.locator(".d2-detail h2")).to_have_text("Guess the sense")
    expect(page.locator(".compare")).to_be_hidden()
    page.get_by_role("button", name="Show it without a guess").click()
    expect(page.locator(".d2-verdict-box")).to_have_count(0)
    page.get_by_role("button", name="Guess first").click()
    expect(page.locator(".d2-legend")).to_be_visible()


def test_marks_are_kept_and_can_be_trained_on(page: Page, tmp_path: Path) -> None:
    ask(page, TEXT)
    relations = answer(page, TEXT)["relations"]
    expect(arcs(page)).to_have_count(len(relations))
    assert len(relations) >= 3
    labels = [relations[0]["sense"], "Temporal.Synchronous", "NoRel"]
    for place, label in enumerate(labels):
        arcs(page).nth(place).click()
        if place == 0:
            page.get_by_role("button", name="Right").click()
            continue
        page.get_by_role("button", name="Wrong").click()
        expect(page.locator(".d2-status")).to_contain_text("Choose the right sense")
        page.get_by_label("The right sense is").select_option(label)
    page.reload()
    arcs(page).nth(1).click()
    expect(page.get_by_role("button", name="Wrong")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_label("The right sense is")).to_have_value("Temporal.Synchronous")
    corpus = read_pairs(download(page, tmp_path, "Download 3 marks (CSV)"), inventory_name="pdtb3")
    assert not corpus.issues.counts()
    found = {one.arg1.text + one.arg2.text: one for one in corpus.relations}
    for relation, label in zip(relations, labels, strict=False):
        read = found[relation["arg1"]["text"] + relation["arg2"]["text"]]
        assert read.senses == ((label,) if label != "NoRel" else ())
        assert (read.kind is RelationKind.NOREL) == (label == "NoRel")
        assert read.connective == (relation["connective"] if label != "NoRel" else "")
    assert len(set(corpus.groups.values())) == 1  # of one text
    page.get_by_role("button", name="Delete all marks").click()
    expect(page.get_by_role("button", name="Delete all marks")).to_be_hidden()


def test_relations_as_json_csv_svg_and_png(page: Page, tmp_path: Path) -> None:
    ask(page, TEXT)
    relations = answer(page, TEXT)["relations"]
    expect(arcs(page)).to_have_count(len(relations))
    menu = page.locator(".d2-menu summary")
    menu.focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Copy as JSON").click()
    expect(page.locator(".d2-status")).to_contain_text("clipboard")
    assert json.loads(page.evaluate("navigator.clipboard.readText()")) == answer(page, TEXT)
    with download(page, tmp_path, "Relations as CSV").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["sense"] for row in rows] == [one["sense"] for one in relations]
    assert [row["arg1"] for row in rows] == [one["arg1"]["text"] for one in relations]
    menu.click()
    root = ElementTree.parse(download(page, tmp_path, "Text with arcs as SVG")).getroot()  # noqa: S314
    words = [text.text for text in root.iter(f"{SVG}text")]
    assert {"Ann", "tired.", "However", "soup"} <= set(words)
    assert sum(path.get("stroke") is not None for path in root.iter(f"{SVG}path")) >= len(relations)
    menu.click()
    picture = download(page, tmp_path, "Text with arcs as PNG").read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert len(picture) > 10_000
