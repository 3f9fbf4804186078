"""Killed at any pass and started again, a training ends with the same numbers, bit for bit."""

from __future__ import annotations

import errno
import itertools
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from disco2.errors import InputError
from disco2.features import FeatureSettings
from disco2.model import ModelSettings, initial_parameters
from disco2.model.parameters import Parameters
from disco2.training.checkpoint import FILE, Checkpoint
from disco2.training.development import Development
from disco2.training.fit import Fitted, fit
from disco2.training.history import Epoch, History
from disco2.training.loop import Learner, train
from disco2.training.settings import TrainingSettings
from disco2.vectors import VectorSettings
from tests.conftest import ROOT
from tests.generated import random_example
from tests.instances import reasons_and_results

MODEL = ModelSettings(K=4)
SETTINGS = TrainingSettings(epochs=6, batch_size=5, rate_upward=0.1)
LABELS, FEATURES, VOCABULARY = 3, 8, 10
SEVERAL = [
    SETTINGS,
    replace(SETTINGS, averaging=0.0, warm_start=2),
    replace(SETTINGS, stop_by="score", patience=4, epochs=30),
    replace(SETTINGS, averaging=0.0, stop_by="score", patience=3, epochs=30),
    replace(SETTINGS, warm_start=1, loss="logistic"),
    replace(SETTINGS, dropout=0.4),
    replace(SETTINGS, dropout=0.4, warm_start=1, loss="logistic"),
]


class StoppedError(Exception):
    """Stands for whatever ends a program."""


def run(
    settings: TrainingSettings = SETTINGS,
    *,
    checkpoint: Checkpoint | None = None,
    progress: Callable[[Epoch], None] = lambda epoch: None,
    examples: int = 23,
    model: ModelSettings = MODEL,
) -> tuple[Parameters, History, Parameters]:
    """The best parameters, the history and the last parameters."""
    generator = np.random.default_rng(0)
    shape = {"words": (3, 4), "vocabulary": VOCABULARY, "labels": LABELS, "features": FEATURES}
    made = [random_example(generator, chains=1, **shape)[0] for _ in range(examples)]  # type: ignore[arg-type]
    held_out = Development.of(made[:9], [frozenset({one.label}) for one in made[:9]])
    parameters = initial_parameters(model, labels=LABELS, features=FEATURES, seed=1)
    vectors = generator.normal(size=(VOCABULARY, model.K)).astype(np.float32)
    best, history = train(
        model,
        parameters,
        vectors,
        made[9:],
        held_out,
        settings,
        progress=progress,
        checkpoint=checkpoint,
    )
    return best, history, parameters


def stop_at(*passes: int) -> Callable[[Epoch], None]:
    def progress(epoch: Epoch) -> None:
        if epoch.number in passes:
            raise StoppedError

    return progress


def each_pass(folder: Path) -> Checkpoint:
    return Checkpoint(folder, every_seconds=0)


def expect_same(found: tuple[Parameters, History, Parameters], wanted: tuple[Any, ...]) -> None:
    assert found[1] == wanted[1]
    for some, others in ((found[0], wanted[0]), (found[2], wanted[2])):
        assert list(some) == list(others)
        for name, value in some.items():
            assert value.dtype == others[name].dtype
            assert value.tobytes() == others[name].tobytes(), name


@pytest.mark.parametrize("settings", SEVERAL, ids=range(len(SEVERAL)))
def test_stopped_at_several_passes_the_end_is_the_same(tmp_path: Path, settings: TrainingSettings) -> None:
    wanted = run(settings)
    last = wanted[1].epochs[-1].number
    assert last >= 4
    for number in (1, 2, last - 1, last):
        with pytest.raises(StoppedError):
            run(settings, checkpoint=each_pass(tmp_path), progress=stop_at(number))
    heard: list[Epoch] = []
    expect_same(run(settings, checkpoint=each_pass(tmp_path), progress=heard.append), wanted)
    assert heard == wanted[1].epochs


def test_nothing_is_done_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    passes: list[int] = []
    judge = Development.judge

    def counted(self: Development, *arguments: Any, **options: Any) -> Any:
        passes.append(1)
        return judge(self, *arguments, **options)

    monkeypatch.setattr(Development, "judge", counted)
    with pytest.raises(StoppedError):
        run(checkpoint=each_pass(tmp_path), progress=stop_at(4))
    assert len(passes) == 4  # three of them saved
    wanted = run(checkpoint=each_pass(tmp_path))
    assert len(passes) == 4 + 3
    expect_same(run(checkpoint=each_pass(tmp_path)), wanted)  # finished
    assert len(passes) == 4 + 3


@pytest.mark.parametrize("dropout", [0.0, 0.4])
def test_a_killed_process_goes_on(tmp_path: Path, dropout: float) -> None:
    settings = replace(SETTINGS, dropout=dropout)
    wanted = run(settings)
    program = """
import os, signal, sys
from dataclasses import replace
from pathlib import Path
from tests.training.test_checkpoint import SETTINGS, each_pass, run
def progress(epoch):
    if epoch.number == 4:
        os.kill(os.getpid(), signal.SIGKILL)
settings = replace(SETTINGS, dropout=float(sys.argv[2]))
run(settings, checkpoint=each_pass(Path(sys.argv[1])), progress=progress)
"""
    killed = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path), str(dropout)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL
    heard: list[Epoch] = []

    def progress(epoch: Epoch) -> None:
        heard.append(epoch)
        assert epoch == wanted[1].epochs[len(heard) - 1]

    expect_same(run(settings, checkpoint=each_pass(tmp_path), progress=progress), wanted)


@pytest.mark.parametrize("damage", ["empty", "cut", "flipped", "flipped early", "text", "other tensors"])
def test_a_damaged_state_is_ignored(tmp_path: Path, damage: str) -> None:
    with pytest.raises(StoppedError):
        run(checkpoint=each_pass(tmp_path), progress=stop_at(3))
    file = tmp_path / FILE
    content = bytearray(file.read_bytes())
    if damage == "empty":
        content = bytearray()
    elif damage == "cut":
        content = content[: len(content) // 2]
    elif damage == "flipped":
        content[-5] ^= 1
    elif damage == "flipped early":
        content[20] ^= 1
    elif damage == "text":
        content = bytearray(b"no tensors at all, but a good many bytes")
    else:
        from safetensors.numpy import save

        content = bytearray(save({"parameters.U": np.zeros(3)}))
    file.write_bytes(content)
    expect_same(run(checkpoint=each_pass(tmp_path)), run())


def test_every_flipped_byte_is_noticed(tmp_path: Path) -> None:
    with pytest.raises(StoppedError):
        run(checkpoint=each_pass(tmp_path), progress=stop_at(3))
    file = tmp_path / FILE
    content = file.read_bytes()
    (length,) = np.frombuffer(content[:8], dtype=np.uint64)
    header = json.loads(content[8 : 8 + int(length)])
    identity = json.loads(header["__metadata__"]["facts"])["identity"]
    checkpoint = each_pass(tmp_path)
    assert checkpoint.load(identity=identity) is not None
    for place in np.random.default_rng(1).integers(len(content), size=60):
        damaged = bytearray(content)
        damaged[place] ^= 0b100
        file.write_bytes(damaged)
        assert checkpoint.load(identity=identity) is None, place


def test_a_folder_in_place_of_the_file_is_no_state_and_no_place_to_write(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    with pytest.raises(InputError, match="is no file"):
        run(checkpoint=each_pass(tmp_path))


def test_a_full_disk_leaves_the_last_state_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(StoppedError):
        run(checkpoint=each_pass(tmp_path), progress=stop_at(3))

    def full(self: Path, target: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", full)
        with pytest.raises(InputError, match="No space left"):
            run(checkpoint=each_pass(tmp_path))
    assert [file.name for file in tmp_path.iterdir()] == [FILE]
    expect_same(run(checkpoint=each_pass(tmp_path)), run())


def test_seconds_are_those_of_all_passes_that_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = itertools.count()  # a second a pass
    monkeypatch.setattr("disco2.training.loop.time.perf_counter", lambda: float(next(clock)))
    assert run()[1].seconds == 6
    with pytest.raises(StoppedError):
        run(checkpoint=each_pass(tmp_path), progress=stop_at(4))
    assert run(checkpoint=each_pass(tmp_path))[1].seconds == 6
    assert run(checkpoint=each_pass(tmp_path))[1].seconds == 6  # finished


@pytest.mark.parametrize(
    "changes",
    [
        {"settings": replace(SETTINGS, seed=2)},
        {"settings": replace(SETTINGS, rate_upward=0.2)},
        {"settings": replace(SETTINGS, dropout=0.1)},
        {"examples": 24},
        {"model": replace(MODEL, pairs="sum")},
        {"model": replace(MODEL, K=5)},
    ],
    ids=str,
)
def test_the_state_of_another_training_is_ignored(tmp_path: Path, changes: dict[str, Any]) -> None:
    with pytest.raises(StoppedError):
        run(checkpoint=each_pass(tmp_path), progress=stop_at(3))
    expect_same(run(checkpoint=each_pass(tmp_path), **changes), run(**changes))


def test_what_another_release_of_numpy_began_is_begun_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(StoppedError):
        run(checkpoint=each_pass(tmp_path), progress=stop_at(3))
    monkeypatch.setattr("disco2.training.identity.version", lambda package: f"0.0 of {package}")
    notes: list[str] = []
    found = run(checkpoint=Checkpoint(tmp_path, note=notes.append))
    expect_same(found, run())
    assert notes == [f"{tmp_path / FILE}: the saved training is another one and is ignored"]


def test_what_is_found_and_what_is_safe_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    notes: list[str] = []
    kept: list[int] = []
    heard = Checkpoint(tmp_path, every_seconds=0, note=notes.append, kept=kept.append)
    with pytest.raises(StoppedError):
        run(checkpoint=heard.inside("member"), progress=stop_at(3))
    assert (notes, kept) == ([], [1, 2])
    run(checkpoint=heard.inside("member"))
    assert (notes, kept) == (["going on after pass 2 (member)"], [1, 2, 2, 3, 4, 5, 6])
    assert not [record for record in caplog.records if record.name == "disco2.training.checkpoint"]
    (tmp_path / "member" / FILE).write_bytes(b"nothing")
    run(checkpoint=each_pass(tmp_path / "member"))  # without a listener, the log is told
    assert "can't be read and is ignored" in caplog.text


def test_states_are_saved_no_more_often_than_asked_and_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    saved: list[int] = []
    save = Checkpoint.save

    def spy(self: Checkpoint, state: Any, **options: Any) -> None:
        saved.append(len(state.history.epochs))
        save(self, state, **options)

    def progress(epoch: Epoch) -> None:
        nonlocal now
        now += 2.0

    monkeypatch.setattr(Checkpoint, "save", spy)
    monkeypatch.setattr("disco2.training.checkpoint.time.monotonic", lambda: now)
    run(replace(SETTINGS, epochs=8), checkpoint=Checkpoint(tmp_path, every_seconds=5), progress=progress)
    assert saved == [3, 6, 8]


def test_removal_leaves_what_is_not_its_own(tmp_path: Path) -> None:
    folder = tmp_path / "run" / "checkpoint"
    checkpoint = each_pass(folder)
    checkpoint.remove()  # nothing there yet
    run(checkpoint=checkpoint)
    (folder / f".{FILE}-123").write_bytes(b"half a state, left by a process that was killed")
    checkpoint.remove()
    assert not folder.exists()
    run(checkpoint=checkpoint)
    (folder / "notes.txt").write_text("mine")
    checkpoint.remove()
    assert [file.name for file in folder.iterdir()] == ["notes.txt"]


@pytest.mark.parametrize("members", [1, 3])
def test_fitting_goes_on_too_and_repeats_no_finished_member(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, members: int
) -> None:
    passes: list[int] = []
    one_pass = Learner.one_pass

    def counted(self: Learner, *arguments: Any) -> float:
        passes.append(1)
        return one_pass(self, *arguments)

    monkeypatch.setattr(Checkpoint, "is_due", lambda self: True)
    monkeypatch.setattr(Learner, "one_pass", counted)

    def fit_small(**options: Any) -> Fitted:
        return fit(
            reasons_and_results(30, seed=1),
            [],
            labels=("Cause", "Result"),
            model=ModelSettings(K=6, members=members),
            features=FeatureSettings(),
            vectors=VectorSettings(frequent=0),
            settings=TrainingSettings(epochs=4, batch_size=8),
            **options,
        )

    def stop_in_the_last_member(epoch: Epoch) -> None:
        if len(passes) == 4 * members - 1:
            raise StoppedError

    wanted = fit_small()
    passes.clear()
    with pytest.raises(StoppedError):
        fit_small(checkpoint=Checkpoint(tmp_path / "c"), progress=stop_in_the_last_member)
    passes.clear()
    found = fit_small(checkpoint=Checkpoint(tmp_path / "c"))
    assert len(passes) == 2
    assert found.history == wanted.history
    for name, value in wanted.model.parameters.items():
        assert value.tobytes() == found.model.parameters[name].tobytes()
