"""A study as a whole, in one process: how many trials, which value, which is best."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from disco2.data import Corpus
from disco2.errors import InputError, MissingExtraError, SettingsError
from disco2.experiments.configuration import Configuration, read_configuration
from disco2.experiments.tuning.best_file import write_best
from disco2.experiments.tuning.space import choose_space
from disco2.experiments.tuning.standing import Standing
from disco2.experiments.tuning.trials import TrialRecord, ranked
from disco2.experiments.tuning.tune import Tuned, tune
from tests.experiments.tuning.made_up_study import QUICK, Trainings

pytest.importorskip("optuna")


def tuned(corpus: Corpus, storage: str, configuration: Configuration = QUICK, **options: Any) -> Tuned:
    grid = {name: options.pop(name) for name in ("grid", "sampler") if name in options}
    return tune(corpus, configuration, space=choose_space(configuration, **grid), storage=storage, **options)


def test_the_best_settings_of_real_trainings_are_found_and_read_back(
    corpus: Corpus, storage: str, tmp_path: Path
) -> None:
    found = tuned(corpus, storage, trials=3, seeds=1)
    assert found.count("complete", "pruned") == 3
    assert found.best.score == max(trial.score for trial in found.trials if trial.score is not None)
    write_best(found, tmp_path / "new" / "best.toml")
    again = read_configuration(tmp_path / "new" / "best.toml")
    assert again == found.configuration
    assert again.training.rate_features == found.best.values["rate_features"]
    head = (tmp_path / "new" / "best.toml").read_text(encoding="utf-8").split("\n\n")[0]
    for fact in ("role-pairs", found.study, f"{100 * (found.best.score or 0):.2f}%", "3 trials", "dev part"):
        assert fact in head


def test_the_configured_settings_are_the_first_trial(
    corpus: Corpus, storage: str, trainings: Trainings
) -> None:
    found = tuned(corpus, storage, trials=2)
    assert [one.training for one in trainings.asked[:2]] == [
        QUICK.changed({"training.seed": seed}).training for seed in (1, 2)
    ]
    assert found.configuration.training.seed == QUICK.training.seed


def test_the_value_is_the_mean_over_seeds(
    corpus: Corpus, storage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_seed = Trainings(lambda configuration: {1: 0.2, 2: 0.3, 3: 0.7}[configuration.training.seed])
    monkeypatch.setattr("disco2.experiments.tuning.objective.train_model", by_seed)
    best = tuned(corpus, storage, trials=1, seeds=3).best
    assert best.score == pytest.approx(0.4)
    assert best.by_seed == (0.2, 0.3, 0.7)
    assert best.loss == pytest.approx(0.6)


def test_the_best_pass_and_not_the_last_one_counts(corpus: Corpus, storage: str) -> None:
    configuration = QUICK.changed({"training.epochs": 12, "training.rate_features": 1.0})
    [record] = tuned(corpus, storage, configuration, trials=1, seeds=1).trials
    from disco2.experiments.division import divide
    from disco2.experiments.train_run import train_model

    fitted = train_model(corpus, divide(corpus, configuration), configuration)
    assert fitted.history.best is not None
    assert record.score == fitted.history.best.score
    assert record.loss == fitted.history.best.development_loss


def test_one_class_against_the_rest_is_tuned_for_f1(corpus: Corpus, storage: str) -> None:
    configuration = QUICK.changed({"task.versus": "Contingency"})
    found = tuned(corpus, storage, configuration, trials=1, seeds=1)
    assert found.score_name == "f1"
    from disco2.experiments.division import divide
    from disco2.experiments.train_run import train_model

    parts = divide(corpus, configuration)
    development = parts.instances["dev"]
    predicted = train_model(corpus, parts, configuration).model.predict(development)
    right = sum(
        label == "Contingency" == one.gold[0] for label, one in zip(predicted, development, strict=True)
    )
    wanted = sum(one.gold[0] == "Contingency" for one in development)
    assert found.best.score == pytest.approx(2 * right / (predicted.count("Contingency") + wanted))


def test_a_study_goes_on_to_the_number_of_trials_asked_for_as_if_it_had_not_stopped(
    corpus: Corpus, tmp_path: Path, trainings: Trainings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("disco2.experiments.tuning.sampler.RANDOM_FIRST", 3)
    in_pieces = f"sqlite:///{tmp_path / 'pieces.db'}"
    for total in (2, 4, 7):
        found = tuned(corpus, in_pieces, trials=total, seeds=1)
        assert found.count("complete", "pruned") == len(found.trials) == total
    assert len(trainings.asked) == 7
    assert len(tuned(corpus, in_pieces, trials=5, seeds=1).trials) == 7  # nothing left to do
    at_once = tuned(corpus, f"sqlite:///{tmp_path / 'once.db'}", trials=7, seeds=1)
    assert [one.values for one in at_once.trials] == [one.values for one in found.trials]
    assert len({one.values["rate_features"] for one in found.trials}) == 7


def test_different_questions_do_not_mix_in_one_storage(
    corpus: Corpus, storage: str, trainings: Trainings
) -> None:
    first = tuned(corpus, storage, trials=2)
    second = tuned(corpus, storage, QUICK.changed({"training.batch_size": 8}), trials=2)
    assert first.study != second.study
    assert len(first.trials) == len(second.trials) == 2


def test_a_study_of_that_name_with_another_question_is_refused(
    corpus: Corpus, storage: str, trainings: Trainings
) -> None:
    tuned(corpus, storage, trials=1, study="mine")
    assert tuned(corpus, storage, trials=2, study="mine").study == "mine"
    with pytest.raises(SettingsError, match=r"'mine' .* asks something else: it differs in training\.clip"):
        tuned(corpus, storage, QUICK.changed({"training.clip": 4.0}), trials=1, study="mine")
    with pytest.raises(SettingsError, match=r"differs in space\."):
        tuned(corpus, storage, trials=1, study="mine", grid="paper")
    with pytest.raises(SettingsError, match=r"differs in seeds\."):
        tuned(corpus, storage, trials=1, study="mine", seeds=4)


def test_hopeless_trials_are_given_up_early(
    corpus: Corpus, storage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    worse_and_worse = Trainings(lambda configuration: 0.9 - 0.01 * len(worse_and_worse.asked))
    monkeypatch.setattr("disco2.experiments.tuning.objective.train_model", worse_and_worse)
    found = tuned(corpus, storage, trials=8, seeds=4)
    states = [trial.state for trial in found.trials]
    assert states == ["complete"] * 5 + ["pruned"] * 3
    assert len(worse_and_worse.asked) == 5 * 4 + 3  # after the first of four seeds
    assert found.best.number == 0
    before = len(worse_and_worse.asked)
    assert tuned(corpus, storage, trials=9, seeds=4, pruning=False).trials[8].state == "complete"
    assert len(worse_and_worse.asked) == before + 4


def test_the_grid_is_walked_once(corpus: Corpus, storage: str, trainings: Trainings) -> None:
    options: dict[str, Any] = {"grid": "paper", "sampler": "grid", "pruning": False, "seeds": 1}
    some = tuned(corpus, storage, trials=3, **options)
    assert len(some.trials) == 3
    whole = tuned(corpus, storage, trials=100, **options)
    points = {tuple(trial.values.items()) for trial in whole.trials}
    assert len(points) == len(whole.trials) == 16
    assert whole.best.values["rate"] == 0.09
    assert (
        whole.configuration.training.rate_features == whole.configuration.training.rate_classification == 0.09
    )


def test_equal_scores_are_told_apart_by_loss() -> None:
    def trial(number: int, score: float, loss: float | None, state: str = "complete") -> TrialRecord:
        return TrialRecord(number, state, {}, score, (score,), loss)

    trials = [
        trial(0, 0.5, 1.0),
        trial(1, 0.6, None),
        trial(2, 0.6, 0.9),
        trial(3, 0.6, 0.8),
        trial(4, 0.6, 0.8),
    ]
    trials.append(trial(5, 0.9, 0.1, state="pruned"))
    assert [one.number for one in ranked(trials)] == [3, 4, 2, 1, 0]


def test_no_trial_begins_after_the_time(corpus: Corpus, storage: str, trainings: Trainings) -> None:
    with pytest.raises(InputError, match=r"No trial .* is complete"):
        tuned(corpus, storage, trials=4, timeout=0.0)
    assert trainings.asked == []
    assert len(tuned(corpus, storage, trials=4, timeout=600.0).trials) == 4


def test_whoever_watches_hears_how_far_it_is(corpus: Corpus, storage: str, trainings: Trainings) -> None:
    heard: list[Standing] = []
    tuned(corpus, storage, trials=3, seeds=1, report=heard.append)
    assert [one.finished for one in heard] == [0, 1, 2, 3]
    assert heard[0].best is None
    assert heard[-1].best == max(one.training.rate_features for one in trainings.asked)
    assert {one.wanted for one in heard} == {3}


def test_an_interrupted_trial_is_done_again(
    corpus: Corpus, storage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(configuration: Configuration) -> float:
        if len(trainings.asked) == 3:
            raise KeyboardInterrupt
        return 0.5

    trainings = Trainings(interrupted)
    monkeypatch.setattr("disco2.experiments.tuning.objective.train_model", trainings)
    with pytest.raises(KeyboardInterrupt):
        tuned(corpus, storage, trials=4, seeds=1)
    found = tuned(corpus, storage, trials=4, seeds=1)
    assert [one.state for one in found.trials] == ["complete", "complete", "fail", "complete", "complete"]
    assert found.trials[3].values == found.trials[2].values


def test_an_error_of_a_trial_ends_the_study_and_a_later_one_goes_on(
    corpus: Corpus, storage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(configuration: Configuration) -> float:
        raise InputError("The vectors are gone.", where="here")

    monkeypatch.setattr("disco2.experiments.tuning.objective.train_model", Trainings(broken))
    with pytest.raises(InputError, match="here: The vectors are gone"):
        tuned(corpus, storage, trials=2)
    monkeypatch.setattr("disco2.experiments.tuning.objective.train_model", Trainings())
    found = tuned(corpus, storage, trials=2)
    assert [one.state for one in found.trials] == ["fail", "complete", "complete"]
    assert found.trials[1].values["rate_features"] == QUICK.training.rate_features


@pytest.mark.parametrize("options", [{"trials": -1}, {"seeds": 0}])
def test_odd_numbers_are_refused(corpus: Corpus, storage: str, options: dict[str, int]) -> None:
    with pytest.raises(SettingsError, match=r"at least|0 seeds"):
        tuned(corpus, storage, **options)


def test_without_optuna_the_extra_is_named(
    corpus: Corpus, storage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"disco2\[tune\]"):
        tuned(corpus, storage)
