"""What is varied: the paper's lists, only what a model has, and the configured settings first."""

from __future__ import annotations

import math

import pytest

from disco2.errors import SettingsError
from disco2.experiments.configuration import Configuration, names, read_configuration
from disco2.experiments.tuning.space import PAPER_K, PAPER_LAMBDAS, PAPER_RATES, choose_space

ETA_AND_LAMBDA = {"rate", "lambda"}


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
    assert varied - {"K"} == {f"{kind}_{group}" for kind in ETA_AND_LAMBDA for group in groups}
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


def test_the_grid_has_every_point_once_with_one_rate_for_all() -> None:
    space = choose_space(Configuration(), grid="paper", sampler="grid")
    assert space.exhaustive
    assert len(space.points) == space.trials == 5 * 4 * 4
    assert len({tuple(sorted(point.items())) for point in space.points}) == 80
    assert {point["K"] for point in space.points[:20]} == set(range(5))  # not in order
    rate = next(one for one in space.dimensions if one.name == "rate")
    assert len(rate.settings) == 5
    surface = choose_space(configured("model.kind=surface"), grid="paper", sampler="grid")
    assert len(surface.points) == 4 * 4


def test_quick_is_the_neighbourhood_of_the_configured_settings_which_come_first() -> None:
    configuration = configured("training.rate_upward=0.06", "training.lambda_features=0")
    space = choose_space(configuration)
    upward = next(one for one in space.dimensions if one.name == "rate_upward")
    assert (upward.low, upward.high) == pytest.approx((0.02, 0.18))
    assert "training.lambda_features" not in space.settings  # switched off, and stays so
    assert "model.K" not in space.settings
    [first] = space.points
    assert first["rate_upward"] == 0.06
    for dimension in space.dimensions:
        assert dimension.low < first[dimension.name] < dimension.high
        assert math.isclose(first[dimension.name] ** 2, dimension.low * dimension.high)


@pytest.mark.parametrize(
    ("assignments", "options", "message"),
    [
        (["model.kind=majority"], {}, "nothing to tune"),
        ([], {"grid": "papre"}, "There is no grid 'papre'"),
        ([], {"sampler": "random"}, "There is no sampler"),
        ([], {"grid": "quick", "sampler": "grid"}, "no grid"),
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
