"""disco2 evaluate: predictions in the forms of shared tasks, and the whole pipeline from raw text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from disco2.corpora.catalogue import read_corpus
from disco2.experiments.configuration import Configuration
from disco2.experiments.division import divide
from disco2.experiments.train_run import save_model, train_model
from tests.corpora import conll16_rules, disrpt_rules
from tests.corpora.miniature import documents, write_coreference, write_pdtb2, write_trees
from tests.corpora.miniature_conll16 import write_conll16_parts
from tests.corpora.miniature_documents import ALL_SCENES
from tests.interfaces.conftest import Run

SMALL = Configuration().changed({"model.K": 10, "training.epochs": 3, "vectors.frequent": 0})
TEST_PART = "conll16-en-test"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """CoNLL-16 and PDTB 2 in miniature, without senses too, and a model for each."""
    root = tmp_path_factory.mktemp("export")
    docs = documents([2, 3, 4, 22, 23], files=(3, 4), scenes=ALL_SCENES)
    paths = {
        "conll16": write_conll16_parts(root / "conll16", docs),
        "blind": write_conll16_parts(root / "blind", docs, senses=False) / TEST_PART,
        "pdtb2": write_pdtb2(root / "pdtb2", docs),
        "trees": write_trees(root / "trees", docs),
        "coref": write_coreference(root / "coref", docs[::2]),
    }
    for name, layers in (("conll16", {}), ("pdtb2", {"trees": paths["trees"]})):
        corpus = read_corpus(name, paths[name], **layers)
        parts = divide(corpus, SMALL)
        paths[f"{name} model"] = root / f"{name}-model"
        fitted = train_model(corpus, parts, SMALL)
        save_model(fitted, parts, SMALL, corpus, paths[f"{name} model"])
    return paths


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_conll16_predictions_have_a_label_for_every_given_relation(
    run: Any, made: Mapping[str, Path], tmp_path: Path
) -> None:
    here = ("--corpus", "conll16", "--path", made["conll16"], "--model", made["conll16 model"], "--json")
    output = tmp_path / "out" / "output.json"
    code, out, errors = run("evaluate", *here, "--predictions", output, "--form", "conll16")
    assert code == 0
    gold, predicted = lines_of(made["conll16"] / TEST_PART / "relations.json"), lines_of(output)
    assert conll16_rules.complaints(output.read_text(encoding="utf-8")) == []
    assert conll16_rules.supplementary_complaints(gold, predicted) == []
    assert f"{len(gold)} predictions written as conll16" in errors
    assert "does not count them: Explicit (10)" in errors

    implied = [one for one in gold if one["Type"] != "Explicit"]
    figures = json.loads(out)
    assert figures["n"] == len(implied)
    assert figures["accuracy"] == pytest.approx(conll16_rules.correct(implied, predicted) / len(implied))
    code, again, _ = run("evaluate", *here)
    assert (code, again) == (0, out), "writing predictions changes no figure"


def test_relations_without_senses_get_the_same_labels(
    run: Any, made: Mapping[str, Path], tmp_path: Path
) -> None:
    model = ("--model", made["conll16 model"], "--form", "conll16")
    blind = ("--corpus", "conll16", "--path", made["blind"])
    code, out, errors = run("evaluate", *blind, *model, "--predictions", tmp_path / "blind.json", "--json")
    gold = lines_of(made["conll16"] / TEST_PART / "relations.json")
    assert code == 0
    assert json.loads(out) == {"split": "test", "n": 0, "predictions": len(gold)}
    assert "no figures" in errors
    run(
        "evaluate", "--corpus", "conll16", "--path", made["conll16"], *model,
        "--predictions", tmp_path / "seen.json",
    )  # fmt: skip
    blind_lines, seen = (lines_of(tmp_path / name) for name in ("blind.json", "seen.json"))
    assert [one["ID"] for one in blind_lines] == [one["ID"] for one in gold]
    assert {one["Type"] for one in blind_lines} <= {"Explicit", "Implicit", "EntRel"}
    assert [one["Arg1"] for one in blind_lines] == [one["Arg1"] for one in seen]
    assert [one["Sense"] for one in blind_lines] == [one["Sense"] for one in seen], "labels don't leak in"


def test_any_corpus_as_a_disrpt_table(run: Any, made: Mapping[str, Path], tmp_path: Path) -> None:
    code, _, errors = run(
        "evaluate", "--corpus", "pdtb2", "--path", made["pdtb2"], "--trees", made["trees"],
        "--model", made["pdtb2 model"], "--predictions", tmp_path / "t.rels", "--form", "disrpt",
    )  # fmt: skip
    assert code == 0
    assert disrpt_rules.complaints((tmp_path / "t.rels").read_text(encoding="utf-8")) == []
    assert "2 relations are NoRel" in errors


def test_only_documents_with_coreference(run: Any, made: Mapping[str, Path]) -> None:
    here = ("--corpus", "pdtb2", "--path", made["pdtb2"], "--trees", made["trees"])
    code, out, errors = run("corpus", "stats", *here, "--coref", made["coref"], "--with-coref-only", "--json")
    assert code == 0
    assert "5 of 10 documents have coreference." in errors
    assert json.loads(out)["documents"] == 5
    code, _, errors = run("corpus", "stats", *here, "--with-coref-only")
    assert code == 2
    assert "--coref" in errors


# The whole pipeline from raw text

Options = Mapping[str, Mapping[str, str]]


def given(miniature_corpora: Options, name: str) -> list[str]:
    return ["--corpus", name, *(word for pair in miniature_corpora[name].items() for word in pair)]


@pytest.mark.parametrize("name", ["conll16", "pdtb3"])
def test_every_corpus_with_explicit_relations_is_scored(
    run_small: Run, miniature_corpora: Options, tmp_path: Path, name: str
) -> None:
    given_corpus = (*given(miniature_corpora, name), "--automatic", "dependencies", "--output", tmp_path)
    code, out, err = run_small("experiment", "parser", *given_corpus, "--json")
    assert code == 0, err
    (table,) = json.loads(out)["parser"]["tables"]
    rows = {row[0]: row for row in table["rows"]}
    assert rows["connectives"][1] > 0
    assert 0 <= rows["all: aligned, with sense"][4]["mean"] <= 1
    assert (tmp_path / "tables" / "parser-test.md").is_file()
    code, same, err = run_small("evaluate", "--end-to-end", *given_corpus[:-2], "--split", "test", "--json")
    assert code == 0, err
    assert json.loads(same)["parser"]["tables"] == [table]


def test_a_part_without_explicit_relations_is_refused(run_small: Run, miniature_corpora: Options) -> None:
    options = given(miniature_corpora, "conll16")
    code, _, err = run_small("evaluate", "--end-to-end", *options, "--split", "nowhere")
    assert code == 2
    assert "explicit relation" in err
