"""What is varied: the paper's grid, or a neighbourhood of given settings."""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from disco2.errors import SettingsError
from disco2.experiments.configuration import Configuration
from disco2.model import ModelSettings

if TYPE_CHECKING:
    from optuna import Trial

GRIDS = ("quick", "paper")
SAMPLERS = ("tpe", "grid")

# Section "implementation details" of the paper.
PAPER_K = (20, 30, 40, 50, 60)
PAPER_LAMBDAS = (0.0002, 0.002, 0.02, 0.2)
PAPER_RATES = (0.01, 0.03, 0.05, 0.09)

NEIGHBOURHOOD = 3.0  # quick: a third of a value to three times it
TRIALS_OF_PAPER = 60
TRIALS_OF_QUICK = 12


@dataclass(frozen=True)
class Dimension:
    """One quantity: the settings that get its value, and the values it may have.

    These are either ``values``, in ascending order, or all numbers from ``low`` to ``high``, where a factor
    counts the same everywhere. In a study, one of several values is known by its place among them, so that
    a sampler knows which ones are neighbours.
    """

    name: str
    settings: tuple[str, ...]
    values: tuple[float, ...] = ()
    low: float = 0.0
    high: float = 0.0

    def suggest(self, trial: Trial) -> float:
        """The value that a trial is to have."""
        if self.values:
            return self.values[trial.suggest_int(self.name, 0, len(self.values) - 1)]
        return float(f"{trial.suggest_float(self.name, self.low, self.high, log=True):.4g}")  # enough to read


@dataclass(frozen=True)
class Space:
    """Dimensions, the usual number of trials, and points of it to try before all others.

    Where it is ``exhaustive``, those points are all there is to try. A point gives each dimension its
    parameter in a study: a place among its values, or a value.
    """

    name: str
    dimensions: tuple[Dimension, ...]
    trials: int
    points: tuple[Mapping[str, float], ...] = ()
    exhaustive: bool = False

    @property
    def settings(self) -> frozenset[str]:
        """The settings that are varied."""
        return frozenset(setting for dimension in self.dimensions for setting in dimension.settings)

    def to_json(self) -> dict[str, Any]:
        return {
            one.name: [*one.settings, list(one.values) if one.values else f"{one.low:.6g} to {one.high:.6g}"]
            for one in self.dimensions
        }


def choose_space(configuration: Configuration, *, grid: str = "quick", sampler: str = "tpe") -> Space:
    """The space of that name, with the dimensions that the configured kind of model has.

    paper: K in {20, 30, 40, 50, 60}, lambda in {0.0002, 0.002, 0.02, 0.2}, eta in {0.01, 0.03, 0.05, 0.09},
    the last two apart for U, V, beta, and A with B. That makes 327,680 points with all groups, so they are
    sampled; the sampler ``grid`` tries every point of a smaller grid, with one lambda and one eta for all.

    quick: rates and regularisers from a third to three times the configured ones, which are tried first; the
    rest stays as configured.
    """
    for value, known, option in ((grid, GRIDS, "grid"), (sampler, SAMPLERS, "sampler")):
        if value not in known:
            raise SettingsError(f"There is no {option} '{value}'.", hint=f"Known: {', '.join(known)}.")
    if configuration.model.kind == "majority":
        raise SettingsError("The most common class has nothing to tune.", hint="Choose another --kind.")
    if grid == "paper":
        return (
            tied_paper_space(configuration.model) if sampler == "grid" else paper_space(configuration.model)
        )
    if sampler == "grid":
        raise SettingsError(
            "The quick space has no grid: its values lie anywhere within bounds.",
            hint="Use --grid paper --sampler grid, or leave out --sampler.",
        )
    return quick_space(configuration)


def paper_space(model: ModelSettings) -> Space:
    """The paper's grid with a lambda and an eta for each group of parameters."""
    dimensions = [_paper_k()] if model.uses_vectors else []
    for name, groups in _paper_groups(model).items():
        dimensions.append(Dimension(f"lambda_{name}", _of("lambda", groups), PAPER_LAMBDAS))
        dimensions.append(Dimension(f"rate_{name}", _of("rate", groups), PAPER_RATES))
    return Space("paper", tuple(dimensions), TRIALS_OF_PAPER)


def tied_paper_space(model: ModelSettings) -> Space:
    """Every point of the paper's grid with one lambda and one eta for all groups, in random order."""
    groups = [group for some in _paper_groups(model).values() for group in some]
    dimensions = [_paper_k()] if model.uses_vectors else []
    dimensions.append(Dimension("lambda", _of("lambda", groups), PAPER_LAMBDAS))
    dimensions.append(Dimension("rate", _of("rate", groups), PAPER_RATES))
    places = itertools.product(*(range(len(one.values)) for one in dimensions))
    names = [one.name for one in dimensions]
    points = [dict(zip(names, point, strict=True)) for point in places]
    random.Random(1).shuffle(points)  # noqa: S311  so that the first few are a fair sample of all
    return Space("paper, tied", tuple(dimensions), len(points), tuple(points), exhaustive=True)


def quick_space(configuration: Configuration) -> Space:
    """Rates and regularisers around the configured ones, apart for each group of this package.

    What is configured as zero is switched off, and stays so.
    """
    found: dict[str, float] = {}
    for group in _groups(configuration.model):
        for kind in ("lambda", "rate"):
            if value := getattr(configuration.training, f"{kind}_{group}"):
                found[f"{kind}_{group}"] = value
    if not found:
        raise SettingsError(
            "All rates and regularisers are zero: there is nothing to tune.", hint="Use --grid paper."
        )
    dimensions = tuple(
        Dimension(name, (f"training.{name}",), low=value / NEIGHBOURHOOD, high=value * NEIGHBOURHOOD)
        for name, value in found.items()
    )
    return Space("quick", dimensions, TRIALS_OF_QUICK, (found,))


def _paper_k() -> Dimension:
    return Dimension("K", ("model.K",), PAPER_K)


def _groups(model: ModelSettings) -> list[str]:
    """The groups of parameters that a model has, apart from b."""
    has = {
        "upward": model.composes,
        "downward": model.kind == "entities",
        "features": model.uses_features,
        "classification": model.uses_vectors,
        "entities": model.kind == "entities",
    }
    return [group for group, wanted in has.items() if wanted]


def _paper_groups(model: ModelSettings) -> dict[str, list[str]]:
    """The paper's groups and ours in each: there, A and B are one."""
    found: dict[str, list[str]] = {}
    for group in _groups(model):
        found.setdefault("classification" if group == "entities" else group, []).append(group)
    if "classification" not in found:  # surface features alone: b, which belongs to A, learns as beta does
        found["features"].append("classification")
    return found


def _of(kind: str, groups: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"training.{kind}_{group}" for group in groups)
