"""Bob, Tina and the burger: one word changes the arc and the comparison."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.interfaces.browser.conftest import OpenPage
from tests.interfaces.browser.reading_the_page import HE, SHE, answer, arcs, ask, expect, percent
from tests.interfaces.browser.server_process import ServerProcess

if TYPE_CHECKING:
    from playwright.sync_api import Page


def test_page_begins_with_the_first_example(open_page: OpenPage, server: ServerProcess) -> None:
    page = open_page(server.address)
    expect(arcs(page)).to_have_count(1)
    assert page.get_by_label("Your text").input_value() == SHE
    relation = answer(page, SHE)["relations"][0]
    expect(arcs(page)).to_contain_text(percent(relation["probability"]))
    expect(page.get_by_role("button", name=f"{relation['sense']}, ")).to_have_attribute(
        "aria-label",
        f"{relation['sense']}, {round(100 * relation['probability'])} percent, from sentence 1 to sentence 2",
    )
    path = page.locator(".d2-arc-line").get_attribute("d")
    assert path is not None
    assert path.startswith("M")


def test_she_and_he_change_arc_mentions_and_comparison(open_page: OpenPage, server: ServerProcess) -> None:
    page = open_page(server.address)
    she, he = (answer(page, text)["relations"][0] for text in (SHE, HE))
    assert percent(she["probability"]) != percent(he["probability"])
    current = page.locator(".d2-comparison thead .d2-current")
    first = page.locator(".d2-mention-text").first
    expect(current).to_have_text("with “She”")
    expect(first).to_have_text("Tina")

    page.get_by_role("radio", name="He", exact=True).check()
    expect(arcs(page)).to_contain_text(percent(he["probability"]))
    expect(current).to_have_text("with “He”")
    expect(first).to_have_text("Bob")
    assert page.get_by_label("Your text").input_value() == HE

    page.get_by_role("radio", name="She", exact=True).check()
    expect(arcs(page)).to_contain_text(percent(she["probability"]))
    expect(first).to_have_text("Tina")


def opening(page: Page) -> str:
    return page.get_by_label("Your text").input_value()[:15]


def test_every_example_has_arcs_and_is_marked(open_page: OpenPage, server: ServerProcess) -> None:
    page = open_page(server.address)
    for name, fewest in (("A story", 6), ("News", 4), ("With connectives", 4), ("Two paragraphs", 6)):
        page.get_by_role("button", name=name).click()
        expect(page.get_by_role("button", name=name)).to_have_attribute("aria-pressed", "true")
        expect(page.get_by_role("status").first).to_contain_text("relations found")
        expect(page.locator(".d2-sentence").first).to_contain_text(opening(page))
        assert arcs(page).count() >= fewest
    expect(page.locator(".d2-paragraph")).to_have_count(2)


def test_connective_is_on_its_dashed_arc(open_page: OpenPage, server: ServerProcess) -> None:
    page = open_page(server.address)
    ask(page, "The oven was broken. However, Paul had promised a cake.")
    expect(page.locator(".d2-arc-label .d2-connective")).to_have_text("However")
    assert page.locator(".d2-arc-line").get_attribute("stroke-dasharray")
    expect(page.locator(".d2-legend")).to_contain_text("explicit")


def test_paragraphs_may_end_at_lines_or_nowhere(open_page: OpenPage, server: ServerProcess) -> None:
    page = open_page(server.address)
    ask(page, "The sun rose.\nThe birds sang.\n\nThe cat slept.")
    expect(arcs(page)).to_have_count(1)
    page.get_by_label("A paragraph ends at").select_option("none")
    expect(arcs(page)).to_have_count(2)
    page.get_by_label("A paragraph ends at").select_option("line")
    expect(arcs(page)).to_have_count(0)
    expect(page.locator(".d2-summary")).to_contain_text("no relation was found")


def test_emoji_shift_no_sentence_and_no_mention(open_page: OpenPage, server: ServerProcess) -> None:
    page = open_page(server.address)
    ask(page, "🍔🍔 Bob gave Tina the burger 🍔. She was hungry.")
    expect(page.locator(".d2-sentence").last).to_have_text("She was hungry.")
    page.locator(".d2-arc-label").last.click()
    expect(page.locator(".d2-mention-text").last).to_have_text("She")


def test_markup_in_a_text_stays_text(open_page: OpenPage, server: ServerProcess) -> None:
    page = open_page(server.address)
    ask(page, "Eve wrote <img src=x onerror=alert(1)> here. She laughed at <b>us</b> & left.")
    expect(page.locator(".d2-flow")).to_contain_text("<img src=x onerror=alert(1)>")
    assert page.locator(".d2-relations img").count() == 0


def test_relations_inside_a_sentence_are_drawn(open_page: OpenPage, server: ServerProcess) -> None:
    page = open_page(server.address)
    ask(page, "We stayed at home because the road was flooded.")
    expect(page.locator(".d2-stated")).to_have_text("because")
    label = page.locator(".d2-arc-label")
    expect(label).to_have_attribute("aria-label", re.compile("Cause, .* in sentence 1, explicit: because"))
    assert page.locator(".d2-arc-line").get_attribute("d")
    label.click()
    expect(page.locator(".d2-piece.d2-chosen").first).to_have_text("We stayed at home ")
    expect(page.locator(".d2-detail-head")).to_contain_text("because")
