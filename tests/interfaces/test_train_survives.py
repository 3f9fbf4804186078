"""Killed at any moment, ``disco2 train`` leaves the old model or the new one whole."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from disco2.bundle import load_bundle
from disco2.interfaces.cli.train import LOCK
from disco2.lock import FileLock
from disco2.training.loop import Learner
from tests.conftest import ROOT
from tests.interfaces.conftest import Run
from tests.interfaces.killed_training import contents
from tests.interfaces.made_up_pairs import made_up_pairs

posix_only = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")
ENSEMBLE = {"model.members": 2, "model.surface_members": 1}


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    file = tmp_path / "pairs.csv"
    with file.open("w", newline="", encoding="utf-8") as stream:
        rows = csv.writer(stream)
        rows.writerow(["arg1", "arg2", "label", "split"])
        for number, (pair, label) in enumerate(zip(*made_up_pairs(60), strict=True)):
            rows.writerow([*pair, label, "dev" if number % 3 == 0 else "train"])
    return file


def arguments(pairs: Path, epochs: int = 4, **settings: object) -> list[str]:
    chosen = {
        "model.K": 5,
        "vectors.frequent": 0,
        "features.minimum_count": 2,
        "training.batch_size": 10,
        "training.epochs": epochs,
        "training.patience": epochs,
        "training.dropout": 0.2,
    }
    options = [f"--set={name}={value}" for name, value in (chosen | settings).items()]
    return ["train", "--corpus", "pairs", "--path", str(pairs), "--automatic", "none", *options]


def in_a_program(*command: str) -> str:
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def quiet_run(room: Path, given: list[str]) -> dict[str, str]:
    """What a training leaves that nobody kills."""
    room.mkdir()
    program = "from disco2.interfaces.cli import main; main()"
    in_a_program("-c", program, *given, "--output", str(room / "model"))
    return contents(room)


def killed_run(folder: Path, by: str, kills: int, seed: int, given: list[str]) -> Any:
    program = ("-m", "tests.interfaces.killed_training")
    return json.loads(in_a_program(*program, str(folder), by, str(kills), str(seed), *given))


def assert_model_is_there(report: Any, wanted: dict[str, str]) -> None:
    """After each kill; the old and the new one are the same."""
    model = {name.removeprefix("model/"): content for name, content in wanted.items()}
    assert len(report["models"]) == len(report["killed"])
    assert all(found == model for found in report["models"])


@posix_only
@pytest.mark.parametrize(
    ("by", "kills", "epochs", "settings"),
    [("clock", 30, 40, {}), ("changes", 30, 4, ENSEMBLE)],
    ids=["at random times", "an ensemble, at random changes of files"],
)
def test_killed_at_random_moments(
    pairs: Path, tmp_path: Path, by: str, kills: int, epochs: int, settings: dict[str, object]
) -> None:
    given = arguments(pairs, epochs, **settings)
    wanted = quiet_run(tmp_path / "quiet", given)
    assert "model/bundle.json" in wanted
    report = killed_run(tmp_path, by, kills, 7, given)
    assert len(report["killed"]) == kills
    assert_model_is_there(report, wanted)
    assert set(report["codes"]) == {0}
    for left in report["left"]:
        assert left == wanted


@posix_only
def test_killed_before_every_change_of_a_file(pairs: Path, tmp_path: Path) -> None:
    given = arguments(pairs)
    wanted = quiet_run(tmp_path / "quiet", given)
    report = killed_run(tmp_path, "each change", 200, 7, given)
    assert_model_is_there(report, wanted)
    assert report["codes"] == [0]
    assert report["left"] == [wanted]
    killed = report["killed"]
    assert len(killed) >= 20
    events = [said.partition("killed before: ")[2] for said in killed]
    for stage in ("os.mkdir", "/new/bundle.json w", "os.remove", "os.rmdir"):
        assert any(stage in event for event in events), stage


def trained(run: Run, given: list[str], output: Path | str) -> str:
    code, _, messages = run(*given, "--output", output)
    assert code == 0, messages
    return messages


def interrupted(run: Run, before: int, given: list[str], output: Path) -> str:
    """Interrupt a training before its n-th pass."""
    one_pass, seen = Learner.one_pass, 0

    def counted(self: Learner, *rest: Any) -> float:
        nonlocal seen
        seen += 1
        if seen == before:
            raise KeyboardInterrupt
        return one_pass(self, *rest)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Learner, "one_pass", counted)
        code, _, messages = run(*given, "--output", output)
    assert code == 128 + signal.SIGINT
    return messages


def test_an_interrupted_training_leaves_nothing(run: Run, pairs: Path, tmp_path: Path) -> None:
    given, room = arguments(pairs), tmp_path / "room"
    room.mkdir()
    assert interrupted(run, 3, given, room / "model").endswith("interrupted: nothing is kept\n")
    assert list(room.iterdir()) == []
    trained(run, given, f"{room}/model/")
    assert contents(room) == quiet_run(tmp_path / "quiet", given)


def test_files_of_others_stay(run: Run, pairs: Path, tmp_path: Path) -> None:
    room = tmp_path / "room"
    others = ["model.training/notes.txt", "model.training/stages/b.txt"]
    others += [".model-abcdefgh/old/mine.txt", ".model-abcdefgh/mine.txt", ".model-abcdefg/new/bundle.json"]
    for name in others:
        (room / name).parent.mkdir(parents=True, exist_ok=True)
        (room / name).write_text("mine")
    (room / ".model-abcdefgh/old/bundle.json").write_text("half of one, left by a process that was killed")
    trained(run, arguments(pairs), room / "model")
    assert sorted(name for name in contents(room) if not name.startswith("model/")) == sorted(others)


@pytest.mark.parametrize("name", ["thesis.txt", "src/main.py", ".git/HEAD", "link"])
def test_files_of_others_in_the_folder_stay(run: Run, pairs: Path, tmp_path: Path, name: str) -> None:
    given, model = arguments(pairs), tmp_path / "room" / "model"
    trained(run, given, model)
    trained(run, given, model)
    (tmp_path / "mine").write_text("mine")
    (model / name).parent.mkdir(exist_ok=True)
    if name == "link":
        (model / name).symlink_to(tmp_path / "mine")
    else:
        (model / name).write_text("mine")
    before = contents(tmp_path)
    missing = arguments(tmp_path / "missing.csv")
    code, _, messages = run(*missing, "--output", model)
    assert (code, "missing.csv" in messages) == (2, False)  # known before any work
    assert "does not know as its own" in messages
    assert "--force" in messages
    assert contents(tmp_path) == before
    assert "missing.csv" in run(*missing, "--output", model, "--force")[2]
    other = [*given, "--set=training.seed=5"]
    trained(run, [*other, "--force"], model)
    changed = {place for place, content in contents(tmp_path).items() if before[place] != content}
    assert changed >= {"room/model/bundle.json", "room/model/parameters.safetensors"}
    assert all(Path(place).name != Path(name).name for place in changed)
    assert contents(tmp_path).keys() == before.keys()
    assert load_bundle(model)[1].configuration["training"]["seed"] == 5


def test_a_file_that_comes_during_the_training_stays(
    run: Run, pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given, model = arguments(pairs), tmp_path / "room" / "model"
    trained(run, given, model)
    before = contents(model)
    one_pass = Learner.one_pass

    def watched(self: Learner, *rest: Any) -> float:
        (model / "thesis.txt").write_text("mine")
        return one_pass(self, *rest)

    monkeypatch.setattr(Learner, "one_pass", watched)
    code, _, messages = run(*given, "--set=training.seed=5", "--output", model)
    assert code == 2
    assert "thesis.txt" in messages
    assert contents(model) == before | {"thesis.txt": b"mine".hex()}
    monkeypatch.undo()
    trained(run, [*given, "--set=training.seed=5", "--force"], model)
    assert (model / "thesis.txt").read_text() == "mine"
    assert load_bundle(model)[1].configuration["training"]["seed"] == 5


def test_a_link_is_followed(run: Run, pairs: Path, tmp_path: Path) -> None:
    (tmp_path / "room" / "real").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "room" / "real")
    trained(run, arguments(pairs), tmp_path / "link")
    assert [path.name for path in (tmp_path / "room").iterdir()] == ["real"]
    assert (tmp_path / "link" / "bundle.json").is_file()


def test_places_that_are_refused_before_any_work(
    run: Run, pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = arguments(tmp_path / "missing.csv")
    (tmp_path / "room").mkdir()
    monkeypatch.chdir(tmp_path / "room")
    for place in (".", "..", "./", "/"):
        code, _, messages = run(*missing, "--output", place)
        assert (code, "missing.csv" in messages) == (2, False), place
    (tmp_path / "room" / "model.training").write_text("mine")
    code, _, messages = run(*missing, "--output", "model")
    assert code == 2
    assert "model.training/training.lock: It can't be written: File exists" in messages
    assert (tmp_path / "room" / "model.training").read_text() == "mine"
    code, _, messages = run(*missing, "--output", "other")
    assert (code, "missing.csv" in messages) == (2, True)
    assert [path.name for path in (tmp_path / "room").iterdir()] == ["model.training"]


@posix_only
def test_two_at_once_are_one_too_many(run: Run, pairs: Path, tmp_path: Path) -> None:
    lock = FileLock(tmp_path / "model.training" / LOCK)
    assert lock.take()
    code, _, messages = run(*arguments(pairs), "--output", tmp_path / "model")
    assert code == 2
    assert "Another process is training this model" in messages
    lock.give_up()
    trained(run, arguments(pairs), tmp_path / "model")
    assert not lock.path.parent.exists()
