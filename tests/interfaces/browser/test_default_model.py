"""The page with the default model: an encoder, whose words matter, with the paper's entity term."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.interfaces.browser.conftest import OpenPage
from tests.interfaces.browser.reading_the_page import arcs, expect
from tests.interfaces.browser.server_process import ServerProcess, serving


@pytest.fixture(scope="module")
def default(browser_program: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with serving(tmp_path_factory.mktemp("server") / "log.txt") as process:
        yield process


def test_the_score_has_text_entities_features_and_words(open_page: OpenPage, default: ServerProcess) -> None:
    page = open_page(default.address)
    expect(arcs(page)).to_have_count(1)
    arcs(page).first.click()
    detail = page.locator(".d2-detail")
    expect(detail).to_contain_text("words that matter most, approximately")
    expect(detail).to_contain_text("hungry")
    expect(detail).to_contain_text("Features")
    expect(detail).to_contain_text("comes from the entity pairs")
    expect(detail.get_by_role("rowheader", name="Tina")).to_have_count(1)
