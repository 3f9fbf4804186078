"""A study in its storage: trials of processes that have died, and trials that two commands queue."""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest

optuna = pytest.importorskip("optuna")

from disco2.data import Corpus  # noqa: E402
from disco2.experiments.tuning import storage as storages  # noqa: E402
from disco2.experiments.tuning.objective import Objective  # noqa: E402
from disco2.experiments.tuning.question import Question, pose  # noqa: E402
from disco2.experiments.tuning.space import choose_space  # noqa: E402
from disco2.experiments.tuning.study import ATTEMPTS, Address, TuningStudy  # noqa: E402
from tests.experiments.tuning.made_up_study import QUICK, Trainings  # noqa: E402


@pytest.fixture
def question(corpus: Corpus) -> Question:
    return pose(corpus, QUICK, choose_space(QUICK), seeds=1)


@pytest.fixture
def address(storage: str, question: Question) -> Address:
    return Address(storage, question.name)


def left_behind(address: Address, *, began: bool) -> int:
    """A running trial, as a killed process leaves it; its number. One that began has given a sign of life."""
    study = optuna.load_study(study_name=address.name, storage=address.storage)
    trial = study.ask()
    trial.suggest_float("rate_features", 0.01 / 3, 0.03, log=True)
    if began:
        trial.set_user_attr("began on", "elsewhere")
        storages.open_storage(address.storage).record_heartbeat(trial._trial_id)
    return trial.number


def an_hour_passes(address: Address) -> None:
    with sqlite3.connect(address.storage.removeprefix("sqlite:///")) as connection:
        connection.execute("UPDATE trial_heartbeats SET heartbeat = datetime(heartbeat, '-1 hour')")


def states(study: TuningStudy) -> list[str]:
    return [record.state for record in study.records()]


def test_a_trial_without_a_sign_of_life_is_done_again_at_the_same_point(
    address: Address, question: Question, trainings: Trainings
) -> None:
    study = TuningStudy(address, question)
    number = left_behind(address, began=True)
    study.put_right()
    assert states(study) == ["running"]  # it may still come back
    assert study.left(1) == 0
    an_hour_passes(address)
    study.put_right()
    assert states(study) == ["fail", "waiting"]
    assert study.left(1) == 1
    study.run_one(Objective(question))
    assert states(study) == ["fail", "complete"]
    raw = optuna.load_study(study_name=address.name, storage=address.storage).trials
    assert raw[1].params["rate_features"] == raw[number].params["rate_features"]


def test_a_process_that_died_before_its_first_sign_of_life_is_not_waited_for(
    address: Address, question: Question, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = TuningStudy(address, question)
    left_behind(address, began=False)
    study.put_right()
    assert states(study) == ["running"]
    monkeypatch.setattr(storages, "SILENCE", -1)
    study.put_right()
    assert states(study) == ["fail", "waiting"]


def test_a_trial_that_kills_its_processes_is_left_alone_at_last(
    address: Address, question: Question, trainings: Trainings
) -> None:
    study = TuningStudy(address, question)
    study.queue_points(1)
    raw = optuna.load_study(study_name=address.name, storage=address.storage)
    for _ in range(ATTEMPTS):
        study.lose(raw.ask().number)
    assert states(study) == ["fail"] * ATTEMPTS
    for _ in range(5):  # interrupts are not its fault
        study.queue_points(1)
        study.lose(raw.ask().number, blame=False)
    assert states(study)[-1] == "waiting"


def test_a_trial_that_finished_before_its_process_died_is_kept(
    address: Address, question: Question, trainings: Trainings
) -> None:
    study = TuningStudy(address, question)
    study.run_one(Objective(question))
    study.lose(0)
    assert states(study) == ["complete"]


def test_a_trial_that_was_taken_for_dead_ends_quietly(
    address: Address, question: Question, monkeypatch: pytest.MonkeyPatch
) -> None:
    def sleeps(configuration: Any) -> float:
        other = TuningStudy(address, question)
        other.lose(0)
        return 0.5

    study = TuningStudy(address, question)
    monkeypatch.setattr("disco2.experiments.tuning.objective.train_model", Trainings(sleeps))
    study.run_one(Objective(question))
    assert states(study) == ["fail", "waiting"]


def test_a_point_that_two_commands_queued_is_tried_once(
    address: Address, question: Question, trainings: Trainings
) -> None:
    study = TuningStudy(address, question)
    study.queue_points(1)
    study.queue_points(1)
    assert states(study) == ["waiting"]
    [point] = question.space.points
    raw = optuna.load_study(study_name=address.name, storage=address.storage)
    raw.enqueue_trial(dict(point), user_attrs={"point": dict(point)})  # both saw an empty study
    for _ in range(2):
        study.run_one(Objective(question))
    assert states(study) == ["complete", "fail"]
    assert len(trainings.asked) == 1


def test_two_connections_never_take_the_same_trial(storage: str) -> None:
    """SQLite by itself would let both read that a trial waits, and then both take it."""
    first, second = storages.open_storage(storage), storages.open_storage(storage)
    with first.engine.begin() as one:
        one.exec_driver_sql("SELECT 1")
        second.engine.dispose()
        with pytest.raises(optuna.storages._rdb.storage.sqlalchemy_exc.OperationalError, match="locked"):
            _read_without_patience(second)


def _read_without_patience(storage: Any) -> None:
    with storage.engine.connect() as connection:
        connection.connection.dbapi_connection.execute("PRAGMA busy_timeout=0")
        connection.exec_driver_sql("SELECT 1")
