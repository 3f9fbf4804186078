"""disco2 evaluate --end-to-end and disco2 experiment parser, on miniature corpora."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.interfaces.conftest import Run

Options = Mapping[str, Mapping[str, str]]


def given(miniature_corpora: Options, name: str) -> list[str]:
    return ["--corpus", name, *(word for pair in miniature_corpora[name].items() for word in pair)]


@pytest.mark.parametrize("name", ["conll16", "pdtb3"])
def test_every_corpus_with_explicit_relations_is_scored(
    run_small: Run, miniature_corpora: Options, name: str
) -> None:
    options = given(miniature_corpora, name)
    code, out, err = run_small(
        "evaluate", "--end-to-end", *options, "--automatic", "dependencies", "--split", "test", "--json"
    )
    assert code == 0, err
    (table,) = json.loads(out)["parser"]["tables"]
    rows = {row[0]: row for row in table["rows"]}
    assert rows["connectives"][1] > 0
    assert 0 <= rows["all: aligned, with sense"][4]["mean"] <= 1


def test_tables_are_written(run_small: Run, miniature_corpora: Options, tmp_path: Path) -> None:
    options = given(miniature_corpora, "conll16")
    code, out, err = run_small(
        "experiment", "parser", *options, "--automatic", "dependencies", "--output", tmp_path / "runs"
    )
    assert code == 0, err
    assert "gold connectives: sense" in out
    assert (tmp_path / "runs" / "tables" / "parser-test.md").is_file()


def test_a_part_without_explicit_relations_is_refused(run_small: Run, miniature_corpora: Options) -> None:
    options = given(miniature_corpora, "conll16")
    code, _, err = run_small("evaluate", "--end-to-end", *options, "--split", "nowhere")
    assert code == 2
    assert "explicit relation" in err
