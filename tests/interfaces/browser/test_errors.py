"""What goes wrong is told, with what to do next, and the text stays."""

from __future__ import annotations

import json
from pathlib import Path

from tests.interfaces.browser.conftest import OpenPage
from tests.interfaces.browser.reading_the_page import SHE, arcs, ask, expect
from tests.interfaces.browser.server_process import ServerProcess, serving


def test_empty_text(open_page: OpenPage, server: ServerProcess) -> None:
    page = open_page(server.address)
    arcs(page).wait_for()
    page.get_by_label("Your text").fill("   ")
    page.get_by_role("button", name="Find relations").click()
    expect(page.get_by_role("alert")).to_contain_text("There is no text yet.")
    expect(page.get_by_role("alert")).to_contain_text("the answer to the text before")
    expect(arcs(page)).to_have_count(1)
    page.get_by_role("button", name="Bob and Tina").click()
    expect(arcs(page)).to_have_count(1)
    expect(page.get_by_role("alert")).to_have_count(0)


def test_one_sentence(open_page: OpenPage, server: ServerProcess) -> None:
    page = open_page(server.address)
    arcs(page).wait_for()
    ask(page, "Bob gave Tina the burger.")
    expect(page.locator(".d2-summary")).to_contain_text("no relation was found")


def test_a_new_question_ends_the_old_one(open_page: OpenPage, server: ServerProcess) -> None:
    page = open_page(server.address)
    arcs(page).wait_for()
    page.route(
        "**/v1/relations",
        lambda route: route.continue_() if "Two" in (route.request.post_data or "") else None,
    )
    page.get_by_label("Your text").fill("One dog barked. It was old. It slept.")
    page.get_by_role("button", name="Find relations").click()  # never answered
    expect(page.get_by_role("status").first).to_contain_text("Finding relations")
    ask(page, "Two dogs barked. They were old.")
    expect(page.locator(".d2-sentence").first).to_have_text("Two dogs barked.")
    expect(page.get_by_role("alert")).to_have_count(0)


def test_only_the_trees_that_are_looked_at_are_waited_for(open_page: OpenPage, server: ServerProcess) -> None:
    page = open_page(server.address)
    ask(page, "It rained. We ran. The match was over. Ann slept. Ben sang.")
    expect(arcs(page)).to_have_count(4)
    given_up = []
    page.on("requestfailed", lambda request: given_up.append(json.loads(request.post_data)["relation"]))
    page.route(
        "**/v1/views",
        lambda route: route.continue_() if '"relation":3' in (route.request.post_data or "") else None,
    )
    for place in range(4):
        arcs(page).nth(place).click()
    page.locator(".d2-trees").wait_for()
    expect(page.locator(".d2-detail-head")).to_contain_text("sentence 4 to sentence 5")
    assert given_up == [0, 1, 2]
    expect(page.get_by_role("alert")).to_have_count(0)
    page.unroute("**/v1/views")
    arcs(page).nth(1).click()  # what was given up may be asked for again
    expect(page.locator(".d2-detail-head")).to_contain_text("sentence 2 to sentence 3")
    page.locator(".d2-trees").wait_for()


def test_key_size_limit_and_a_server_that_stops(open_page: OpenPage, browser: object, tmp_path: Path) -> None:
    options = ("--api-key", "open-sesame", "--max-body", "3000")
    with serving(tmp_path / "log.txt", *options) as guarded:
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
        page.reload()
        expect(arcs(page)).to_have_count(1)  # the key lasts as long as the tab

        too_large = "The dog barked at the cat. " * 200
        ask(page, too_large)
        expect(alert).to_be_visible()
        expect(alert.locator("strong")).not_to_be_empty()
        assert page.get_by_label("Your text").input_value() == too_large
        ask(page, SHE)
        expect(arcs(page)).to_have_count(1)

        page.locator(".d2-trees").wait_for()
        guarded.stop()
        page.get_by_role("button", name="Find relations").click()
        expect(alert).to_contain_text("The server can\u2019t be reached.")
        expect(alert).to_contain_text("disco2 serve")
        expect(page.locator(".d2-trees")).to_be_visible()  # what was there can still be looked at
        assert page.locator("#result").get_attribute("aria-busy") is None
        assert page.get_by_label("Your text").input_value() == SHE
