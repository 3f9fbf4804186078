"""A study on a PostgreSQL server; skipped unless DISCO2_POSTGRESQL names a database.

DISCO2_POSTGRESQL=postgresql://user@127.0.0.1/tests pytest tests/experiments/tuning
"""

from __future__ import annotations

import os
import uuid
from typing import Any

import pytest

pytest.importorskip("optuna")
pytest.importorskip("psycopg")

from disco2.data import Corpus
from disco2.engines import LocalEngine
from disco2.experiments.tuning.space import choose_space
from disco2.experiments.tuning.tune import tune
from tests.experiments.tuning.made_up_study import QUICK, Trainings


@pytest.fixture
def server() -> str:
    address = os.environ.get("DISCO2_POSTGRESQL", "")
    if not address:
        pytest.skip("no PostgreSQL server; set DISCO2_POSTGRESQL to the address of a database")
    return address


def test_two_processes_share_a_study_on_a_server_and_it_goes_on(
    corpus: Corpus, server: str, trainings: Trainings
) -> None:
    options: dict[str, Any] = {"seeds": 1, "study": f"test-{uuid.uuid4()}", "pruning": False}
    for trials, engine in ((5, LocalEngine(2)), (8, None)):
        found = tune(
            corpus, QUICK, space=choose_space(QUICK), storage=server, trials=trials, engine=engine, **options
        )
        assert [trial.state for trial in found.trials] == ["complete"] * trials
    assert len({trial.values["rate_features"] for trial in found.trials}) == 8
