"""What all experiments on one corpus share: systems, runs, measures and tests, and the published figures."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from disco2.corpora.tasks import TaskSettings
from disco2.data import Corpus
from disco2.evaluation.significance import Interval, bootstrap_interval, mcnemar, paired_bootstrap, sign_test
from disco2.experiments.configuration import Configuration
from disco2.experiments.evaluating import Answers, Right
from disco2.experiments.runs import OWN, RunPlan, RunProgress, RunResult, Runs, perform_all
from disco2.reporting.findings import Difference, Findings, Measure, PValue, Row
from disco2.reporting.page import write_findings

AUTOMATIC = "automatic"
BOOTSTRAP_SEED = 1  # for all bootstraps, whatever the seeds of the models
PAPER: dict[str, Any] = tomllib.loads(Path(__file__).with_name("paper.toml").read_text(encoding="utf-8"))
SOURCE = "Published: Ji & Eisenstein (2015), on PDTB 2; not measured here."
# What ``documents_with_coreference`` notes where documents were left out: how many it kept, of how many.
_CUT = re.compile(r"(\d+) of (?!\1 )\d+ documents have coreference\.")


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

        The corpus's own; the automatic one if some documents of the corpus have no coreference.
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
    """Whether every document has a coreference layer."""
    return all(document.mentions is not None for document in corpus.documents.values())


Groups = dict[Any, list[RunPlan]]
GroupResults = Mapping[Any, list[RunResult]]


@dataclass(frozen=True)
class Experiment:
    """``groups`` has the trainings it needs, by what they have in common, such as a system.

    ``describe`` gets their results, in the same groups, and trains nothing. ``check`` raises
    MissingExtraError if a package is missing; called before long work starts.
    """

    name: str
    groups: Callable[[Bench], Groups]
    describe: Callable[[Bench, GroupResults], Findings]
    check: Callable[[], None] = lambda: None

    def plans(self, bench: Bench) -> list[RunPlan]:
        return [plan for plans in self.groups(bench).values() for plan in plans]

    def findings(self, bench: Bench, results: Callable[[RunPlan], RunResult]) -> Findings:
        groups = self.groups(bench).items()
        return self.describe(bench, {key: list(map(results, plans)) for key, plans in groups})


def carry_out(
    experiments: Sequence[Experiment],
    bench: Bench,
    output: Path,
    *,
    jobs: int = 1,
    progress: RunProgress = lambda plan, done, total: None,
    notice: Callable[[str], None] = lambda text: None,
) -> list[Findings]:
    """Do the runs that are not finished, and write tables and figures.

    OUTPUT/runs has a directory for each run, which experiments share; tables/, figures/ and findings/ lie
    beside it. With several ``jobs``, as many processes train.
    """
    for experiment in experiments:
        experiment.check()
    runs = Runs(output / "runs", bench.corpora)
    plans = [plan for experiment in experiments for plan in experiment.plans(bench)]
    perform_all(runs, plans, jobs=jobs, progress=progress, notice=notice)
    found = [experiment.findings(bench, runs.perform) for experiment in experiments]
    for one in found:
        write_findings(one, output)
    return found


def answers_of(runs: Iterable[RunResult], part: str = "test") -> list[Answers]:
    """The answers of several runs to one part."""
    return [run.answers[part] for run in runs]


def stacked(answers: Iterable[Answers]) -> Right:
    """[seeds, relations] which relations each seed got right."""
    right = [one.right for one in answers]
    return np.array(right, dtype=bool).reshape(len(right), -1)


def over_seeds(values: np.ndarray, interval: Interval, n: int) -> Measure:
    """The mean of a value for each seed, [seeds], with its standard deviation."""
    deviation = float(values.std(ddof=1)) if len(values) > 1 else None
    return Measure(float(values.mean()), deviation, interval, n)


def measure(right: Right) -> Measure | None:
    """Mean accuracy over seeds, with a 95% interval over relations; None without relations."""
    if right.shape[1] == 0:  # as in a dev part that a protocol does not have
        return None
    interval = bootstrap_interval(right.mean(axis=0), seed=BOOTSTRAP_SEED)
    return over_seeds(right.mean(axis=1), interval, right.shape[1])


def accuracy(answers: Sequence[Answers], chosen: Right | slice = slice(None)) -> Measure | None:
    """The measure of several seeds' answers to the chosen relations, [relations]."""
    return measure(stacked(answers)[:, chosen])


COMPARISON_COLUMNS = (
    *("subset", "relations", "difference"),
    *("p, bootstrap", "better : worse", "p, sign test", "p, McNemar"),
)


def compare_answers(name: str, first: Sequence[Answers], second: Sequence[Answers]) -> list[Row]:
    """Two systems, in rows: on all relations, and on those whose arguments share an entity."""
    right = stacked([*first, *second])
    subsets: dict[str, Right | slice] = {"all": slice(None), "shared entities": first[0].shared}
    found = {
        subset: compare(right[: len(first), chosen], right[len(first) :, chosen])
        for subset, chosen in subsets.items()
    }
    return [(name, subset, *cells) for subset, cells in found.items() if cells]


def compare(first: Right, second: Right) -> Row | None:
    """First minus second on the same relations, by three tests, under ``COMPARISON_COLUMNS``.

    The paired bootstrap compares, for each relation, the shares of seeds that get it right. The sign test
    (the paper's) counts for each relation which system has the larger share; McNemar's, which of the two gets
    it right with most of its seeds. Each system has one or several seeds; None without relations.
    """
    if first.shape[1] == 0:
        return None
    one, other = first.mean(axis=0), second.mean(axis=0)
    bootstrap = paired_bootstrap(one, other, seed=BOOTSTRAP_SEED)
    gaps = (one - other).round(12)
    wins, losses = int((gaps > 0).sum()), int((gaps < 0).sum())
    return (
        len(one),
        Difference(bootstrap.difference, bootstrap.interval),
        PValue(bootstrap.p),
        f"{wins} : {losses}",
        PValue(sign_test(wins, losses)),
        PValue(mcnemar((one > 0.5).tolist(), (other > 0.5).tolist())),
    )


def published(percent: float, *, decimals: int = 0) -> Measure:
    """A percentage with so many decimals; 0: as many as it has, one or two."""
    usual = 1 if round(percent, 1) == percent else 2
    return Measure(round(percent / 100, 6), published=True, decimals=decimals or usual)


def is_papers_corpus(bench: Bench, protocol: str) -> bool:
    """Whether the published figures belong beside ours: the same corpus, all of it, split and task."""
    corpus = bench.corpus
    if corpus.name != "pdtb2" or bench.protocol != protocol or any(map(_CUT.fullmatch, corpus.notes)):
        return False
    task, usual = (
        one.task(corpus.name, corpus.inventory) for one in (bench.configuration.task, TaskSettings())
    )
    return task == usual
