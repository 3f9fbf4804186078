"""The page: examples, texts of any kind, links, the way back, and what goes wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.interfaces.browser.helpers import HE, SHE, OpenPage, answer, arcs, ask, expect
from tests.interfaces.server.served_process import REAL_PROGRAM, served

if TYPE_CHECKING:
    from playwright.sync_api import Page


def percent(probability: float) -> str:
    return f"{round(100 * probability)}%"


def test_she_and_he_change_arc_mentions_and_comparison(page: Page) -> None:
    assert page.get_by_label("Your text").input_value() == SHE
    she, he = (answer(page, text)["relations"][0] for text in (SHE, HE))
    assert percent(she["probability"]) != percent(he["probability"])
    current = page.locator(".d2-comparison thead .d2-current")
    first = page.locator(".d2-mention-text").first
    for name, relation, antecedent in (("She", she, "Tina"), ("He", he, "Bob"), ("She", she, "Tina")):
        page.get_by_role("radio", name=name, exact=True).check()
        expect(arcs(page)).to_contain_text(percent(relation["probability"]))
        label = arcs(page).get_attribute("aria-label") or ""
        assert label.startswith(f"{relation['sense']}, {round(100 * relation['probability'])} percent, from")
        expect(current).to_have_text(f"with “{name}”")
        expect(first).to_have_text(antecedent)


def test_every_example_has_arcs_and_is_marked(page: Page) -> None:
    for name, fewest in (("A story", 8), ("News", 6), ("A recipe", 8), ("With connectives", 6)):
        page.get_by_role("button", name=name).click()
        expect(page.get_by_role("button", name=name)).to_have_attribute("aria-pressed", "true")
        expect(page.get_by_role("status").first).to_contain_text("relations found")
        opening = page.get_by_label("Your text").input_value()[:15]
        expect(page.locator(".d2-sentence").first).to_contain_text(opening)
        assert arcs(page).count() >= fewest
        assert (
            page.locator(".d2-arc-line[stroke-dasharray]").count() == page.locator(".d2-connective").count()
        )
        expect(page.locator(".d2-gloss").first).to_be_visible()
    expect(page.locator(".d2-paragraph")).to_have_count(2)
    page.get_by_text("What the senses mean").click()
    guide = page.locator(".d2-guide dl")
    for sense in answer(page, SHE)["model"]["labels"]:
        expect(guide.locator("dt").get_by_text(sense.split(".")[-1], exact=True)).to_be_visible()
    expect(guide).to_contain_text("The road was icy, so the bus was late.")


def test_warnings_glosses_and_norel_of_an_answer(page: Page) -> None:
    found = answer(page, "It rained. We ran. The soup was cold.", norel=True)
    found["relations"][0] |= {"kind": "Implicit", "sense": "Contingency.Cause", "gloss": "so", "unsure": True}
    found["relations"][1] |= {"kind": "NoRel", "sense": "NoRel", "gloss": "", "connective": ""}
    found["relations"], found["warnings"] = found["relations"][:2], ["This does not look like English."]
    page.route("**/v1/relations", lambda route: route.fulfill(json=found))
    ask(page, found["text"])
    expect(page.get_by_role("note")).to_contain_text("does not look like English")
    expect(arcs(page).first).to_contain_text("(so)")
    expect(arcs(page).first).to_contain_text("?")
    expect(page.locator(".d2-summary")).to_contain_text("one relation.")
    expect(page.locator(".d2-legend")).not_to_contain_text("NoRel")
    expect(page.get_by_role("status").first).to_have_text("One relation found.")


def test_texts_of_any_kind(page: Page) -> None:
    ask(page, "The sun rose.\nThe birds sang.\n\nThe cat slept.")
    expect(arcs(page)).to_have_count(1)
    page.get_by_label("A paragraph ends at").select_option("none")
    expect(arcs(page)).to_have_count(2)
    page.get_by_label("A paragraph ends at").select_option("line")
    expect(arcs(page)).to_have_count(0)
    expect(page.locator(".d2-summary")).to_contain_text("no relation was found")

    page.get_by_label("A paragraph ends at").select_option("blank")
    ask(page, "🍔🍔 Bob gave Tina the burger 🍔. She was hungry.")
    expect(page.locator(".d2-sentence").last).to_have_text("She was hungry.")
    arcs(page).last.click()
    expect(page.locator(".d2-mention-text").last).to_have_text("She")

    ask(page, "Eve wrote <img src=x onerror=alert(1)> here. She laughed at <b>us</b> & left.")
    expect(page.locator(".d2-flow")).to_contain_text("<img src=x onerror=alert(1)>")
    assert page.locator(".d2-relations img").count() == 0

    ask(page, "We stayed at home because the road was flooded.")
    expect(page.locator(".d2-stated")).to_have_text("because")
    arcs(page).click()
    expect(page.locator(".d2-piece.d2-chosen").first).to_have_text("We stayed at home ")
    expect(page.locator(".d2-detail-head")).to_contain_text("explicit, “because” says it")


def test_links_and_the_way_back(page: Page, open_page: OpenPage) -> None:
    arcs(page).wait_for()
    text = "Käthe & Jörg sang 100% #1 songs + more. They were happy 🎉. The dog left?"
    ask(page, text)
    count = len(answer(page, text)["relations"])
    expect(arcs(page)).to_have_count(count)
    arcs(page).nth(count - 1).click()
    page.locator(".d2-trees").wait_for()
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator(".d2-status")).to_contain_text("clipboard")
    link = page.evaluate("navigator.clipboard.readText()")
    assert "/#text=" in link
    other = open_page(link)
    expect(arcs(other).nth(count - 1)).to_have_attribute("aria-pressed", "true")
    assert other.get_by_label("Your text").input_value() == text
    page.go_back()
    expect(page.locator(".d2-detail")).to_be_hidden()
    page.go_back()
    expect(page.locator(".d2-sentence").last).to_have_text("She was hungry.")
    assert page.get_by_label("Your text").input_value() == SHE
    page.go_forward()
    expect(page.locator(".d2-flow")).to_contain_text("Käthe")


def test_only_the_last_question_is_waited_for(page: Page) -> None:
    arcs(page).wait_for()
    page.route(
        "**/v1/relations",
        lambda route: route.continue_() if "Two" in (route.request.post_data or "") else None,
    )
    page.get_by_label("Your text").fill("One dog barked. It was old. It slept.")
    page.get_by_role("button", name="Find relations").click()  # never answered
    expect(page.get_by_role("status").first).to_contain_text("Finding relations")
    ask(page, "Two dogs barked. They were old. They slept. Nobody came.")
    expect(arcs(page)).to_have_count(3)
    page.route(
        "**/v1/views",
        lambda route: route.continue_() if '"relation":2' in (route.request.post_data or "") else None,
    )
    for place in range(3):
        arcs(page).nth(place).click()
    page.locator(".d2-trees").wait_for()
    expect(page.locator(".d2-detail-head")).to_contain_text("sentence 3 to sentence 4")
    page.unroute("**/v1/views")
    arcs(page).nth(1).click()  # what was given up may be asked for again
    page.locator(".d2-trees").wait_for()
    expect(page.get_by_role("alert")).to_have_count(0)


def test_errors_and_the_parts_of_an_encoders_score(open_page: OpenPage) -> None:
    """With the default model, a key and a small limit."""
    options = ("--api-key", "open-sesame", "--max-body", "3000")
    with served("en", options, program=REAL_PROGRAM) as guarded:
        page = open_page(guarded.address)
        alert = page.get_by_role("alert")
        expect(alert).to_contain_text("key")
        page.get_by_label("API key").fill("\u043a\u043b\u044e\u0447")  # what no header can carry
        page.get_by_role("button", name="Use this key").click()
        expect(alert).to_contain_text("This is no API key.")
        page.get_by_label("API key").fill("open-sesame")
        page.get_by_role("button", name="Use this key").click()
        expect(arcs(page)).to_have_count(1)
        expect(alert).to_have_count(0)
        page.reload()  # the key lasts as long as the tab
        detail = page.locator(".d2-detail")
        expect(detail).to_contain_text("words that matter most, approximately")
        expect(detail.get_by_role("rowheader", name="Tina ~ She")).to_have_count(1)

        too_large = "The dog barked at the cat. " * 200
        for text, message in (("   ", "There is no text yet."), (too_large, "too large")):
            page.get_by_label("Your text").fill(text)
            page.get_by_role("button", name="Find relations").click()
            expect(alert).to_contain_text(message)
            expect(alert).to_contain_text("the answer to the text before")
            assert page.get_by_label("Your text").input_value() == text
        ask(page, SHE)
        page.locator(".d2-trees").wait_for()
        guarded.process.terminate()
        guarded.process.wait(30)
        page.get_by_role("button", name="Find relations").click()
        expect(alert).to_contain_text("The server can\u2019t be reached.")
        expect(page.locator(".d2-trees")).to_be_visible()  # what was there can still be looked at
        assert page.locator("#result").get_attribute("aria-busy") is None
