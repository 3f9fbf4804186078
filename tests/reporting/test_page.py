"""The page: well-formed, in one piece, everything escaped."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from disco2.errors import MissingExtraError
from disco2.reporting.figures import png, svg
from disco2.reporting.findings import ConfusionMatrix, Findings, csv, latex, markdown
from disco2.reporting.page import (
    SHADES,
    SHOWN,
    confusion_view,
    mark_mentions,
    report_page,
    table_view,
    write_findings,
)
from tests.html_outline import Outline
from tests.reporting.made_up import CONFUSION, DOTS, EVERYTHING, LADDER, MAP, TESTS, TURNED

pytest.importorskip("matplotlib")


def page(*findings: Findings, **changes: str) -> str:
    return report_page(
        findings,
        title=changes.get("title", "A title"),
        settings='[model]\nK = 50  # <K> & "more"\n',
        versions={"disco2": "0.1.0", "numpy": "2.0"},
        facts={"corpus": "made up", "seeds": "1 to 5"},
    )


@pytest.fixture(scope="module")
def whole() -> str:
    return page(EVERYTHING, replace(EVERYTHING, name="again"))


@pytest.fixture(scope="module")
def outline(whole: str) -> Outline:
    return Outline(whole)


def test_ids_are_unique_and_references_lead_somewhere(outline: Outline) -> None:
    ids = Counter(attributes["id"] for _, attributes in outline.elements if "id" in attributes)
    assert len(ids) > 10
    assert [name for name, times in ids.items() if times > 1] == []
    for _, attributes in outline.elements:
        for name in ("aria-labelledby", "aria-describedby"):
            assert set(attributes.get(name, "").split()) <= set(ids)
        for value in attributes.values():
            assert set(re.findall(r"url\(#([^)]*)\)", value)) <= set(ids)
        if "href" in attributes:
            assert attributes["href"][0] == "#"
            assert attributes["href"][1:] in ids


def test_it_needs_nothing_from_outside(whole: str, outline: Outline) -> None:
    assert not re.search(r"https?:|//[a-z]|@import|url\((?!#)|<link|<script|<iframe", whole)
    for _, attributes in outline.elements:
        assert not set(attributes) & {"srcset", "action", "poster", "data", "xlink:href"}
        assert attributes.get("src", "data:").startswith("data:")
        assert not [name for name in attributes if name.startswith("on")]
    policy = next(meta for meta in outline.all("meta") if "http-equiv" in meta)
    assert policy["content"].startswith("default-src 'none'")


def test_what_looks_like_html_is_text(whole: str, outline: Outline) -> None:
    text = "".join(outline.text)
    for piece in ("<script>alert('", "</blockquote>", "<b>Contrast</b>", 'doc-2:1"<i>', '<K> & "more"'):
        assert piece in text
    assert Outline(page(title="</title><script>")).all("script") == []
    assert "<script" not in whole


def test_contents_figures_and_details(whole: str, outline: Outline) -> None:
    assert len(outline.all("img")) == 4
    assert all(drawing["alt"] for drawing in outline.all("img"))
    assert "dev: 42.0 at 20, 43.0 at 30, 44.0 at 40." in whole
    assert "pronouns: he, she; connectives: but" in whole
    contents = [link["href"] for link in outline.all("a")]
    assert contents == ["#section_everything", "#section_again", "#settings_and_versions"]
    assert {"Settings", "Versions", "The same as a table"} <= set(outline.text)


def test_published_figures_are_marked() -> None:
    view = table_view(LADDER, count())
    assert [[cell["published"] for cell in cells] for _, cells in view["rows"]] == [[False] * 3 + [True]] * 3
    drawn = page(Findings("f", "F", tables=(LADDER,)))
    assert drawn.count('<span class="tag">published</span>') == 1 + 3  # the first explains it
    assert drawn.count('class="number published"') == 3


def test_shades_of_a_confusion_matrix() -> None:
    view = confusion_view(CONFUSION, count())
    assert [row["counts"] for row in view["rows"]] == [
        [("6.0", 7), ("2.0", 3), ("0", 0)],
        [("1.0", 3), ("0.6", 2), ("2.4", 5)],
        [("0", 0), ("0", 0), ("0", 0)],
    ]
    assert [row["recall"] for row in view["rows"]] == ["75", "15", "–"]  # noqa: RUF001
    assert view["precisions"] == ["86", "23", "0"]
    sure = confusion_view(ConfusionMatrix("t", ("a", "b"), ((5, 0), (0, 9))), count())
    assert [row["counts"] for row in sure["rows"]] == [[("5", SHADES), ("0", 0)], [("0", 0), ("9", SHADES)]]
    drawn = page(Findings("f", "F", confusions=(CONFUSION,)))
    assert f".shade{SHADES} {{" in drawn
    assert drawn.count(' right"') == 3


def test_many_turned_relations_are_folded() -> None:
    many = Findings("f", "F", turned=TURNED[:1] * (SHOWN + 3))
    drawn = page(many)
    assert "<summary>3 more</summary>" in drawn
    assert f'<ol start="{SHOWN + 1}"' in drawn
    assert f"Turned right: {SHOWN + 3}" in drawn
    assert "Turned wrong: 0" in drawn
    assert "Turned" not in page(Findings("f", "F"))


def test_entities_that_are_not_in_the_text_are_named(whole: str) -> None:
    assert "also shared: a ghost = it" in whole


@pytest.mark.parametrize(
    ("text", "mentions", "expected"),
    [
        ("She saw Ann.", [(1, "She"), (2, "Ann")], "[She1] saw [Ann2]."),
        ("With it, it is.", [(1, "it"), (1, "it")], "With [it1], [it1] is."),
        ("Ann's dog", [(1, "Ann 's dog"), (2, "Ann 's")], "[Ann&#39;s dog1]"),
        ("a b c", [(1, "a b"), (2, "b c")], "[a b1] c"),
        ("a b", [(1, "a b"), (2, "b"), (3, "a")], "[a b1]"),
        ("a < b & c", [(1, "b & c")], "a &lt; [b &amp; c1]"),
        ("nobody", [(1, "body"), (2, ""), (3, "(")], "nobody"),
        ("($5)", [(1, "$5")], "([$51])"),
        ("", [(1, "x")], ""),
    ],
)
def test_mentions_are_marked(text: str, mentions: list[tuple[int, str]], expected: str) -> None:
    found, _ = mark_mentions(text, mentions)
    short = found.replace("<mark>", "[").replace("</mark>", "]").replace("<sup>", "").replace("</sup>", "")
    assert short == expected
    Outline(str(found))


def test_a_report_opens_with_the_summary_and_ends_with_the_settings() -> None:
    summary = Findings("summary", "Findings", words=("Entities help.",), figures=(DOTS,))
    drawn = report_page(
        [EVERYTHING], title="T", settings="", versions={}, facts={"seeds": "1"}, summary=summary
    )
    Outline(drawn)
    places = [
        drawn.index(text)
        for text in ("Entities help.", "Accuracy of systems", "Contents", "Everything &lt;", "<dt>seeds")
    ]
    assert places == sorted(places)


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
    assert content["confusions"][0]["labels"] == ["Cause", "Contrast", "Purpose"]
    assert content["turned"][0]["entities"] == [[["Tina"], ["She"]]]


def test_without_matplotlib_the_rest_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("disco2.reporting.figures.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError):
        write_findings(EVERYTHING, tmp_path)
    assert files(tmp_path) == {name for name in FILES if not name.startswith("figures/")}
