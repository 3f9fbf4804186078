"""What all experiments on one corpus share, and what an experiment is: runs to make, findings from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from disco2.experiments.configuration import Configuration
from disco2.experiments.runs.plan import OWN, RunPlan
from disco2.experiments.runs.result import RunResult
from disco2.records import Corpus
from disco2.reporting.findings import Findings


@dataclass(frozen=True)
class System:
    """A model of a table: its name and the settings that make it."""

    name: str
    changes: Mapping[str, Any]


@dataclass(frozen=True)
class Bench:
    """A corpus, perhaps with other versions of its layers, settings and seeds.

    ``tuned`` holds settings that were found for a system, by its name; others have the ``configuration``.
    """

    corpora: Mapping[str, Corpus]
    configuration: Configuration
    seeds: tuple[int, ...]
    tuned: Mapping[str, Configuration] = field(default_factory=dict)

    @property
    def corpus(self) -> Corpus:
        return self.corpora[OWN]

    @property
    def protocol(self) -> str:
        return self.configuration.task.protocol_for(self.corpus.name)

    def plans(
        self,
        system: System,
        *,
        layers: str = OWN,
        seeds: Sequence[int] = (),
        changes: Mapping[str, Any] | None = None,
    ) -> list[RunPlan]:
        """A run for every seed; the most common class does not depend on one, and is trained once."""
        found = self.tuned.get(system.name, self.configuration)
        settings = found.changed({**system.changes, **(changes or {})})
        chosen = tuple(seeds) or self.seeds
        if settings.model.kind == "majority":
            chosen = chosen[:1]
        return [RunPlan(system.name, settings.changed({"training.seed": seed}), layers) for seed in chosen]


Results = Callable[[RunPlan], RunResult]


@dataclass(frozen=True)
class Experiment:
    """``plans`` says which trainings it needs; ``findings`` reads their results, and trains nothing."""

    name: str
    plans: Callable[[Bench], list[RunPlan]]
    findings: Callable[[Bench, Results], Findings]
