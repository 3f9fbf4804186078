"""disco2 corpus, the options that name a corpus and its layers, and the cache of layers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.interfaces.conftest import Run

TEXT = "The boat was slow. However, it reached the harbour.\n\nWe stayed at home because it was cold.\n"
PAIRS = [
    ("Ann was hungry.", "She ate a bun.", "Result"),
    ("Ben was tired.", "He slept for hours.", "Result"),
    ("Cleo left early.", "She had missed her bus.", "Reason"),
    ("Dan ran home.", "He was late.", "Reason"),
] * 4
SMALL = ("--set", "model.K=20", "--set", "training.epochs=8", "--set", "vectors.frequent=0")


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("automatic") / "pairs.jsonl"
    lines = []
    for number, (arg1, arg2, label) in enumerate(PAIRS):
        part = "train" if number < 8 else "dev" if number < 12 else "test"
        lines.append({"arg1": arg1, "arg2": arg2, "label": label, "split": part, "id": str(number)})
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


def test_role_pairs_from_nothing_to_figures(run: Run, tmp_path: Path) -> None:
    corpus, model, lines = tmp_path / "pairs", tmp_path / "model", tmp_path / "out" / "lines.jsonl"
    assert run("corpus", "role-pairs", "--output", corpus, "--size", 300)[0] == 0
    here = ("--corpus", "role-pairs", "--path", corpus)
    statistics = json.loads(run("corpus", "stats", *here, "--json")[1])
    assert statistics["splits"]["train"]["shared_entities"] == 1.0
    assert len(statistics["labels"]) == 2
    rates = ("--set", "training.rate_downward=0.02", "--set", "training.rate_entities=0.03")
    options = ("--output", model, "--kind", "entities", "--no-features", *SMALL, *rates, "--json")
    assert json.loads(run("train", *here, *options)[1])["development_accuracy"] > 0.55
    judged = ("evaluate", "--model", model, *here, "--split", "test")
    figures = json.loads(run(*judged, "--json", "--predictions", lines)[1])
    assert {"accuracy", "interval", "macro_f1", "n", "per_sense", "shared_entities"} <= figures.keys()
    predictions = [json.loads(line) for line in lines.read_text(encoding="utf-8").splitlines()]
    assert len(predictions) == figures["n"] == figures["shared_entities"]["n"]
    right = sum(one["predicted"] in one["gold"] for one in predictions)
    assert right / len(predictions) == pytest.approx(figures["accuracy"])
    _, out, _ = run(*judged)
    assert "95% interval" in out
    assert "Comparison.Concession" in out
    for to in ("pairs", "conll16"):
        output = tmp_path / f"{to}.jsonl"
        assert run("corpus", "convert", *here, "--to", to, "--output", output)[::2] == (0, "")
        found = json.loads(run("corpus", "stats", "--corpus", to, "--path", output, "--json")[1])
        assert found["relations"] == statistics["relations"]


def test_automatic_layers_and_their_cache(
    run: Run, pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DISCO2_CACHE", str(tmp_path / "cache"))
    stats = ("corpus", "stats", "--corpus", "pairs", "--path", pairs, "--json")

    def shares(*options: str) -> list[float]:
        code, out, err = run(*stats, *options)
        assert code == 0, err
        return [part["shared_entities"] for part in json.loads(out)["splits"].values()]

    assert not any(shares("--automatic", "none"))
    usual = shares()
    assert all(share > 0.7 for share in usual)
    assert run(*stats)[2].rstrip().endswith("16 of 16 documents from the cache")
    assert usual == shares() == shares("--automatic", "all") == shares("--no-cache")
    assert "cache" not in run(*stats, "--no-cache")[2]
    assert json.loads(run("cache", "info", "--json")[1])["documents"] == 4  # different texts
    assert run("cache", "clear")[1].startswith("removed: ")
    assert "0 documents" in run("cache", "info")[1]
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("DISCO2_CACHE", str(tmp_path / "file"))
    code, _, err = run(*stats)
    assert (code, "can't be used" in err) == (0, True)
    monkeypatch.setenv("DISCO2_CACHE", "~no-such-user/cache")
    code, _, err = run(*stats)
    assert (code, "cache" in err) == (0, False)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("corpus stats {pairs} --automatic trees", "Unknown layer 'trees'"),
        ("corpus stats {pairs} --automatic tokens,tags", "can't be combined"),
        ("corpus stats {pairs} --automatic ,", "Unknown layer"),
        ("corpus stats {pairs} --automatic none,tags", "Unknown layer 'none'"),
        ("corpus stats {pairs} --automatic all --spacy no_such_pipeline", "no_such_pipeline"),
        ("corpus stats {pairs} --automatic none --split tset", "train, dev, test"),
        ("corpus stats {pairs} --automatic none --with-coref-only", "--coref"),
        ("corpus convert {pairs} --to csv --output m", "conll16"),
        ("corpus role-pairs --output empty.jsonl", "empty.jsonl"),
        ("train --corpus gum --path nowhere --output m", "nowhere"),
        ("train --corpus gmu --path . --output m", "Known corpora: gum"),
        ("train --corpus pairs --path empty.jsonl --output m", "empty.jsonl"),
        ("train --output m", "--corpus"),
        ("train {pairs}", "--output"),
        ("train --print-config --set model.k=5", "model.K"),
        ("train --print-config --config nowhere.toml", "nowhere.toml"),
        ("train {pairs} --automatic none --output m --vectors no.txt", "no.txt"),
        ("train {pairs} --automatic none --output m --set model.K=101", "101"),
        ("train {pairs} --automatic none --output m --protocol lin", "wsj_"),
        ("train {pairs} --output m --trees x", "trees"),
        ("train {pairs} --automatic none --output empty.jsonl/m", "can't be written"),
        ("evaluate --model ./nowhere {pairs}", "no disco2 model"),
        ("evaluate {pairs} --form conll17 --predictions x", "jsonl, conll16, disrpt"),
        ("evaluate {pairs} --form disrpt", "--predictions"),
        ("corpus mine {texts} --paragraphs page", "Unknown paragraph mode 'page'."),
        ("corpus mine {texts} --exclude-corpus gum", "'gum' names no corpus. Give KIND=PATH"),
        ("corpus mine {texts} --exclude-corpus gumm=x", "gumm"),
        ("corpus mine {texts} --encoding no-such", "no-such"),
        ("corpus mine {texts} --exclude no-such.txt", "no-such.txt"),
        ("corpus mine {texts}", "No text matches."),
        ("annotator train --gum . --output a", "tools.train_annotator"),
    ],
)
def test_bad_input_is_one_paragraph_and_exit_code_2(
    run: Run, pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.jsonl").touch()
    given = {"pairs": f"--corpus pairs --path {pairs}", "texts": "--files *.txt --output out.jsonl"}
    code, out, err = run(*command.format(**given).split())
    assert (code, out) == (2, "")
    assert message in err
    assert "Traceback" not in err
    assert err.startswith("error: ") or "note: " in err
    assert [path.name for path in tmp_path.iterdir()] == ["empty.jsonl"]


def test_print_config_needs_no_corpus(run: Run) -> None:
    code, out, _ = run("train", "--print-config", "--set", "model.K=30", "--kind", "upward")
    assert (code, "K = 30" in out, 'kind = "upward"' in out) == (0, True, True)


def test_mine(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT)
    held, output = tmp_path / "held.jsonl", tmp_path / "pairs.jsonl"
    sentence = "We stayed at home because it was cold."
    held.write_text(json.dumps({"arg1": sentence, "arg2": "We slept.", "label": "x"}))
    (tmp_path / "held.txt").write_text(sentence)
    command = ["corpus", "mine", "--files", f"{tmp_path}/a.txt*", "--output", output, "--jobs", 1]
    code, out, err = run(*command)
    assert (code, err) == (0, "")
    assert out.endswith(f"{output}: 2 pairs\n")
    assert "Contingency.Cause.Reason" in out
    exclusions = (("--exclude", tmp_path / "held.txt"), ("--exclude", held))
    for option in (*exclusions, ("--exclude-corpus", f"pairs={held}")):
        code, out, err = run(*command, *option)
        assert (code, out.endswith(": 1 pairs\n")) == (0, True)
        assert "no pair may contain one of 1 sentences" in err
        assert [json.loads(line)["connective"] for line in output.read_text().splitlines()] == ["however"]
    (tmp_path / "a.txt.xz").write_text("no xz")
    code, out, err = run(*command)
    assert (code, "2 pairs" in out, "a.txt.xz: It can't be read" in err) == (2, True, True)
