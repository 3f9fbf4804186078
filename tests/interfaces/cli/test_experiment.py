"""Every experiment of the paper from start to end, on miniatures of the corpora it is made for."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from disco2.experiments.configuration import read_configuration

pytest.importorskip("optuna")
pytest.importorskip("matplotlib")
pytest.importorskip("sklearn")

SMALL = ("--set", "model.K=8", "--set", "training.epochs=2", "--set", "vectors.frequent=0")
EXPERIMENTS = (
    "tuning",
    "multiclass",
    "crossvalidation",
    "coreference",
    "dimension",
    "binary",
    "initialisation",
    "embeddings",
    "beyond",
)


def options(corpus: Mapping[str, str]) -> list[str]:
    return [text for pair in corpus.items() for text in pair]


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_everything_from_start_to_end(
    run: Any, tmp_path: Path, miniature_corpora: Mapping[str, Mapping[str, str]]
) -> None:
    command = ("experiment", "all", *options(miniature_corpora["pdtb2"]), "--output", tmp_path, *SMALL)
    few = ("--seeds", 1, "--trials", 1, "--jobs", 2)
    code, out, err = run(*command, *few, "--json")
    assert (code, err.count("Traceback")) == (0, 0), err
    found = json.loads(out)
    assert tuple(found) == EXPERIMENTS
    assert len(rows(tmp_path / "tables" / "multiclass.csv")) == 8
    assert len(rows(tmp_path / "tables" / "binary.csv")) == 7
    for kind in ("md", "csv", "tex"):
        assert (tmp_path / "tables" / f"coreference-accuracy.{kind}").stat().st_size > 100
    for figure in ("dimension", "embeddings"):
        assert (tmp_path / "figures" / f"{figure}.png").read_bytes().startswith(b"\x89PNG")
        assert "<svg" in (tmp_path / "figures" / f"{figure}.svg").read_text(encoding="utf-8")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert all(found[one]["title"] in unescape(page) for one in EXPERIMENTS)
    assert "43.56" in (tmp_path / "tables" / "multiclass.md").read_text()  # of the paper
    tuned = found["tuning"]["data"]["upward + entities"]
    settings = read_configuration(tmp_path / tuned["file"])
    assert settings.training.rate_upward == tuned["best"]["values"]["rate_upward"]
    shares = {row["coreference"] for row in rows(tmp_path / "tables" / "coreference.csv")}
    assert shares == {"automatic", "intersection, own", "intersection, automatic"}
    # The main tables are about the version with coreference in every document.
    runs = [json.loads(path.read_text(encoding="utf-8")) for path in (tmp_path / "runs").glob("*/run.json")]
    assert {one["layers"] for one in runs if one["model"] == "upward"} == {"automatic"}
    assert all(one["annotators"] for one in runs if one["layers"] == "automatic")


def test_automatic_coreference_is_not_called_the_corpus_own(
    run: Any, tmp_path: Path, miniature_corpora: Mapping[str, Mapping[str, str]]
) -> None:
    given = {name: text for name, text in miniature_corpora["pdtb2"].items() if name != "--coref"}
    here = (*options(given), "--output", tmp_path, *SMALL, "--seeds", 1)
    layers = ("--automatic", "dependencies,coreference")
    assert run("experiment", "initialisation", *here, *layers)[0] == 0
    names = {path.name for path in (tmp_path / "runs").iterdir()}
    # Without coreference of its own, the corpus has one version: its runs are those.
    code, _, err = run("experiment", "coreference", *here)
    assert code == 0, err
    assert [row["coreference"] for row in rows(tmp_path / "tables" / "coreference.csv")] == ["automatic"]
    after = {path.name for path in (tmp_path / "runs").iterdir()}
    assert names <= after
    assert len(after - names) == 1
    assert all("-automatic-" in name for name in after)


def test_layers_are_compared_with_several_seeds(run: Any, tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.jsonl"
    with pairs.open("w") as stream:
        for number in range(16):
            arg1, label = (("Ann was hungry.", "Result"), ("Ann was late.", "Reason"))[number % 2]
            part = "train" if number < 8 else "dev" if number < 12 else "test"
            record = {"arg1": arg1, "arg2": f"She ran {number}.", "label": label, "split": part}
            stream.write(json.dumps(record) + "\n")
    command = ("experiment", "layers", "--corpus", "pairs", "--path", pairs, "--automatic", "all")
    quick = ("--set", "model.kind=surface", "--set", "training.epochs=2", "--set", "task.minimum=1")
    code, out, err = run(*command, *quick, "--seeds", 2, "--json")
    assert code == 0, err
    (table,) = json.loads(out)["layers"]["tables"]
    assert [row[:2] for row in table["rows"]] == [
        [layers, part] for layers in ("the corpus's own", "automatic: all") for part in ("dev", "test")
    ]
    assert all(row[2]["n"] == 4 and row[2]["deviation"] is not None for row in table["rows"])
