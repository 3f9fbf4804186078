"""Studies in their storage: addresses, trials of dead processes, several workers, pruning."""

from __future__ import annotations

import os
import signal
import sqlite3
import time
import uuid
from pathlib import Path
from typing import Any

import pytest

optuna = pytest.importorskip("optuna")

from disco2.data import Corpus  # noqa: E402
from disco2.engines import LocalEngine  # noqa: E402
from disco2.engines.local import process_context  # noqa: E402
from disco2.errors import InputError, MissingExtraError, SettingsError  # noqa: E402
from disco2.experiments import tuning_study  # noqa: E402
from disco2.experiments.configuration import Configuration  # noqa: E402
from disco2.experiments.tuning import (  # noqa: E402
    StudyProgress,
    Tuned,
    check_storage,
    choose_space,
    define_problem,
    tune,
)
from disco2.experiments.tuning_study import Address, QuantilePruner, TuningStudy, open_storage  # noqa: E402
from tests.experiments.conftest import QUICK, Trainings  # noqa: E402

GRID = choose_space(QUICK, grid="paper", sampler="grid")
forked = pytest.mark.skipif(
    process_context().get_start_method() != "fork", reason="a stand-in reaches forked processes alone"
)


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("tune.db", "Not the address"),
        ("sqlite://", "kept in a file"),
        ("sqlite:///:memory:", "kept in a file"),
        ("pigeon://tower", "Unknown kind of storage 'pigeon'"),
        ("sqlite:///{folder}", "can't be used"),
        ("sqlite:///{text}", "not a database"),
        ("sqlite:///{text}/below/study.db", "folder can't be created"),
        ("postgresql://me:secret@host:port/study", "Not the address"),
        ("postgresql://me:secret@127.0.0.1:1/study", "can't be used"),
    ],
)
def test_an_address_that_can_not_be_used_is_refused(tmp_path: Path, address: str, message: str) -> None:
    if "127.0.0.1" in address:
        pytest.importorskip("psycopg")
    (tmp_path / "text").write_text("no database\n" * 100)
    place = address.format(folder=tmp_path, text=tmp_path / "text")
    with pytest.raises(SettingsError, match=message) as refused:
        check_storage(place)
    assert "secret" not in str(refused.value)


def test_a_missing_driver_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "psycopg", None)
    with pytest.raises(MissingExtraError, match=r"disco2\[postgresql\]"):
        check_storage("postgresql://host/study")


def test_a_storage_of_another_optuna_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "a" / "b" / "study.db"
    check_storage(f"sqlite:///{place}")
    with sqlite3.connect(place) as connection:
        connection.execute("UPDATE alembic_version SET version_num = 'v9.9.9'")
    with pytest.raises(SettingsError, match="no longer compatible"):
        check_storage(f"sqlite:///{place}")


def test_two_connections_never_take_the_same_trial(storage: str) -> None:
    """By default SQLite would let both read that a trial waits, and then both take it."""
    first, second = open_storage(storage), open_storage(storage)
    with first.engine.begin() as one, second.engine.connect() as other:
        one.exec_driver_sql("SELECT 1")
        other.connection.dbapi_connection.execute("PRAGMA busy_timeout=0")  # type: ignore[union-attr]
        with pytest.raises(tuning_study.SQLAlchemyError, match="locked"):
            other.exec_driver_sql("SELECT 1")


def test_a_trial_of_a_dead_process_is_tried_again_at_the_same_point(
    role_pairs: Corpus, storage: str, trainings: Trainings
) -> None:
    problem = define_problem(role_pairs, QUICK, choose_space(QUICK), seeds=1)
    study = TuningStudy(Address(storage, problem.name), problem)
    raw = optuna.load_study(study_name=problem.name, storage=open_storage(storage))
    trial = raw.ask()
    trial.suggest_float("rate_features", 0.01 / 3, 0.03, log=True)
    raw._storage.record_heartbeat(trial._trial_id)
    with sqlite3.connect(storage.removeprefix("sqlite:///")) as connection:
        connection.execute("UPDATE trial_heartbeats SET heartbeat = datetime(heartbeat, '-1 hour')")
    study.run_one()
    assert [record.state for record in study.records()] == ["fail", "complete"]
    assert raw.trials[1].params["rate_features"] == raw.trials[0].params["rate_features"]


def test_a_worker_that_does_not_see_the_study_does_not_create_it(role_pairs: Corpus, tmp_path: Path) -> None:
    problem = define_problem(role_pairs, QUICK, choose_space(QUICK), seeds=1)
    address = Address(f"sqlite:///{tmp_path / 'study.db'}", problem.name)
    with pytest.raises(SettingsError, match=r"does not see the study .* --storage postgresql://"):
        TuningStudy(address, problem, must_exist=True)
    assert list(tmp_path.iterdir()) == []
    TuningStudy(Address(address.storage, "another"), problem).close()
    with pytest.raises(SettingsError, match="does not see the study"):
        TuningStudy(address, problem, must_exist=True)
    TuningStudy(address, problem).close()
    TuningStudy(address, problem, must_exist=True).close()


def tuned(corpus: Corpus, storage: str, **options: Any) -> Tuned:
    settings = {"space": GRID, "engine": LocalEngine(2), "seeds": 1, "pruning": False} | options
    return tune(corpus, QUICK, storage=storage, **settings)


def complete_points(found: Tuned) -> list[Any]:
    return sorted(tuple(trial.values.items()) for trial in found.trials if trial.state == "complete")


@forked
def test_two_processes_share_the_points_and_try_none_twice(
    role_pairs: Corpus, storage: str, tmp_path: Path, trainings: Trainings
) -> None:
    def slow(configuration: Configuration) -> float:
        (tmp_path / f"process-{os.getpid()}").touch()
        time.sleep(0.1)
        return configuration.training.rate_features

    trainings.score_of = slow
    found = tuned(role_pairs, storage, trials=10)
    assert [trial.state for trial in found.trials] == ["complete"] * 10
    assert len(set(complete_points(found))) == 10
    assert len(list(tmp_path.glob("process-*"))) == 2


@forked
def test_a_killed_process_loses_no_point(
    role_pairs: Corpus, storage: str, tmp_path: Path, trainings: Trainings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuning_study, "HEARTBEAT", 1)
    monkeypatch.setattr(tuning_study, "SILENCE", 2)

    def die_once(configuration: Configuration) -> float:
        try:
            (tmp_path / "died").mkdir()
        except FileExistsError:
            return 0.5
        time.sleep(0.5)  # until the first heartbeat
        os.kill(os.getpid(), signal.SIGKILL)
        return 0.0

    trainings.score_of = die_once
    notes: list[str] = []
    found = tuned(role_pairs, storage, trials=6, report=lambda progress: notes.append(progress.note))
    assert [found.count(state) for state in ("complete", "fail", "running", "waiting")] == [6, 1, 0, 0]
    assert len(set(complete_points(found))) == 6
    assert any(note.startswith("a worker ended by signal SIGKILL") for note in notes)


@forked
def test_processes_that_all_die_or_fail_end_the_study(
    role_pairs: Corpus, storage: str, trainings: Trainings
) -> None:
    def die(configuration: Configuration) -> float:
        os.kill(os.getpid(), signal.SIGKILL)
        return 0.0

    trainings.score_of = die
    space = choose_space(QUICK)
    with pytest.raises(InputError, match=r"One worker after the other ended, .* by signal SIGKILL"):
        tuned(role_pairs, storage, trials=6, space=space)

    def fail(configuration: Configuration) -> float:
        raise InputError("The vectors are gone.", where="here", hint="Find them.")

    trainings.score_of = fail
    with pytest.raises(InputError, match=r"here: The vectors are gone\. Find them\."):
        tuned(role_pairs, storage, trials=4, space=space)
    trainings.score_of = lambda configuration: 0.5
    assert tuned(role_pairs, storage, trials=4, space=space).count("complete") == 4


@forked
def test_an_interrupt_keeps_finished_trials(role_pairs: Corpus, storage: str, trainings: Trainings) -> None:
    def interrupt(progress: StudyProgress) -> None:
        if progress.finished:
            raise KeyboardInterrupt

    space = choose_space(QUICK)
    with pytest.raises(KeyboardInterrupt):
        tuned(role_pairs, storage, trials=8, space=space, report=interrupt)
    before = tuned(role_pairs, storage, trials=1, space=space)
    assert before.count("complete") >= 1
    assert tuned(role_pairs, storage, trials=8, space=space).count("complete") == 8


@forked
def test_two_processes_share_a_study_on_a_server(role_pairs: Corpus, trainings: Trainings) -> None:
    """Run with DISCO2_POSTGRESQL=postgresql://user@127.0.0.1/tests."""
    pytest.importorskip("psycopg")
    if not (server := os.environ.get("DISCO2_POSTGRESQL", "")):
        pytest.skip("no PostgreSQL server; set DISCO2_POSTGRESQL to the address of a database")
    study = f"test-{uuid.uuid4()}"
    for trials, engine in ((5, LocalEngine(2)), (8, None)):
        space = choose_space(QUICK)
        found = tuned(role_pairs, server, trials=trials, engine=engine, study=study, space=space)
        assert found.count("complete") >= trials


PASSES = 30
EARLY, LATE, FIRST_SEED = 4, 6, PASSES + 1


def trial_with(values: dict[int, float], *, state: str = "RUNNING") -> Any:
    return optuna.create_trial(
        state=optuna.trial.TrialState[state],
        value=0.5 if state == "COMPLETE" else None,
        intermediate_values=values,
    )


def study_with(scores: list[float]) -> Any:
    """Finished trials, every other one pruned, each with one score at all steps."""
    made = optuna.create_study(direction="maximize")
    for number, score in enumerate(scores):
        steps = dict.fromkeys((EARLY, LATE, FIRST_SEED), score)
        made.add_trial(trial_with(steps, state="PRUNED" if number % 2 else "COMPLETE"))
    return made


@pytest.mark.parametrize(
    ("steps", "pruned"),
    [
        ({}, False),
        ({EARLY: 0.0}, False),
        ({LATE: 0.15}, True),
        ({LATE: 0.25}, False),
        ({FIRST_SEED: 0.25}, True),
        ({FIRST_SEED: 0.35}, False),
        ({LATE: 0.9, FIRST_SEED: 0.2}, True),
    ],
)
def test_a_trial_is_compared_with_finished_ones_at_the_same_step(
    steps: dict[int, float], pruned: bool
) -> None:
    assert QuantilePruner(PASSES).prune(study_with([0.1, 0.2, 0.3, 0.4, 0.5]), trial_with(steps)) == pruned
    assert not QuantilePruner(PASSES).prune(study_with([0.5] * 4), trial_with(steps))


def test_with_few_passes_only_whole_seeds_are_judged() -> None:
    others = optuna.create_study(direction="maximize")
    for _ in range(5):
        others.add_trial(trial_with({2: 0.5, 4: 0.5}, state="COMPLETE"))
    assert not QuantilePruner(3).prune(others, trial_with({2: 0.0}))
    assert QuantilePruner(3).prune(others, trial_with({4: 0.0}))
