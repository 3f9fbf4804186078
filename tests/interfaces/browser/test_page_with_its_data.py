"""The page that carries its data, opened from a file: the same drawing without a server."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from disco2.drawing import relations_html
from disco2.inference.pipeline import Pipeline
from disco2.inference.results import text_result
from disco2.model.probabilities import Calibration
from tests.drawing.made_up import HOSTILE, pipeline
from tests.interfaces.browser.conftest import OpenPage
from tests.interfaces.browser.reading_the_page import arcs, colour, expect

TEXT = f"Bob gave Tina the burger. She was hungry. {HOSTILE} made Bob laugh."


def write_page(folder: Path, *, kind: str = "entities", views: int | None = 2) -> str:
    nlp = pipeline(kind)
    document = nlp.annotate(TEXT)
    predictions = nlp.relations(document)
    shown = None if views is None else [nlp.view(one) for one in predictions[:views]]
    page = folder / "relations.html"
    page.write_text(relations_html(text_result(nlp, document, predictions), shown), encoding="utf-8")
    return page.as_uri()


def test_arcs_trees_and_bars_work_from_a_file(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(write_page(tmp_path))
    count = arcs(page).count()
    assert count >= 2
    expect(page.locator(".d2-flow")).to_contain_text(HOSTILE)
    arcs(page).first.click()
    expect(page.locator(".d2-trees .d2-node").first).to_be_visible()
    expect(page.locator(".d2-score")).to_be_visible()
    page.locator(".d2-entity input").nth(1).check(force=True)
    expect(page.locator(".d2-trees")).to_have_attribute("data-chain", "c0")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download the SVG").click()
    assert 'stroke="rgb(' in Path(waiting.value.path()).read_text(encoding="utf-8")


def test_late_entity_can_be_chosen(open_page: OpenPage, tmp_path: Path) -> None:
    nlp = pipeline()
    document = nlp.annotate("Bob told Tina that Bob had lost. He said that she knew him and her.")
    (prediction,) = nlp.relations(document)
    view = nlp.view(prediction)
    many = replace(view, chains=(view.chains[0],) * 20 + (view.chains[1],))
    file = tmp_path / "many.html"
    file.write_text(relations_html(text_result(nlp, document, [prediction]), [many]), encoding="utf-8")
    page = open_page(file.as_uri())
    page.locator(".d2-entity input").nth(21).check(force=True)
    expect(page.locator(".d2-trees")).to_have_attribute("data-chain", "c20")
    page.wait_for_timeout(500)  # colours come gradually
    colours = {colour(box, "stroke") for box in page.locator('[data-mention~="c20"] .d2-box').all()}
    assert colours == {colour(page.locator('.d2-edge[data-way~="c20"]').first, "stroke")}
    assert colour(page.locator('[data-link="c20"]').first, "opacity") == "1"
    assert colour(page.locator('[data-link="c0"]').first, "opacity") == "0.15"
    expect(page.locator('[data-mention~="c20"] .d2-down').first).to_be_visible()
    page.locator(".d2-entity input").nth(1).check(force=True)
    page.wait_for_timeout(500)
    assert colour(page.locator('[data-link="c20"]').first, "opacity") == "0.15"


def test_only_calibrated_probabilities_are_called_so(open_page: OpenPage, tmp_path: Path) -> None:
    fitted = pipeline()
    nlp = Pipeline(fitted.annotators, fitted.model, Calibration())  # nobody has fitted its temperature
    document = nlp.annotate(TEXT)
    file = tmp_path / "plain.html"
    file.write_text(
        relations_html(text_result(nlp, document, nlp.relations(document)), None), encoding="utf-8"
    )
    for address, times in ((file.as_uri(), 0), (write_page(tmp_path), 1)):
        page = open_page(address)
        arcs(page).first.click()
        expect(page.locator(".d2-probabilities")).to_be_visible()
        expect(page.get_by_text("Calibrated: of all answers")).to_have_count(times)


def test_relation_without_a_view_says_so(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(write_page(tmp_path, views=1))
    arcs(page).nth(1).click()
    expect(page.locator(".d2-later")).to_contain_text("not part of the page")
    expect(page.locator(".d2-bars li").first).to_be_visible()


def test_no_views_give_arcs_and_probabilities_alone(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(write_page(tmp_path, views=None))
    arcs(page).first.click()
    expect(page.locator(".d2-bars li").first).to_be_visible()
    expect(page.locator(".d2-trees")).to_have_count(0)


def test_model_that_composes_nothing_has_no_passes(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(write_page(tmp_path, kind="surface"))
    arcs(page).first.click()
    expect(page.locator(".d2-below-trees")).to_contain_text("composes no vectors")
    expect(page.get_by_role("button", name="Play")).to_be_hidden()
    page.locator(".d2-node").first.click()
    expect(page.locator(".d2-inspector")).to_contain_text("word, tagged")
