"""Tuning: what is varied and judged, which trial wins, and processes that are interrupted or die."""

from __future__ import annotations

import math
import multiprocessing
import os
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from disco2.data import Corpus
from disco2.engines.local import process_context
from disco2.errors import InputError, MissingExtraError, SettingsError
from disco2.experiments.configuration import Configuration, names, read_configuration
from disco2.experiments.division import divide
from disco2.experiments.train_run import train_model
from disco2.experiments.tuning import (
    StudyProgress,
    TrialRecord,
    Tuned,
    check_storage,
    rank_trials,
    tune,
)
from disco2.experiments.tuning_problem import (
    PAPER_K,
    PAPER_LAMBDAS,
    PAPER_RATES,
    Problem,
    choose_space,
    define_problem,
)
from tests.experiments.conftest import QUICK, Trainings


def configured(*assignments: str) -> Configuration:
    return read_configuration(None, assignments)


@pytest.mark.parametrize(
    ("model", "groups"),
    [
        (["model.kind=entities"], {"upward", "downward", "features", "classification"}),
        (["model.kind=entities", "model.features=false"], {"upward", "downward", "classification"}),
        (["model.kind=upward"], {"upward", "features", "classification"}),
        (["model.kind=additive", "model.features=false"], {"classification"}),
        (["model.kind=surface"], {"features"}),
    ],
)
def test_a_model_is_tuned_by_the_groups_it_has(model: list[str], groups: set[str]) -> None:
    space = choose_space(configured(*model), grid="paper")
    varied = {dimension.name for dimension in space.dimensions}
    assert varied - {"K"} == {f"{kind}_{group}" for kind in ("rate", "lambda") for group in groups}
    assert ("K" in varied) == ("surface" not in model[0])
    assert space.settings <= set(names())


def test_the_paper_has_one_group_for_both_kinds_of_matrices() -> None:
    by_name = {one.name: one for one in choose_space(Configuration(), grid="paper").dimensions}
    assert by_name["rate_classification"].settings == (
        "training.rate_classification",
        "training.rate_entities",
    )
    assert by_name["rate_upward"].values == PAPER_RATES == (0.01, 0.03, 0.05, 0.09)
    assert by_name["lambda_upward"].values == PAPER_LAMBDAS == (0.0002, 0.002, 0.02, 0.2)
    assert by_name["K"].values == PAPER_K == (20, 30, 40, 50, 60)


def test_quick_is_the_neighbourhood_of_the_configured_settings() -> None:
    space = choose_space(configured("training.rate_upward=0.06", "training.lambda_features=0"))
    upward = next(one for one in space.dimensions if one.name == "rate_upward")
    assert (upward.low, upward.high) == pytest.approx((0.02, 0.18))
    assert not {"training.lambda_features", "model.K"} & space.settings
    first = space.first
    assert first is not None
    assert first["rate_upward"] == 0.06
    for dimension in space.dimensions:
        assert math.isclose(first[dimension.name] ** 2, dimension.low * dimension.high)


def test_an_encoder_is_tuned_by_the_settings_of_its_fine_tuning() -> None:
    space = choose_space(configured("model.kind=encoder", "model.features=false", "encoder.rate=3e-5"))
    rate, hint_weight = space.dimensions
    assert (rate.settings, hint_weight.settings) == (("encoder.rate",), ("encoder.hint_weight",))
    assert (rate.low, rate.high) == pytest.approx((1e-5, 9e-5))


@pytest.mark.parametrize(
    ("assignments", "options", "message"),
    [
        (["model.kind=majority"], {}, "nothing to tune"),
        ([], {"grid": "papre"}, "Unknown grid 'papre'"),
        (["model.kind=encoder"], {"grid": "paper"}, "not for an encoder"),
        (
            ["model.kind=surface", "training.rate_features=0", "training.lambda_features=0"],
            {},
            "All rates and regularisers are zero",
        ),
    ],
)
def test_what_can_not_be_tuned_is_refused(
    assignments: list[str], options: dict[str, str], message: str
) -> None:
    with pytest.raises(SettingsError, match=message):
        choose_space(configured(*assignments), **options)


def problem(corpus: Corpus, configuration: Configuration = QUICK, **options: Any) -> Problem:
    return define_problem(corpus, configuration, choose_space(configuration), **options)


def parts_of(corpus: Corpus, found: Problem, part: str) -> set[str]:
    return {corpus.parts[one.document.id] for one in found.parts.instances[part]}


def test_trials_are_judged_on_the_dev_part_and_have_no_test_part(role_pairs: Corpus) -> None:
    found = problem(role_pairs)
    assert (parts_of(role_pairs, found, "train"), parts_of(role_pairs, found, "dev")) == ({"train"}, {"dev"})
    assert found.parts.instances["test"] == found.parts.relations["test"] == []
    assert (found.development, found.seeds) == ("dev", (1, 2))


def test_a_random_share_of_the_training_relations_leaves_the_dev_part_alone(role_pairs: Corpus) -> None:
    found = problem(role_pairs, development="random")
    assert parts_of(role_pairs, found, "train") == parts_of(role_pairs, found, "dev") == {"train"}
    training, held = found.parts.instances["train"], found.parts.instances["dev"]
    assert (len(training), len(held)) == (48, 12)
    assert not {one.relation.id for one in training} & {one.relation.id for one in held}
    assert problem(role_pairs, development="random").parts.instances == found.parts.instances
    without = replace(role_pairs, parts=dict.fromkeys(role_pairs.documents, "train"))
    assert problem(without).development == "random"


def test_what_differs_in_the_problem_differs_in_its_name(role_pairs: Corpus, tmp_path: Path) -> None:
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("one 1 2")
    from_file = QUICK.changed({"vectors.source": str(vectors)})
    paper = choose_space(QUICK, grid="paper")
    found = [
        problem(role_pairs).name,
        problem(role_pairs, development="random").name,
        problem(role_pairs, seeds=3).name,
        problem(role_pairs, QUICK.changed({"training.batch_size": 8})).name,
        problem(role_pairs, QUICK.changed({"task.versus": "Contingency"})).name,
        problem(role_pairs, QUICK.changed({"training.rate_features": 0.1})).name,
        define_problem(role_pairs, QUICK, paper).name,
        problem(replace(role_pairs, relations=role_pairs.relations[1:])).name,
        problem(role_pairs, from_file).name,
    ]
    vectors.write_text("one 1 2\ntwo 3 4")
    found.append(problem(role_pairs, from_file).name)
    assert len(set(found)) == len(found)
    assert problem(role_pairs).name == found[0]
    varied = QUICK.changed({"training.rate_features": 0.07})
    assert define_problem(role_pairs, varied, paper).name == found[6]


def test_equal_scores_are_ranked_by_loss() -> None:
    known = [(0.5, 1.0), (0.6, None), (0.6, 0.9), (0.6, 0.8), (0.6, 0.8)]
    trials = [TrialRecord(number, "complete", {}, *one[:1], loss=one[1]) for number, one in enumerate(known)]
    trials.append(TrialRecord(5, "pruned", {}, 0.9, loss=0.1))
    assert [one.number for one in rank_trials(trials)] == [3, 4, 2, 1, 0]


def tuned(corpus: Corpus, storage: str, configuration: Configuration = QUICK, **options: Any) -> Tuned:
    pytest.importorskip("optuna")
    return tune(corpus, configuration, space=choose_space(configuration), storage=storage, **options)


def test_the_best_settings_of_real_trainings_are_found_and_read_back(
    role_pairs: Corpus, storage: str, tmp_path: Path
) -> None:
    configuration = QUICK.changed({"training.epochs": 12, "training.rate_features": 1.0})
    found = tuned(role_pairs, storage, configuration, trials=3, seeds=1)
    assert found.count("complete", "pruned") == 3
    assert found.best.score == max(trial.score for trial in found.trials if trial.score is not None)
    history = train_model(role_pairs, divide(role_pairs, configuration), configuration).history
    assert history.best is not None  # the best pass of the configured settings, not the last one
    assert (found.trials[0].score, found.trials[0].loss) == (
        history.best.score,
        history.best.development_loss,
    )
    (tmp_path / "best.toml").write_text(found.to_toml(), encoding="utf-8")
    assert read_configuration(tmp_path / "best.toml") == found.configuration
    head = found.to_toml().split("\n\n")[0]
    for fact in (
        "role-pairs",
        found.problem.name,
        f"{100 * (found.best.score or 0):.2f}%",
        "3 trials",
        "dev part",
    ):
        assert fact in head


def test_the_value_is_the_mean_over_seeds_and_the_configured_settings_come_first(
    role_pairs: Corpus, storage: str, trainings: Trainings
) -> None:
    trainings.score_of = lambda configuration: {1: 0.2, 2: 0.3, 3: 0.7}[configuration.training.seed]
    best = tuned(role_pairs, storage, trials=1, seeds=3).best
    assert (best.score, best.loss) == pytest.approx((0.4, 0.6))
    assert best.by_seed == (0.2, 0.3, 0.7)
    assert trainings.asked[0] == QUICK.changed({"training.seed": 1})


def test_progress_is_reported(role_pairs: Corpus, storage: str, trainings: Trainings) -> None:
    heard: list[StudyProgress] = []
    tuned(role_pairs, storage, trials=3, report=heard.append)
    assert [(one.finished, one.wanted) for one in heard] == [(0, 3), (1, 3), (2, 3), (3, 3)]
    assert heard[-1].best == max(one.training.rate_features for one in trainings.asked)


def test_a_study_continues_as_if_it_had_not_stopped(
    role_pairs: Corpus, tmp_path: Path, trainings: Trainings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("disco2.experiments.tuning.RANDOM_FIRST", 3)
    in_pieces = f"sqlite:///{tmp_path / 'pieces.db'}"
    for total in (2, 4, 7):
        found = tuned(role_pairs, in_pieces, trials=total, seeds=1)
        assert found.count("complete", "pruned") == len(found.trials) == total
    assert len(trainings.asked) == 7
    assert len(tuned(role_pairs, in_pieces, trials=5, seeds=1).trials) == 7  # nothing left to do
    at_once = tuned(role_pairs, f"sqlite:///{tmp_path / 'once.db'}", trials=7, seeds=1)
    assert [one.values for one in at_once.trials] == [one.values for one in found.trials]
    assert len({one.values["rate_features"] for one in found.trials}) == 7


def test_trials_that_do_worse_are_pruned_after_the_first_seed(
    role_pairs: Corpus, storage: str, trainings: Trainings
) -> None:
    trainings.score_of = lambda configuration: 0.9 - 0.01 * len(trainings.asked)
    found = tuned(role_pairs, storage, trials=8, seeds=4)
    assert [trial.state for trial in found.trials] == ["complete"] * 5 + ["pruned"] * 3
    assert len(trainings.asked) == 5 * 4 + 3
    assert found.best.number == 0
    assert tuned(role_pairs, storage, trials=9, seeds=4, pruning=False).trials[8].state == "complete"


@pytest.mark.parametrize("error", [KeyboardInterrupt(), InputError("The vectors are gone.", where="here")])
def test_an_interrupted_or_failed_trial_is_tried_again_at_the_same_point(
    role_pairs: Corpus, storage: str, trainings: Trainings, error: BaseException
) -> None:
    def fail_once(configuration: Configuration) -> float:
        if len(trainings.asked) == 3:
            raise error
        return 0.5

    trainings.score_of = fail_once
    with pytest.raises(type(error)):
        tuned(role_pairs, storage, trials=4, seeds=1)
    found = tuned(role_pairs, storage, trials=4, seeds=1)
    assert [one.state for one in found.trials] == ["complete", "complete", "fail", "complete", "complete"]
    assert found.trials[3].values == found.trials[2].values


def test_one_command_at_a_time_uses_a_storage(role_pairs: Corpus, storage: str, trainings: Trainings) -> None:
    def tune_again(progress: StudyProgress) -> None:
        with pytest.raises(InputError, match="Another command is tuning"):
            tuned(role_pairs, storage, trials=1)

    assert tuned(role_pairs, storage, trials=1, report=tune_again).count("complete") == 1


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("tune.db", "kept in a SQLite file"),
        ("sqlite://", "kept in a SQLite file"),
        ("sqlite:///:memory:", "kept in a SQLite file"),
        ("postgresql://me:secret@host/study", "kept in a SQLite file"),
        ("sqlite:///{folder}", "can't be used"),
        ("sqlite:///{text}", "not a database"),
        ("sqlite:///{text}/below/study.db", "folder can't be created"),
    ],
)
def test_an_address_that_can_not_be_used_is_refused(tmp_path: Path, address: str, message: str) -> None:
    pytest.importorskip("optuna")
    (tmp_path / "text").write_text("no database\n" * 100)
    with pytest.raises(SettingsError, match=message) as refused:
        check_storage(address.format(folder=tmp_path, text=tmp_path / "text"))
    assert "secret" not in str(refused.value)


def test_processes_give_what_one_process_gives(
    role_pairs: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("disco2.engines.local.process_context", lambda: multiprocessing.get_context("spawn"))
    options: dict[str, Any] = {"trials": 3, "seeds": 1}
    alone, together = (
        {tuple(one.values.items()): (one.by_seed, one.loss) for one in found.trials}
        for found in (
            tuned(role_pairs, "sqlite:///alone.db", **options),
            tuned(role_pairs, "sqlite:///together.db", jobs=2, **options),
        )
    )
    assert together == alone


forked = pytest.mark.skipif(
    process_context().get_start_method() != "fork", reason="a stand-in reaches forked processes alone"
)
IN_TWO: dict[str, Any] = {"pruning": False, "seeds": 1, "jobs": 2}


@forked
def test_a_killed_process_loses_no_point(
    role_pairs: Corpus, storage: str, tmp_path: Path, trainings: Trainings
) -> None:
    def die_once(configuration: Configuration) -> float:
        try:
            (tmp_path / "died").mkdir()
        except FileExistsError:
            return 0.5
        os.kill(os.getpid(), signal.SIGKILL)
        return 0.0

    trainings.score_of = die_once
    notes: list[str] = []
    found = tuned(
        role_pairs, storage, trials=6, report=lambda progress: notes.append(progress.note), **IN_TWO
    )
    assert found.count("complete") == len(found.trials) == 6
    assert len({tuple(trial.values.items()) for trial in found.trials}) == 6
    assert any(note.startswith("a worker ended by signal SIGKILL") for note in notes)


@forked
def test_processes_that_all_die_end_the_study(role_pairs: Corpus, storage: str, trainings: Trainings) -> None:
    def die(configuration: Configuration) -> float:
        os.kill(os.getpid(), signal.SIGKILL)
        return 0.0

    trainings.score_of = die
    with pytest.raises(InputError, match=r"One worker after the other ended, .* by signal SIGKILL"):
        tuned(role_pairs, storage, trials=6, jobs=2)
    trainings.score_of = lambda configuration: 0.5
    assert tuned(role_pairs, storage, trials=4, jobs=2).count("complete") == 4


def test_unknown_development_relations_are_refused(role_pairs: Corpus) -> None:
    with pytest.raises(SettingsError, match="Unknown development relations"):
        problem(role_pairs, development="test")


def test_without_optuna_the_extra_is_named(
    role_pairs: Corpus, storage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"disco2\[tune\]"):
        tuned(role_pairs, storage)
