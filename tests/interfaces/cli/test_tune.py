"""disco2 tune: settings, bad input, and interrupts."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from disco2.corpora.role_pairs import write_role_pairs
from disco2.data import Corpus
from disco2.errors import InputError
from disco2.experiments.configuration import read_configuration

optuna = pytest.importorskip("optuna")

SMALL = ["--kind", "surface", "--set", "training.epochs=2", "--seeds", "1"]


@pytest.fixture(scope="module")
def role_pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_role_pairs(tmp_path_factory.mktemp("corpus") / "role-pairs", size=60, seed=1)


def here(role_pairs: Path) -> list[str]:
    return ["--corpus", "role-pairs", "--path", str(role_pairs)]


def test_tuning_from_nothing_to_settings_that_train(run: Any, role_pairs: Path, tmp_path: Path) -> None:
    best = tmp_path / "best.toml"
    code, out, _ = run("tune", *here(role_pairs), *SMALL, "--trials", 2, "--output", best)
    assert code == 0
    assert "2 trials" in out
    assert "rate_features" in out
    assert f"--config {best}" in out
    assert (tmp_path / "best-study.db").is_file()

    code, out, _ = run("tune", *here(role_pairs), *SMALL, "--trials", 3, "--output", best, "--json")
    summary = json.loads(out)
    assert code == 0
    assert summary["trials"] == 3
    assert summary["score"] == "accuracy"
    assert summary["best"]["score"] == summary["ranking"][0]["score"]
    settings = read_configuration(best)
    assert settings.model.kind == "surface"
    assert settings.training.rate_features == summary["best"]["values"]["rate_features"]
    assert run("train", *here(role_pairs), "--config", best, "--output", tmp_path / "model")[0] == 0


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
        (["--output", "bad.toml"], "not a database"),
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
    for name in ("file", "bad-study.db"):
        (tmp_path / name).write_text("neither a folder nor a database\n" * 50)
    code, out, err = run("tune", *here(role_pairs), *arguments)
    assert code == 2
    assert out == ""
    assert message in err
    assert "Traceback" not in err
    assert not (tmp_path / "best.toml").exists()


def test_an_encoder_is_checked_before_annotation_and_needs_no_layers(
    run: Any, role_pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ["--automatic", "all", "--no-cache", "--kind", "encoder", "--set", "encoder.folder=nowhere"]
    tune = ["tune", *here(role_pairs), *options, "--output", tmp_path / "best.toml"]
    code, _, err = run(*tune)
    assert code == 2
    assert err.startswith("error: ")  # no note about layers before it

    def search(corpus: Corpus, *_: object, **__: object) -> None:
        raise InputError(f"automatic layers: {corpus.automatic}")

    monkeypatch.setattr("disco2.interfaces.cli.train.encoder_folder", Path)
    monkeypatch.setattr("disco2.interfaces.cli.train.search_settings", search)
    assert "automatic layers: ()" in run(*tune, "--set", "model.features=false")[2]


@pytest.mark.skipif(sys.platform == "win32", reason="interrupts go to a group of processes")
def test_an_interrupt_ends_all_processes_and_keeps_what_is_finished(role_pairs: Path, tmp_path: Path) -> None:
    arguments = ["tune", *here(role_pairs), "--output", "best.toml", "--trials", "1000", "--jobs", "2"]
    command = [sys.executable, "-m", "disco2", *arguments, *SMALL]
    process = subprocess.Popen(
        command,
        cwd=tmp_path,
        start_new_session=True,
        stderr=subprocess.PIPE,
        text=True,
        # Whoever runs the tests in the background may have switched interrupts off.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    storage = f"sqlite:///{tmp_path / 'best-study.db'}"
    while process.poll() is None and not complete(storage):
        time.sleep(0.2)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert complete(storage)
    assert not (tmp_path / "best.toml").exists()


def complete(storage: str) -> int:
    """How many trials are."""
    try:
        [name] = optuna.study.get_all_study_names(storage)
        trials = optuna.load_study(study_name=name, storage=storage).trials
    except Exception:  # the file is being made
        return 0
    return sum(trial.state is optuna.trial.TrialState.COMPLETE for trial in trials)
