"""What all experiments on one corpus share, and what an experiment is: runs to make, findings from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from disco2.data import Corpus
from disco2.experiments.configuration import Configuration
from disco2.experiments.runs.plan import OWN, RunPlan
from disco2.experiments.runs.result import RunResult
from disco2.reporting.findings import Findings

AUTOMATIC = "automatic"


@dataclass(frozen=True)
class System:
    """A model of a table: its name and the settings that make it."""

    name: str
    changes: Mapping[str, Any]


@dataclass(frozen=True)
class Bench:
    """A corpus, perhaps with other versions of its layers, settings and seeds.

    ``corpora`` has one version or several, named after their coreference. ``tuned`` holds settings that were
    found for a system, by its name; others have the ``configuration``.
    """

    corpora: Mapping[str, Corpus]
    configuration: Configuration
    seeds: tuple[int, ...]
    tuned: Mapping[str, Configuration] = field(default_factory=dict)

    @cached_property
    def main(self) -> str:
        """The version that tables are about where they don't compare versions.

        The corpus's own, unless it lacks coreference in some documents and there is an automatic one: models
        with entities must have been able to find some everywhere.
        """
        if AUTOMATIC not in self.corpora or (OWN in self.corpora and is_covered(self.corpora[OWN])):
            return OWN
        return AUTOMATIC

    @property
    def corpus(self) -> Corpus:
        return self.corpora[self.main]

    @property
    def protocol(self) -> str:
        return self.configuration.task.protocol_for(self.corpus.name)

    def plans(
        self,
        system: System,
        *,
        layers: str = "",
        seeds: Sequence[int] = (),
        changes: Mapping[str, Any] | None = None,
    ) -> list[RunPlan]:
        """A run for every seed on the main version, or on another one.

        The most common class does not depend on a seed, and is trained once.
        """
        found = self.tuned.get(system.name, self.configuration)
        settings = found.changed({**system.changes, **(changes or {})})
        chosen = tuple(seeds) or self.seeds
        if settings.model.kind == "majority":
            chosen = chosen[:1]
        version = layers or self.main
        return [RunPlan(system.name, settings.changed({"training.seed": seed}), version) for seed in chosen]


def is_covered(corpus: Corpus) -> bool:
    """Whether somebody looked for coreference in every document."""
    return all(document.mentions is not None for document in corpus.documents.values())


Results = Callable[[RunPlan], RunResult]


@dataclass(frozen=True)
class Experiment:
    """``plans`` says which trainings it needs; ``findings`` reads their results, and trains nothing.

    ``check`` raises MissingExtraError where a package is missing; asked before long work starts.
    """

    name: str
    plans: Callable[[Bench], list[RunPlan]]
    findings: Callable[[Bench, Results], Findings]
    check: Callable[[], None] = lambda: None
