"""What is tuned: the settings that are varied, their values, and the relations that trials are judged on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING

from disco2.data import Corpus
from disco2.errors import CorpusError, SettingsError
from disco2.experiments.configuration import Configuration, assignments
from disco2.experiments.division import Parts, divide
from disco2.experiments.runs import corpus_digest, readable_name, vectors_digest
from disco2.model import ModelSettings
from disco2.training.preparation import hold_out
from disco2.version import VERSION

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution

GRIDS = ("quick", "paper")
DEVELOPMENTS = ("dev", "random")

# Section "implementation details" of the paper.
PAPER_K = (20, 30, 40, 50, 60)
PAPER_LAMBDAS = (0.0002, 0.002, 0.02, 0.2)
PAPER_RATES = (0.01, 0.03, 0.05, 0.09)

NEIGHBOURHOOD = 3.0  # quick: from a third of a value to three times it
PAPER_TRIALS, QUICK_TRIALS = 60, 12


@dataclass(frozen=True)
class Dimension:
    """One quantity: the settings that get its value, and the values it may have.

    Either a list of ``values`` in ascending order, or all numbers from ``low`` to ``high`` on a log scale. A
    study knows one of several values by its index, so that a sampler sees which ones are neighbours.
    """

    name: str
    settings: tuple[str, ...]
    values: tuple[float, ...] = ()
    low: float = 0.0
    high: float = 0.0

    def distribution(self) -> BaseDistribution:
        from optuna.distributions import FloatDistribution, IntDistribution

        if self.values:
            return IntDistribution(0, len(self.values) - 1)
        return FloatDistribution(self.low, self.high, log=True)

    def value(self, sampled: float) -> float:
        """The value for what was sampled; rounded, so that it is readable in a configuration."""
        return self.values[int(sampled)] if self.values else float(f"{sampled:.4g}")


@dataclass(frozen=True)
class Space:
    """Dimensions, the default number of trials, and the values of the first trial by dimension, if any."""

    name: str
    dimensions: tuple[Dimension, ...]
    trials: int
    first: Mapping[str, float] | None = None

    @property
    def settings(self) -> frozenset[str]:
        """The settings that are varied."""
        return frozenset(setting for dimension in self.dimensions for setting in dimension.settings)


def choose_space(configuration: Configuration, *, grid: str = "quick") -> Space:
    """The named space, with the dimensions that the configured kind of model has.

    paper: K in {20, 30, 40, 50, 60}, lambda in {0.0002, 0.002, 0.02, 0.2}, eta in {0.01, 0.03, 0.05, 0.09},
    the last two separate for U, V, beta, and A with B.

    quick: rates and regularisers from a third to three times the configured ones, which are tried first.
    """
    if grid not in GRIDS:
        raise SettingsError(f"Unknown grid '{grid}'.", hint=f"Choose one of: {', '.join(GRIDS)}.")
    model = configuration.model
    if model.kind == "majority":
        raise SettingsError("The most common class has nothing to tune.", hint="Choose another --kind.")
    if grid == "quick":
        return _quick_space(configuration)
    if model.kind == "encoder":
        raise SettingsError("The paper's lists are not for an encoder.", hint="Use --grid quick.")
    dimensions = [Dimension("K", ("model.K",), PAPER_K)] if model.uses_vectors else []
    for name, groups in _paper_groups(model).items():
        for kind, values in (("lambda", PAPER_LAMBDAS), ("rate", PAPER_RATES)):
            settings = tuple(f"training.{kind}_{group}" for group in groups)
            dimensions.append(Dimension(f"{kind}_{name}", settings, values))
    return Space("paper", tuple(dimensions), PAPER_TRIALS)


def _quick_space(configuration: Configuration) -> Space:
    """Rates and regularisers around the configured ones, one for each group; zeros are not tuned."""
    groups = _groups(configuration.model)
    names = [f"training.{kind}_{group}" for group in groups for kind in ("lambda", "rate")]
    if configuration.model.kind == "encoder":
        names += ["encoder.rate", "encoder.hint_weight"]
    found = {name: value for name in names if (value := attrgetter(name)(configuration))}
    if not found:
        raise SettingsError(
            "All rates and regularisers are zero: there is nothing to tune.", hint="Use --grid paper."
        )
    dimensions = tuple(
        Dimension(_short(name), (name,), low=value / NEIGHBOURHOOD, high=value * NEIGHBOURHOOD)
        for name, value in found.items()
    )
    return Space("quick", dimensions, QUICK_TRIALS, {_short(name): value for name, value in found.items()})


def _short(setting: str) -> str:
    """The name of a dimension: settings of [training] without their section."""
    return setting.removeprefix("training.")


def _groups(model: ModelSettings) -> list[str]:
    """The groups of parameters of a model, apart from b."""
    has = {
        "upward": model.composes,
        "downward": model.kind == "entities",
        "features": model.uses_features,
        "classification": model.uses_vectors,
        "entities": model.kind == "entities",
    }
    return [group for group, wanted in has.items() if wanted]


def _paper_groups(model: ModelSettings) -> dict[str, list[str]]:
    """The paper's groups and ours in each: the paper has one for A and B."""
    found: dict[str, list[str]] = {}
    for group in _groups(model):
        found.setdefault("classification" if group == "entities" else group, []).append(group)
    if "classification" not in found:  # surface features alone: b, which belongs to A, learns as beta does
        found["features"].append("classification")
    return found


@dataclass(frozen=True)
class Problem:
    """All that a trial needs. ``parts`` has training and development relations, and no test part."""

    corpus: Corpus
    parts: Parts
    configuration: Configuration
    space: Space
    seeds: tuple[int, ...]
    development: str  # dev: the corpus's own part; random: a share of the training relations

    @cached_property
    def name(self) -> str:
        """A readable name with a hash of everything that the value of a trial depends on beside its point."""
        settings = assignments(self.configuration)
        space = {
            one.name: [*one.settings, list(one.values) if one.values else f"{one.low:.6g} to {one.high:.6g}"]
            for one in self.space.dimensions
        }
        facts = {
            "corpus": corpus_digest(self.corpus),
            **{name: value for name, value in settings.items() if name not in self.space.settings},
            "vectors": vectors_digest(self.configuration.vectors.source),
            "space": space,
            "seeds": list(self.seeds),
            "development": self.development,
            "disco2": VERSION,
        }
        words = (self.corpus.name, self.configuration.model.kind, self.parts.task.versus, self.space.name)
        return readable_name(words, facts)

    def with_values(self, values: Mapping[str, float]) -> Configuration:
        """The configuration with the value of each dimension, by its name."""
        return self.configuration.changed(
            {
                setting: values[dimension.name]
                for dimension in self.space.dimensions
                for setting in dimension.settings
            }
        )


def define_problem(
    corpus: Corpus, configuration: Configuration, space: Space, *, seeds: int = 2, development: str = "dev"
) -> Problem:
    """What is tuned. Each trial trains with ``seeds`` seeds, from ``training.seed`` on.

    ``development`` is "dev", the corpus's own part; or "random", as in the paper: a share of the training
    relations, the same in all trials, while the dev part is not used. Without a dev part, it is random.
    """
    if development not in DEVELOPMENTS:
        raise SettingsError(
            f"Unknown development relations '{development}'.",
            hint=f"Choose one of: {', '.join(DEVELOPMENTS)}.",
        )
    parts = divide(corpus, configuration)
    training, judged = parts.instances["train"], parts.instances["dev"]
    if not training:
        raise CorpusError(
            f"There is no labelled relation to train on under the protocol '{parts.protocol}'.",
            where=corpus.name,
            hint="See what was read with: disco2 corpus stats",
        )
    first = configuration.training.seed
    if development == "random" or not judged:
        development = "random"
        training, judged = hold_out(training, share=configuration.training.development_share, seed=first)
    seen = {"train": training, "dev": judged, "test": []}
    relations = {part: parts.relations["train"] if part == "train" else [] for part in parts.relations}
    parts = replace(parts, instances=seen, relations=relations)
    return Problem(corpus, parts, configuration, space, tuple(range(first, first + seeds)), development)
