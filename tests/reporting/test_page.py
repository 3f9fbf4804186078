"""The page: well-formed, in one piece, everything escaped; and the files of findings."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from disco2.errors import MissingExtraError
from disco2.reporting.figures import png, svg
from disco2.reporting.findings import Findings, Table, csv, latex, markdown
from disco2.reporting.page import report_page, write_findings
from tests.html_outline import Outline
from tests.reporting.made_up import EVERYTHING, LADDER, MAP, TESTS

pytest.importorskip("matplotlib")


def page(*findings: Findings, title: str = "A title") -> str:
    return report_page(
        findings,
        title=title,
        settings='[model]\nK = 50  # <K> & "more"\n',
        versions={"disco2": "0.1.0", "numpy": "2.0"},
        facts={"corpus": "made up", "seeds": "1 to 5"},
    )


@pytest.fixture(scope="module")
def whole() -> str:
    hostile = Table("t", "<b>T</b>", ("<i>c", "d"), (('"<i>', "<script>alert('Ann')</script>"),), ("</p>",))
    return page(EVERYTHING, Findings("again", "Again", tables=(hostile,)))


def test_it_needs_nothing_from_outside_and_links_lead_somewhere(whole: str) -> None:
    outline = Outline(whole)
    assert not re.search(r"https?:|//[a-z]|@import|url\((?!#)|<link|<script|<iframe", whole)
    ids = [attributes["id"] for _, attributes in outline.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for _, attributes in outline.elements:
        assert attributes.get("src", "data:").startswith("data:")
        assert not [name for name in attributes if name.startswith("on")]
        assert set(attributes.get("aria-labelledby", "").split()) <= set(ids)
    links = [link["href"] for link in outline.all("a")]
    assert links == ["#section_everything", "#section_again", "#settings_and_versions"]
    assert {link[1:] for link in links} <= set(ids)
    policy = next(meta for meta in outline.all("meta") if "http-equiv" in meta)
    assert policy["content"].startswith("default-src 'none'")


def test_what_looks_like_html_is_text(whole: str) -> None:
    text = "".join(Outline(whole).text)
    for piece in ("<script>alert('Ann')", "<b>T</b>", '"<i>', "<i>c", "</p>", '<K> & "more"'):
        assert piece in text
    assert Outline(page(title="</title><script>")).all("script") == []


def test_tables_figures_and_facts(whole: str) -> None:
    outline = Outline(whole)
    assert "47.2 ± 0.9 (43.5 to 50.9)" in whole
    assert whole.count("(published)") == 3
    assert len(outline.all("img")) == 2
    assert "dev: 42.0 at 20, 43.0 at 30, 44.0 at 40." in whole
    assert "pronouns: he, she; connectives: but" in whole
    assert {"Settings", "Versions", "made up", "numpy"} <= set(outline.text)


FILES = {
    "findings/everything.json",
    *(f"tables/{name}.{ending}" for name in ("ladder", "tests") for ending in ("md", "csv", "tex")),
    *(f"figures/{name}.{ending}" for name in ("lines", "map") for ending in ("png", "svg")),
}


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_all_files_and_no_others(tmp_path: Path) -> None:
    write_findings(EVERYTHING, tmp_path)
    assert files(tmp_path) == FILES
    assert (tmp_path / "figures" / "map.svg").read_text(encoding="utf-8") == svg(MAP)
    assert (tmp_path / "figures" / "map.png").read_bytes() == png(MAP)
    assert (tmp_path / "tables" / "ladder.md").read_text(encoding="utf-8") == markdown(LADDER)
    assert (tmp_path / "tables" / "tests.csv").read_text(encoding="utf-8") == csv(TESTS)
    assert (tmp_path / "tables" / "tests.tex").read_text(encoding="utf-8") == latex(TESTS)


def test_json_has_kinds(tmp_path: Path) -> None:
    write_findings(replace(EVERYTHING, figures=()), tmp_path)
    content = json.loads((tmp_path / "findings" / "everything.json").read_text(encoding="utf-8"))
    assert content["data"] == {"seeds": [1, 2]}
    row = content["tables"][0]["rows"][2]
    assert row[:3] == ["full_model", "yes", 1000]
    assert row[3]["kind"] == "measure"
    assert (row[3]["mean"], row[3]["interval"], row[3]["published"]) == (0.472, [0.435, 0.509], False)
    assert row[4]["published"] is True
    assert [cell["kind"] for cell in content["tables"][1]["rows"][0][1:]] == ["difference", "p"]


def test_without_matplotlib_the_rest_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("disco2.reporting.figures.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError):
        write_findings(EVERYTHING, tmp_path)
    assert files(tmp_path) == {name for name in FILES if not name.startswith("figures/")}
