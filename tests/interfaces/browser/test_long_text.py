"""Four hundred sentences."""

from __future__ import annotations

import json

from tests.interfaces.browser.conftest import OpenPage
from tests.interfaces.browser.reading_the_page import answer, arcs, ask, expect, wait_until
from tests.interfaces.browser.server_process import ServerProcess

NAMES = ("Ann", "Ben", "Carla", "David", "Eve")
DEEDS = (
    "went to the market",
    "bought some apples",
    "met an old friend",
    "forgot the keys",
    "called a doctor",
)
SENTENCES = 400


def long_text() -> str:
    """Four hundred sentences, ten to a paragraph."""
    said = [f"{NAMES[n % 5]} {DEEDS[(n * 3 + n // 5) % 5]} on day {n + 1}." for n in range(SENTENCES)]
    return "\n\n".join(" ".join(said[n : n + 10]) for n in range(0, SENTENCES, 10))


def test_four_hundred_sentences_are_drawn_and_answer_a_click(
    open_page: OpenPage, server: ServerProcess
) -> None:
    page = open_page(server.address)
    arcs(page).wait_for()
    text = long_text()
    ask(page, text)
    expect(page.locator(".d2-sentence")).to_have_count(SENTENCES)
    relations = answer(page, text)["relations"]
    assert len(relations) == SENTENCES * 9 // 10
    expect(arcs(page)).to_have_count(len(relations))
    expect(page.locator(".d2-arc-line[d^=M]")).to_have_count(len(relations))

    arcs(page).nth(300).click()
    page.locator(".d2-trees").wait_for()
    expect(page.locator(".d2-detail h2")).to_have_text(relations[300]["sense"])

    ways = "[...document.querySelectorAll('.d2-arc-line')].map(line => line.getAttribute('d')).join()"
    before = page.evaluate(ways)
    page.set_viewport_size({"width": 700, "height": 720})
    wait_until(page, f"{ways} !== {json.dumps(before)}")


def test_labels_of_arcs_do_not_cover_each_other(open_page: OpenPage, server: ServerProcess) -> None:
    page = open_page(server.address)
    arcs(page).wait_for()
    short = "It rained. However, we ran. The old man smiled because he was dry. We sang. Therefore, he left."
    for text, width in ((long_text()[:4000], 1280), (short, 1280), (short, 360), (long_text()[:1500], 360)):
        page.set_viewport_size({"width": width, "height": 800})
        ask(page, text)
        expect(page.locator(".d2-sentence").first).to_contain_text(text.split()[0])
        assert arcs(page).count() > 2
        touching = page.evaluate(
            """() => {
              const labels = [...document.querySelectorAll('.d2-arc-label')];
              const rects = labels.map(label => label.getBoundingClientRect());
              const beside = (a, b) => a.right <= b.left || b.right <= a.left;
              const below = (a, b) => a.bottom <= b.top || b.bottom <= a.top;
              const apart = (a, b) => beside(a, b) || below(a, b);
              return rects.filter((one, n) => n && !apart(one, rects[n - 1])).length;
            }"""
        )
        assert touching == 0
