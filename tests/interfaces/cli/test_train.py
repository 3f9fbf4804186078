"""disco2 train and disco2 tune: a user's own labels, several corpora, adapting, and searched settings."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import disco2
from disco2.annotation.annotator import ALL_LAYERS, AnnotatorChoice, Annotators
from disco2.bundle import save_bundle
from disco2.corpora.catalogue import with_automatic_layers
from disco2.corpora.pairs import read_pairs
from disco2.corpora.role_pairs import write_role_pairs
from disco2.data import Corpus
from disco2.errors import InputError
from disco2.experiments.configuration import read_configuration
from disco2.files import FileLock
from disco2.inference.candidates import GivenPair
from disco2.interfaces.cli.train import LOCK
from disco2.training.loop import Learner
from tests.conftest import ROOT
from tests.corpora.discogem_files import write_discogem
from tests.encoders import small_encoder
from tests.inference.rule_annotator import RuleAnnotator
from tests.interfaces.conftest import Run
from tests.interfaces.made_up_pairs import made_up_pairs

EXAMPLE = ROOT / "examples" / "feedback.csv"
QUICK = ("--set", "training.epochs=3", "--set", "model.K=10")
Relabel = Callable[[int, str], str]


def write_csv(file: Path, rows: Sequence[Sequence[str]], header: str = "arg1,arg2,label,split") -> Path:
    with file.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([header.split(","), *rows])
    return file


def example() -> list[list[str]]:
    with EXAMPLE.open(newline="", encoding="utf-8") as stream:
        return list(csv.reader(stream))[1:]


def relabel_example(file: Path, relabel: Relabel, *, split: bool = True) -> tuple[str, ...]:
    """Write the example with other labels; the options that name it."""
    rows = [[*row[:2], relabel(number, row[2]), row[3]] for number, row in enumerate(example())]
    header = "arg1,arg2,label,split" if split else "arg1,arg2,label"
    path = write_csv(file, rows if split else [row[:3] for row in rows], header)
    return "--corpus", "pairs", "--path", str(path)


# A user's own labels


@pytest.fixture(scope="module")
def annotators() -> Iterator[Annotators]:
    with AnnotatorChoice().open() as found:
        yield found


def test_a_pair_gets_the_same_layers_in_training_and_prediction(
    tmp_path: Path, annotators: Annotators
) -> None:
    pairs = [
        ("He left", "the house was empty"),  # without a full stop
        ("Tina, who is tall, waited.", "She saw Bob and he waved at her."),
        ("  Dr. Smith\n\nis in. ", "\tHe's late\u2026 Isn't he?\n"),
        ("\u201cOh\u201d \u200d", "\u200d she said\u200b; then\u00adleft. \ufeff"),
        ("A\x00B\x0c c.", "D\x85e\x1ff"),
        ("However, it rained.", "But we went out."),
        ("x" * 900, "one. Two! three? " * 30),
        *((row[0], row[1]) for row in example()[:20]),
    ]
    file = tmp_path / "pairs.jsonl"
    file.write_text("".join(json.dumps({"arg1": one, "arg2": two}) + "\n" for one, two in pairs))
    corpus = with_automatic_layers(read_pairs(file), annotators, ALL_LAYERS)
    given = [GivenPair(one, two) for one, two in pairs]
    documents = annotators.annotate([pair.document() for pair in given])
    for relation, pair, document in zip(corpus.relations, given, documents, strict=True):
        asked = pair.candidate(document).instance
        trained = corpus.documents[relation.document]
        for one, other in zip(trained.tokens, asked.document.tokens, strict=True):
            assert (one.text, one.tag) == (other.text, other.tag)
        assert (trained.sentences, trained.mentions) == (asked.document.sentences, asked.document.mentions)
        assert relation.arg1.tokens == asked.relation.arg1.tokens
        assert relation.arg2.tokens == asked.relation.arg2.tokens


def test_own_labels_from_training_to_prediction(run: Run, tmp_path: Path) -> None:
    model, lines = tmp_path / "model", tmp_path / "lines.jsonl"
    labels = {row[2] for row in example()}
    code, out, err = run("train", "--corpus", "Pairs", "--path", EXAMPLE, "--output", model)
    assert (code, "trained on 50 relations with 5 labels" in out) == (0, True), err
    assert "note: tokens, tags, dependencies, constituents, coreference by disco2 English" in err
    here = ("--corpus", "pairs", "--path", EXAMPLE)
    code, _, err = run("evaluate", "--model", model, *here, "--predictions", lines)
    assert (code, "warning" in err) == (0, False), err
    nlp = disco2.load(model)
    test = [(row[0], row[1]) for row in example() if row[3] == "test"]
    records = [json.loads(line) for line in lines.read_text().splitlines()]
    for record, answer in zip(records, nlp.classify_many(test), strict=True):
        assert answer.scores == pytest.approx(record["scores"], abs=1e-4)
        assert answer.sense == record["predicted"]
    text = "The lamp broke. It fell from the desk. I like the new one."
    relations = json.loads(run("predict", "--model", model, text, "--json", "--explain")[1])["relations"]
    assert [set(one["probabilities"]) for one in relations] == [labels, labels]
    assert "Layers: tokens, tags" in (model / "MODEL_CARD.md").read_text()
    code, _, err = run("evaluate", "--model", model, *here, "--automatic", "none")
    assert (code, "Automatic layers in training: tokens" in err) == (0, True)


ODD_LABELS = {
    "reason": "a reason, with a comma",
    "contrast": "Gegensatz \u5bfe\u6bd4",
    "example": "3",
    "consequence": "Comparison",  # also a class of the PDTB
    "unrelated": "Expansion.of.my.own",
}


@pytest.mark.parametrize(
    ("relabel", "labels"),
    [
        (lambda _, label: ODD_LABELS[label], set(ODD_LABELS.values())),
        (lambda _, label: str(label == "reason"), {"True", "False"}),
        (lambda number, _: "rare" if number == 3 else "usual", {"rare", "usual"}),
    ],
)
def test_any_set_of_labels_can_be_learned(
    run: Run, tmp_path: Path, relabel: Relabel, labels: set[str]
) -> None:
    here = relabel_example(tmp_path / "p.csv", relabel)
    code, out, err = run("train", *here, "--output", tmp_path / "m", *QUICK, "--json")
    assert code == 0, err
    assert set(json.loads(out)["labels"]) == labels
    probabilities = disco2.load(tmp_path / "m").classify("It rained.", "We left.").probabilities
    assert set(probabilities) == labels
    assert sum(probabilities.values()) == pytest.approx(1)


def test_entrel_and_norel_keep_their_meaning(run: Run, tmp_path: Path) -> None:
    kinds = {"unrelated": "NoRel", "example": "EntRel"}
    here = relabel_example(tmp_path / "p.csv", lambda _, label: kinds.get(label, label))
    code, _, err = run("train", *here, "--output", tmp_path / "m", *QUICK)
    assert code == 0, err
    for label in kinds.values():
        assert f"the label {label} for two given arguments" in err
    figures = json.loads(run("evaluate", "--model", tmp_path / "m", *here, "--json")[1])
    assert (figures["n"], figures["senses_only"]["n"]) == (15, 9)
    nlp = disco2.load(tmp_path / "m")
    senses = {"reason", "contrast", "consequence"}
    assert set(nlp.classify("It rained.", "We left.").probabilities) == senses
    assert set(nlp("It rained. We left.")[0].probabilities) == senses | {"EntRel", "NoRel"}
    here = relabel_example(tmp_path / "q.csv", lambda number, _: ("EntRel", "NoRel")[number % 2])
    code, _, err = run("train", *here, "--output", tmp_path / "n", *QUICK)
    assert (code, "other names" in err) == (2, True)


def test_pairs_without_a_split(run: Run, tmp_path: Path) -> None:
    here = relabel_example(tmp_path / "p.csv", lambda n, label: "" if n < 5 else label, split=False)
    code, out, err = run("train", *here, "--output", tmp_path / "m", *QUICK)
    assert (code, "trained on 60 relations" in out) == (0, True)
    assert "5 of 80 training relations are left out: no sense (5)" in err
    assert "20% of the training relations are held out" in err
    code, _, err = run("evaluate", "--model", tmp_path / "m", *here)
    assert (code, "--split" in err, "--protocol cv5-0" in err) == (2, True, True)
    assert "by disco2 English" not in err  # checked before the annotation
    code, out, _ = run("evaluate", "--model", tmp_path / "m", *here, "--split", "train")
    assert (code, "75 relations of 'train'" in out) == (0, True)
    assert run("train", *here, "--output", tmp_path / "f", *QUICK, "--protocol", "cv5-0")[0] == 0
    code, out, err = run("evaluate", "--model", tmp_path / "f", *here)
    assert (code, "relations of 'test'" in out, "warning" in err) == (0, True, False)
    assert not read_pairs(EXAMPLE).notes


# Several corpora

SURFACE = ("--kind", "surface", "--set", "training.epochs=1", "--automatic", "none", "--json")
LABELS = ("Contingency.Cause", "Expansion.Conjunction", "Comparison.Contrast")
MAIN = 'corpus = "pairs"\npath = "main.jsonl"\nlevel = 2'
FURTHER = 'corpus = "discogem"\npath = "discogem"\nweight = 0.5'


@pytest.fixture
def corpora(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Pairs with level-2 senses, DiscoGeM, and pairs without labels; the current folder is above them."""
    folder = tmp_path / "corpora"
    write_discogem(folder / "discogem", 12)
    lines, bare = [], []
    for number in range(36):
        pair = {"arg1": f"Lamp {number} went out.", "arg2": f"Room {number % 5} was dark for guest {number}."}
        bare.append(json.dumps(pair) + "\n")
        split = ("train", "train", "dev")[number // 3 % 3]
        lines.append(json.dumps({**pair, "label": LABELS[number % 3], "split": split}) + "\n")
    (folder / "main.jsonl").write_text("".join(lines))
    (folder / "bare.jsonl").write_text("".join(bare))
    monkeypatch.chdir(tmp_path)
    return folder


def configure(corpora: Path, *entries: str) -> Path:
    file = corpora / "mixture.toml"
    file.write_text("".join(f"[[data]]\n{entry}\n" for entry in entries))
    return file


def test_several_corpora_by_configuration_and_by_options(run: Run, corpora: Path, tmp_path: Path) -> None:
    config = ("--config", configure(corpora, MAIN, FURTHER))
    code, out, err = run("train", *config, "--output", "model", *SURFACE)
    assert code == 0, err
    summary = json.loads(out)
    assert summary["labels"] == sorted(LABELS)
    assert (summary["training_relations"], summary["development_relations"]) == (24, 12)
    (further,) = summary["further"]
    assert (further["corpus"], further["protocol"], further["weight"]) == ("discogem", "documents", 0.5)
    assert "discogem (train, protocol documents) adds" in err
    assert str(tmp_path) not in Path("model/bundle.json").read_text()
    by_options = ("--data", "discogem=corpora/discogem:0.5", "--set", "task.level=2")
    for number, main in enumerate(
        (["--corpus", "pairs", "--path", "corpora/main.jsonl"], ["--data", "pairs=corpora/main.jsonl"])
    ):
        code, _, err = run("train", *main, *by_options, "--output", f"model{number}", *SURFACE)
        assert code == 0, err
        for name in ("parameters.safetensors", "features.json"):
            assert Path(f"model{number}", name).read_bytes() == Path("model", name).read_bytes()


def test_bad_combinations_of_corpora(run: Run, corpora: Path) -> None:
    main = ("--corpus", "pairs", "--path", "corpora/main.jsonl")
    out = ("--output", "model", *SURFACE)
    code, _, err = run("train", "--config", configure(corpora, MAIN + '\npart = "dev"', FURTHER), *out)
    assert (code, "'train'" in err) == (2, True)
    code, _, err = run("train", *main, "--config", configure(corpora, MAIN), *out)
    assert (code, "in [[data]] as well" in " ".join(err.split())) == (2, True)
    for text in ("discogem", "=corpora", "discogem=", "odd=corpora", "discogem=corpora:0"):
        code, _, err = run("train", *main, "--data", text, *out)
        assert (code, f"--data {text}" in err) == (2, True)
    config = ("--config", configure(corpora, FURTHER))
    for command in (("tune", "--output", "best.toml"), ("experiment", "multiclass")):
        code, _, err = run(*command, *main, *config)
        assert (code, "works on one corpus" in " ".join(err.split())) == (2, True), err


# Adapting a model


@pytest.fixture
def adapting(tmp_path: Path) -> list[str]:
    """A small encoder, and labels that the last word decides."""
    save_bundle(
        small_encoder(), tmp_path / "base", data={"label_counts": {}}, calibration={"temperature": 1.5}
    )
    labels = {"hungry": "Contingency.Cause", "cancelled": "Comparison.Concession"}
    rows = [
        [f"it rained {'so ' * number}.", f"she was {word} .", label, "train"]
        for number in range(15)
        for word, label in labels.items()
    ]
    path = write_csv(tmp_path / "labels.csv", rows)
    pairs = ["--corpus", "pairs", "--path", str(path), "--automatic", "none"]
    return ["train", *pairs, "--from-model", str(tmp_path / "base"), "--output", str(tmp_path / "adapted")]


def test_a_model_is_adapted_to_labelled_pairs(run: Run, adapting: list[str], tmp_path: Path) -> None:
    code, out, err = run(*adapting)
    assert code == 0, err
    summary, before, after, verdict = out.splitlines()
    assert "'base' adapted on 30 pairs with 2 labels in" in summary
    assert before.startswith("accuracy before: ")
    assert after.startswith("accuracy after, by 5-fold cross-validation: 100.0% (95% interval ")
    assert verdict.startswith("Gain: +")
    answer = disco2.load(tmp_path / "adapted", annotators=RuleAnnotator()).classify(
        "it rained", "she was hungry"
    )
    assert answer.sense == "Contingency.Cause"
    figures = json.loads(run(*adapting, "--json")[1])
    assert (figures["pairs"], figures["accuracy_after"], figures["from_model"]) == (30, 1.0, "base")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--kind", "surface"], "With --from-model, --seed is the only setting."),
        (["--set", "model.K=5"], "With --from-model, --seed is the only setting."),
        (["--corpus", "gum"], "--from-model needs labelled pairs."),
        (["--from-model", "en-paper"], "Only an encoder can be adapted"),
        (["--from-model", "no-such"], "Unknown model 'no-such'"),
    ],
)
def test_what_adapting_refuses(
    run: Run, adapting: list[str], tmp_path: Path, options: list[str], message: str
) -> None:
    code, out, err = run(*adapting, *options)
    assert (code, out, message in err) == (2, "", True), err
    assert not (tmp_path / "adapted").exists()


# The output folder


@pytest.fixture
def given(tmp_path: Path) -> list[str]:
    """A training that takes a moment."""
    pairs, labels = made_up_pairs(60)
    rows = [
        [*pair, label, "train" if n % 3 else "dev"]
        for n, (pair, label) in enumerate(zip(pairs, labels, strict=True))
    ]
    path = write_csv(tmp_path / "pairs.csv", rows)
    settings = ("model.K=5", "vectors.frequent=0", "features.minimum_count=2", "training.epochs=3")
    options = [f"--set={one}" for one in settings]
    return ["train", "--corpus", "pairs", "--path", str(path), "--automatic", "none", *options]


def test_an_interrupted_training_leaves_nothing(run: Run, given: list[str], tmp_path: Path) -> None:
    room = tmp_path / "room"

    def interrupt(*_: Any) -> float:
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Learner, "one_pass", interrupt)
        code, _, err = run(*given, "--output", room / "model")
    assert code == 128 + signal.SIGINT
    assert "kept" not in err
    assert list(room.iterdir()) == []
    for name in ("one", "two"):
        assert run(*given, "--output", room / name)[0] == 0
    assert (room / "one/parameters.safetensors").read_bytes() == (
        room / "two/parameters.safetensors"
    ).read_bytes()


def test_places_that_are_refused_before_any_work(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "room").mkdir()
    monkeypatch.chdir(tmp_path / "room")
    missing = ["train", "--corpus", "pairs", "--path", "missing.csv"]
    for place in (".", "..", "/"):
        code, _, err = run(*missing, "--output", place)
        assert (code, "missing.csv" in err) == (2, False), place
    Path("model.training").write_text("mine")
    code, _, err = run(*missing, "--output", "model")
    assert (code, "training.lock: It can't be written" in err) == (2, True)
    assert Path("model.training").read_text() == "mine"


@pytest.mark.skipif(os.name != "posix", reason="locks of POSIX")
def test_one_training_at_a_time(run: Run, given: list[str], tmp_path: Path) -> None:
    lock = FileLock(tmp_path / "model.training" / LOCK)
    assert lock.take()
    code, _, err = run(*given, "--output", tmp_path / "model")
    assert (code, "Another process is training this model" in err) == (2, True)
    lock.give_up()
    assert run(*given, "--output", tmp_path / "model")[0] == 0
    assert not lock.path.parent.exists()


# Tuning

TUNED = ["--kind", "surface", "--set", "training.epochs=2", "--seeds", "1"]


@pytest.fixture(scope="module")
def role_pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_role_pairs(tmp_path_factory.mktemp("corpus") / "role-pairs", size=60, seed=1)


def roles(role_pairs: Path) -> list[str]:
    return ["--corpus", "role-pairs", "--path", str(role_pairs)]


def test_tuning_from_nothing_to_settings_that_train(run: Run, role_pairs: Path, tmp_path: Path) -> None:
    pytest.importorskip("optuna")
    best = tmp_path / "best.toml"
    code, out, _ = run("tune", *roles(role_pairs), *TUNED, "--trials", 2, "--output", best)
    assert code == 0
    assert "2 trials" in out
    assert len(out.splitlines()) == 5  # a table of two trials between two lines
    assert f"--config {best}" in out
    assert (tmp_path / "best-study.db").is_file()

    code, out, _ = run("tune", *roles(role_pairs), *TUNED, "--trials", 3, "--output", best, "--json")
    summary = json.loads(out)
    assert code == 0
    assert summary["trials"] == 3
    assert summary["score"] == "accuracy"
    assert summary["best"]["score"] == summary["ranking"][0]["score"]
    settings = read_configuration(best)
    assert settings.model.kind == "surface"
    assert settings.training.rate_features == summary["best"]["values"]["rate_features"]
    assert run("train", *roles(role_pairs), "--config", best, "--output", tmp_path / "model")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--output", "best.toml", "--jobs", "0"], "--jobs"),
        ([], "Missing option '--output'"),
        (["--output", "best.toml", "--grid", "fine"], "quick, paper"),
        (["--output", "best.toml", "--development", "test"], "dev, random"),
        (["--output", "best.toml", "--kind", "majority"], "nothing to tune"),
        (["--output", "file/best.toml"], "can't be written"),
        (["--output", "."], "not a regular file"),
    ],
)
def test_bad_input_of_tune(
    run: Run,
    role_pairs: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("neither a folder nor a database\n" * 50)
    code, out, err = run("tune", *roles(role_pairs), *arguments)
    assert code == 2
    assert out == ""
    assert message in err
    assert "Traceback" not in err
    assert not (tmp_path / "best.toml").exists()


def test_an_encoder_is_checked_before_annotation_and_needs_no_layers(
    run: Run, role_pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ["--automatic", "all", "--no-cache", "--kind", "encoder", "--set", "encoder.folder=nowhere"]
    tune = ["tune", *roles(role_pairs), *options, "--output", tmp_path / "best.toml"]
    code, _, err = run(*tune)
    assert code == 2
    assert err.startswith("error: ")  # no note about layers before it

    def search(corpus: Corpus, *_: object, **__: object) -> None:
        raise InputError(f"automatic layers: {corpus.automatic}")

    monkeypatch.setattr("disco2.interfaces.cli.train.encoder_folder", Path)
    monkeypatch.setattr("disco2.interfaces.cli.train.search_settings", search)
    assert "automatic layers: ()" in run(*tune, "--set", "model.features=false")[2]


@pytest.mark.parametrize(("kind", "logged"), [("encoder", True), ("upward", False)])
def test_without_a_terminal_an_encoder_writes_lines_for_a_log(
    kind: str, logged: bool, run: Run, role_pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def train(*_: object, report: Callable[[str], None], **__: object) -> None:
        report("stage: step 50 of 100")
        raise InputError("enough")

    monkeypatch.setattr("disco2.interfaces.cli.train.encoder_folder", Path)
    monkeypatch.setattr("disco2.interfaces.cli.train.train_model", train)
    options = ["--automatic", "none", "--kind", kind, "--set", "model.features=false"]
    code, _, err = run("train", *roles(role_pairs), *options, "--output", tmp_path / "model")
    assert code == 2
    assert "error: enough" in err
    assert ("stage: step 50 of 100" in err.splitlines()) == logged


@pytest.mark.skipif(sys.platform == "win32", reason="interrupts go to a group of processes")
def test_an_interrupt_ends_all_processes_and_keeps_what_is_finished(role_pairs: Path, tmp_path: Path) -> None:
    pytest.importorskip("optuna")
    arguments = ["tune", *roles(role_pairs), "--output", "best.toml", "--trials", "1000", "--jobs", "2"]
    command = [sys.executable, "-m", "disco2", *arguments, *TUNED]
    process = subprocess.Popen(
        command,
        cwd=tmp_path,
        start_new_session=True,
        stderr=subprocess.PIPE,
        text=True,
        # A shell that runs the tests in the background may have switched interrupts off.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    storage = f"sqlite:///{tmp_path / 'best-study.db'}"
    while process.poll() is None and not complete(storage):
        time.sleep(0.2)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "run the same command to resume" in err
    assert "Traceback" not in err
    assert complete(storage)
    assert not (tmp_path / "best.toml").exists()


def complete(storage: str) -> int:
    """How many trials are."""
    import optuna

    try:
        [name] = optuna.study.get_all_study_names(storage)
        trials = optuna.load_study(study_name=name, storage=storage).trials
    except Exception:  # the file is being made
        return 0
    return sum(trial.state is optuna.trial.TrialState.COMPLETE for trial in trials)
