"""The command line as a user meets it: what it prints, its exit codes, and its errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from disco2.version import VERSION

ENTITIES = ["--set", "training.rate_downward=0.02", "--set", "training.rate_entities=0.03"]
SMALL = ["--set", "model.K=20", "--set", "training.epochs=8", "--set", "vectors.frequent=0"]


@pytest.fixture(scope="module")
def role_pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from disco2.corpora.role_pairs import write_role_pairs

    folder = tmp_path_factory.mktemp("corpus") / "role-pairs"
    write_role_pairs(folder, size=300, seed=1)
    return folder


def test_version_and_help(run: Any) -> None:
    code, out, _ = run("--version")
    assert (code, out.splitlines()[0]) == (0, f"disco2 {VERSION}")
    code, out, _ = run("--help")
    assert code == 0
    assert all(command in out for command in ("corpus", "train", "evaluate", "experiment"))


def test_role_pairs_from_nothing_to_figures(run: Any, tmp_path: Path) -> None:
    corpus, model, lines = tmp_path / "pairs", tmp_path / "model", tmp_path / "out" / "lines.jsonl"
    assert run("corpus", "role-pairs", "--output", corpus, "--size", 300)[0] == 0
    here = ("--corpus", "role-pairs", "--path", corpus)

    code, out, _ = run("corpus", "stats", *here, "--json")
    statistics = json.loads(out)
    assert code == 0
    assert statistics["splits"]["train"]["shared_entities"] == 1.0
    assert len(statistics["labels"]) == 2

    code, out, _ = run(
        "train", *here, "--output", model, "--kind", "entities", "--no-features", *SMALL, *ENTITIES, "--json"
    )
    summary = json.loads(out)
    assert code == 0
    assert summary["development_accuracy"] > 0.55

    code, out, _ = run(
        "evaluate", "--model", model, *here, "--split", "test", "--json", "--predictions", lines
    )
    figures = json.loads(out)
    assert code == 0
    assert {"accuracy", "interval", "macro_f1", "n", "per_sense", "shared_entities"} <= figures.keys()
    predictions = [json.loads(line) for line in lines.read_text(encoding="utf-8").splitlines()]
    assert len(predictions) == figures["n"] == figures["shared_entities"]["n"]
    right = sum(one["predicted"] in one["gold"] for one in predictions)
    assert right / len(predictions) == pytest.approx(figures["accuracy"])

    code, out, _ = run("evaluate", "--model", model, *here)
    assert code == 0
    assert "95% interval" in out
    assert "Comparison.Concession" in out


def test_training_twice_writes_the_same_model(run: Any, role_pairs: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        run(
            "train",
            "--corpus",
            "role-pairs",
            "--path",
            role_pairs,
            "--output",
            tmp_path / name,
            "--seed",
            7,
            *SMALL,
        )
    one, two = ((tmp_path / name / "parameters.safetensors").read_bytes() for name in ("one", "two"))
    assert one == two


@pytest.mark.parametrize("to", ["pairs", "conll16"])
def test_a_converted_corpus_reads_back(run: Any, role_pairs: Path, tmp_path: Path, to: str) -> None:
    output = tmp_path / ("pairs.jsonl" if to == "pairs" else "conll16")
    here = ("--corpus", "role-pairs", "--path", role_pairs)
    assert run("corpus", "convert", *here, "--to", to, "--output", output)[0] == 0
    code, out, _ = run("corpus", "stats", "--corpus", to, "--path", output, "--json")
    assert code == 0
    assert json.loads(out)["relations"] == json.loads(run("corpus", "stats", *here, "--json")[1])["relations"]


def test_the_ladder_has_seven_rungs(run: Any, role_pairs: Path, tmp_path: Path) -> None:
    code, out, _ = run(
        "experiment",
        "multiclass",
        "--corpus",
        "role-pairs",
        "--path",
        role_pairs,
        "--output",
        tmp_path,
        "--seeds",
        2,
        *SMALL,
        "--json",
    )
    assert code == 0
    table = json.loads(out)["multiclass"]["tables"][0]
    test = [row[table["columns"].index("test")] for row in table["rows"]]
    assert len(test) == 8
    assert test.pop(2) is None  # a published system
    assert test[0]["mean"] == 0.5
    assert all(measure["deviation"] is not None for measure in test[1:])


def test_print_config_needs_no_corpus(run: Any) -> None:
    code, out, _ = run("train", "--print-config", "--set", "model.K=30", "--kind", "upward")
    assert code == 0
    assert "K = 30" in out
    assert 'kind = "upward"' in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train", "--corpus", "gum", "--path", "nowhere", "--output", "m"], "nowhere"),
        (["train", "--corpus", "gmu", "--path", ".", "--output", "m"], "Did you mean 'gum'"),
        (["train", "--corpus", "pairs", "--path", "{empty}", "--output", "m"], "empty.jsonl"),
        (["train", "--output", "m"], "--corpus"),
        (["train", "--corpus", "role-pairs", "--path", "{corpus}"], "--output"),
        (
            ["train", "--corpus", "role-pairs", "--path", "{corpus}", "--output", "{corpus}"],
            "does not know as its own",
        ),
        (["train", "--print-config", "--set", "model.k=5"], "model.K"),
        (["train", "--print-config", "--config", "nowhere.toml"], "nowhere.toml"),
        (
            ["train", "--corpus", "role-pairs", "--path", "{corpus}", "--output", "m", "--vectors", "no.txt"],
            "no.txt",
        ),
        (
            [
                "train",
                "--corpus",
                "role-pairs",
                "--path",
                "{corpus}",
                "--output",
                "m",
                "--set",
                "model.K=101",
            ],
            "101",
        ),
        (
            ["train", "--corpus", "role-pairs", "--path", "{corpus}", "--output", "m", "--protocol", "lin"],
            "wsj_",
        ),
        (["train", "--corpus", "role-pairs", "--path", "{corpus}", "--output", "m", "--trees", "x"], "trees"),
        (
            ["evaluate", "--model", "./nowhere", "--corpus", "role-pairs", "--path", "{corpus}"],
            "no disco2 model",
        ),
        (
            ["corpus", "stats", "--corpus", "role-pairs", "--path", "{corpus}", "--split", "tset"],
            "train, dev, test",
        ),
        (
            [
                "corpus",
                "convert",
                "--corpus",
                "role-pairs",
                "--path",
                "{corpus}",
                "--to",
                "csv",
                "--output",
                "m",
            ],
            "conll16",
        ),
        (["corpus", "role-pairs", "--output", "{empty}"], "empty.jsonl"),
    ],
)
def test_bad_input_is_one_paragraph_and_exit_code_2(
    run: Any,
    role_pairs: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.jsonl").touch()
    places = {"{corpus}": str(role_pairs), "{empty}": str(tmp_path / "empty.jsonl")}
    code, out, err = run(*(places.get(argument, argument) for argument in arguments))
    assert code == 2
    assert out == ""
    assert message in err
    assert "Traceback" not in err
    assert err.startswith("error: ") or "note: " in err
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize(
    ("arguments", "new"),
    [
        (["predict", "It rained.", "--bundle", "mine"], "--model"),
        (["predict", "It rained.", "--bundle=mine"], "--model"),
        (["serve", "--bundle", "mine"], "--model"),
        (["doctor", "--bundle", "mine"], "--model"),
        (["evaluate", "--bundle", "mine"], "--model"),
        (["train", "--model", "upward"], "--kind"),
        (["tune", "--model", "upward"], "--kind"),
    ],
)
def test_an_option_that_was_renamed_says_so(run: Any, arguments: list[str], new: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    old = {"--model": "--bundle", "--kind": "--model"}[new]
    assert err == f"error: Unknown option {old}. It is now called {new}.\n"


@pytest.mark.parametrize(
    "arguments", [["train", "--bundle", "x"], ["annotate", "--model", "x"], ["predict", "--x"]]
)
def test_an_option_that_never_was_is_no_other(run: Any, arguments: list[str]) -> None:
    code, _, err = run(*arguments)
    assert code == 2
    assert "No such option" in err
    assert "now called" not in err


def test_an_unknown_model_is_told_with_the_nearest(run: Any) -> None:
    code, out, err = run("predict", "It rained. We left.", "--model", "en-fats")
    assert (code, out) == (2, "")
    assert err.startswith("error: Unknown model 'en-fats'. Did you mean 'en-fast'? Choose one of: en, ")


def test_the_disk_is_written_at_once_or_not_at_all(run: Any, role_pairs: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    code, _, err = run(
        "train",
        "--corpus",
        "role-pairs",
        "--path",
        role_pairs,
        "--output",
        tmp_path / "file" / "model",
        *SMALL,
    )
    assert code == 2
    assert "can't be written" in err
