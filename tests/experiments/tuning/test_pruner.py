"""Which trials are given up: the worst quarter while the first seed is trained, then the worse half."""

from __future__ import annotations

from typing import Any

import pytest

optuna = pytest.importorskip("optuna")

from disco2.experiments.tuning.pruner import PrunerBySteps  # noqa: E402

PASSES = 30
EARLY, LATE, FIRST_SEED = 4, 6, PASSES + 1


def trial(values: dict[int, float], *, state: str = "COMPLETE") -> Any:
    return optuna.create_trial(
        state=optuna.trial.TrialState[state],
        value=0.5 if state == "COMPLETE" else None,
        intermediate_values=values,
    )


def study(scores: list[float]) -> Any:
    """Finished trials, every other one pruned, each with the same score all along."""
    made = optuna.create_study(direction="maximize")
    for number, score in enumerate(scores):
        steps = dict.fromkeys((EARLY, LATE, FIRST_SEED), score)
        made.add_trial(trial(steps, state="PRUNED" if number % 2 else "COMPLETE"))
    return made


@pytest.mark.parametrize(
    ("step", "score", "given_up"),
    [
        (EARLY, 0.0, False),
        (LATE, 0.15, True),
        (LATE, 0.25, False),
        (FIRST_SEED, 0.25, True),
        (FIRST_SEED, 0.35, False),
    ],
)
def test_a_trial_is_compared_at_the_same_step(step: int, score: float, given_up: bool) -> None:
    others = study([0.1, 0.2, 0.3, 0.4, 0.5])
    assert PrunerBySteps(PASSES).prune(others, trial({step: score}, state="RUNNING")) == given_up


def test_the_last_score_counts_and_not_the_best_one_on_the_way() -> None:
    others = study([0.1, 0.2, 0.3, 0.4, 0.5])
    assert PrunerBySteps(PASSES).prune(others, trial({LATE: 0.9, FIRST_SEED: 0.2}, state="RUNNING"))


def test_nothing_is_given_up_before_there_is_something_to_compare_with() -> None:
    assert not PrunerBySteps(PASSES).prune(study([0.5] * 4), trial({LATE: 0.0}, state="RUNNING"))
    assert not PrunerBySteps(PASSES).prune(study([0.5] * 9), trial({}, state="RUNNING"))


def test_with_few_passes_only_whole_seeds_are_judged() -> None:
    others = optuna.create_study(direction="maximize")
    for _ in range(5):
        others.add_trial(trial({2: 0.5, 4: 0.5}))
    assert not PrunerBySteps(3).prune(others, trial({2: 0.0}, state="RUNNING"))
    assert PrunerBySteps(3).prune(others, trial({4: 0.0}, state="RUNNING"))
