"""Tuning: what is varied and judged, which trial wins, and processes that are interrupted or die."""

from __future__ import annotations

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
    LOSS,
    SCORES,
    Problem,
    Tuned,
    check_storage,
    choose_space,
    define_problem,
    readable,
    tune,
)
from tests.experiments.conftest import QUICK, Trainings

optuna = pytest.importorskip("optuna")


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
    varied = set(space.distributions)
    assert varied - {"K"} == {f"{kind}_{group}" for kind in ("rate", "lambda") for group in groups}
    assert ("K" in varied) == ("surface" not in model[0])
    assert {setting for some in space.settings.values() for setting in some} <= set(names())


def test_the_paper_has_one_group_for_both_kinds_of_matrices() -> None:
    space = choose_space(Configuration(), grid="paper")
    both = ("training.rate_classification", "training.rate_entities")
    assert space.settings["rate_classification"] == both
    choices = [space.distributions[name].choices for name in ("rate_upward", "lambda_upward", "K")]
    assert choices == [(0.01, 0.03, 0.05, 0.09), (0.0002, 0.002, 0.02, 0.2), (20, 30, 40, 50, 60)]


def test_quick_is_the_neighbourhood_of_the_configured_settings() -> None:
    space = choose_space(configured("training.rate_upward=0.06", "training.lambda_features=0"))
    upward = space.distributions["rate_upward"]
    assert (upward.low, upward.high) == pytest.approx((0.02, 0.18))
    assert not {"lambda_features", "K"} & set(space.settings)
    assert space.first is not None
    assert space.first["rate_upward"] == 0.06
    encoder = choose_space(configured("model.kind=encoder", "model.features=false", "encoder.rate=3e-5"))
    assert list(encoder.settings.values()) == [("encoder.rate",), ("encoder.hint_weight",)]


@pytest.mark.parametrize(
    ("assignments", "options", "message"),
    [
        (["model.kind=majority"], {}, "nothing to tune"),
        (["model.kind=encoder"], {"grid": "paper"}, "nothing to tune on the paper grid"),
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


def test_what_differs_in_the_problem_differs_in_its_name(role_pairs: Corpus) -> None:
    paper = choose_space(QUICK, grid="paper")
    found = [
        problem(role_pairs).name,
        problem(role_pairs, development="random").name,
        problem(role_pairs, seeds=3).name,
        problem(role_pairs, QUICK.changed({"training.batch_size": 8})).name,
        problem(role_pairs, QUICK.changed({"training.rate_features": 0.1})).name,
        define_problem(role_pairs, QUICK, paper).name,
        problem(replace(role_pairs, relations=role_pairs.relations[1:])).name,
    ]
    assert len(set(found)) == len(found)
    assert problem(role_pairs).name == found[0]
    varied = QUICK.changed({"training.rate_features": 0.07})
    assert define_problem(role_pairs, varied, paper).name == found[5]


def tuned(corpus: Corpus, file: Path, configuration: Configuration = QUICK, **options: Any) -> Tuned:
    return tune(corpus, configuration, space=choose_space(configuration), file=file, **options)


def values(found: Tuned) -> list[dict[str, float]]:
    """Of the complete trials, in their order."""
    return [readable(one.params) for one in sorted(found.ranking, key=lambda one: one.number)]


def test_the_best_settings_of_real_trainings_are_found_and_read_back(
    role_pairs: Corpus, study: Path, tmp_path: Path
) -> None:
    configuration = QUICK.changed({"training.epochs": 12, "training.rate_features": 1.0})
    found = tuned(role_pairs, study, configuration, trials=3, seeds=1)
    assert len(found.ranking) == 3
    assert found.best.value == max(one.value or 0 for one in found.ranking)
    history = train_model(role_pairs, divide(role_pairs, configuration), configuration).history
    assert history.best is not None  # the best pass of the configured settings, not the last one
    first = min(found.ranking, key=lambda one: one.number)
    assert (first.value, first.user_attrs[LOSS]) == (history.best.score, history.best.development_loss)
    (tmp_path / "best.toml").write_text(found.to_toml(), encoding="utf-8")
    assert read_configuration(tmp_path / "best.toml") == found.configuration
    head = found.to_toml().split("\n\n")[0]
    for fact in (found.problem.name, f'score": {found.best.value}', "# trials: 3", '# development: "dev"'):
        assert fact in head


def test_the_value_is_the_mean_over_seeds_and_the_configured_settings_come_first(
    role_pairs: Corpus, study: Path, trainings: Trainings
) -> None:
    trainings.score_of = lambda configuration: {1: 0.2, 2: 0.3, 3: 0.7}[configuration.training.seed]
    best = tuned(role_pairs, study, trials=1, seeds=3).best
    assert (best.value, best.user_attrs[LOSS]) == pytest.approx((0.4, 0.6))
    assert best.user_attrs[SCORES] == [0.2, 0.3, 0.7]
    assert trainings.asked[0] == QUICK.changed({"training.seed": 1})


def test_equal_scores_are_ranked_by_loss(
    role_pairs: Corpus, study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcomes = iter([([0.5], 1.0), ([0.6], None), ([0.6], 0.9), ([0.6], 0.8), ([0.6], 0.8)])
    monkeypatch.setattr("disco2.experiments.tuning.Problem.judge", lambda *point, **_: next(outcomes))
    assert [one.number for one in tuned(role_pairs, study, trials=5).ranking] == [3, 4, 2, 1, 0]


def test_a_study_continues_as_if_it_had_not_stopped(
    role_pairs: Corpus, tmp_path: Path, trainings: Trainings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("disco2.experiments.tuning.RANDOM_FIRST", 3)
    for total in (2, 4, 7):
        found = tuned(role_pairs, tmp_path / "pieces.db", trials=total, seeds=1)
        assert len(found.ranking) == len(trainings.asked) == total
    assert len(tuned(role_pairs, tmp_path / "pieces.db", trials=5, seeds=1).ranking) == 7  # nothing to do
    at_once = tuned(role_pairs, tmp_path / "once.db", trials=7, seeds=1)
    assert values(at_once) == values(found)
    assert len({one["rate_features"] for one in values(found)}) == 7


@pytest.mark.parametrize("error", [KeyboardInterrupt(), InputError("The vectors are gone.", where="here")])
def test_an_interrupted_or_failed_trial_is_tried_again_at_the_same_point(
    role_pairs: Corpus, study: Path, trainings: Trainings, error: BaseException
) -> None:
    def fail_once(configuration: Configuration) -> float:
        if len(trainings.asked) == 3:
            raise error
        return 0.5

    trainings.score_of = fail_once
    with pytest.raises(type(error)):
        tuned(role_pairs, study, trials=4, seeds=1)
    found = tuned(role_pairs, study, trials=4, seeds=1)
    assert sorted(one.number for one in found.ranking) == [0, 1, 3, 4]
    rates = [one.training.rate_features for one in trainings.asked]
    assert rates[2] == rates[3]
    assert len(set(rates)) == 4


def test_one_command_at_a_time_uses_a_study(role_pairs: Corpus, study: Path, trainings: Trainings) -> None:
    def tune_again(*progress: Any) -> None:
        with pytest.raises(InputError, match="Another command is tuning"):
            tuned(role_pairs, study, trials=1)

    assert len(tuned(role_pairs, study, trials=1, progress=tune_again).ranking) == 1


@pytest.mark.parametrize(
    ("name", "message"),
    [(".", "can't be used"), ("text", "not a database"), ("text/below/study.db", "can't be written")],
)
def test_a_place_that_can_not_be_used_is_refused(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "text").write_text("no database\n" * 100)
    with pytest.raises(InputError, match=message):
        check_storage(tmp_path / name)


def test_processes_give_what_one_process_gives(
    role_pairs: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("disco2.engines.local.process_context", lambda: multiprocessing.get_context("spawn"))
    alone, together = (
        {tuple(one.params.items()): one.user_attrs for one in found.ranking}
        for found in (
            tuned(role_pairs, Path("alone.db"), trials=3, seeds=1),
            tuned(role_pairs, Path("together.db"), trials=3, seeds=1, jobs=2),
        )
    )
    assert together == alone


forked = pytest.mark.skipif(
    process_context().get_start_method() != "fork", reason="a stand-in reaches forked processes alone"
)


@forked
def test_a_killed_process_loses_no_point(
    role_pairs: Corpus, study: Path, tmp_path: Path, trainings: Trainings
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
    found = tuned(role_pairs, study, trials=6, seeds=1, jobs=2, notice=notes.append)
    assert len({tuple(one.params.items()) for one in found.ranking}) == 6
    assert any(note.startswith("a worker ended by signal SIGKILL") for note in notes)


@forked
def test_processes_that_all_die_end_the_study(role_pairs: Corpus, study: Path, trainings: Trainings) -> None:
    def die(configuration: Configuration) -> float:
        os.kill(os.getpid(), signal.SIGKILL)
        return 0.0

    trainings.score_of = die
    with pytest.raises(InputError, match=r"One process after the other ended, .* by signal SIGKILL"):
        tuned(role_pairs, study, trials=6, jobs=2)
    trainings.score_of = lambda configuration: 0.5
    assert len(tuned(role_pairs, study, trials=4, jobs=2).ranking) == 4


def test_without_optuna(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"disco2\[tune\]"):
        choose_space(QUICK)
