"""What a second process brings to a study, and what a killed one costs.

    python -m benchmarks.tuning GUM [TRIALS]

The same trials (the first points of the paper's grid, one seed, no pruning) are done by one process, by two,
and by two of which one is killed in the midst of a trial. Each time the study is a new one, in a SQLite file.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from disco2.corpora.gum import read_gum
from disco2.data import Corpus
from disco2.experiments.configuration import Configuration
from disco2.experiments.tuning.space import choose_space
from disco2.experiments.tuning.standing import Standing
from disco2.experiments.tuning.tune import Tuned, tune


class Killer:
    """Kills one process, once a trial is finished and while that process is on another."""

    def __init__(self) -> None:
        self.killed: int | None = None
        self.notes: list[str] = []

    def __call__(self, standing: Standing) -> None:
        if standing.note:
            self.notes.append(standing.note)
        busy = {process: trial for process, trial in standing.workers.items() if trial is not None}
        if self.killed is None and standing.finished and busy:
            process, self.killed = next(iter(busy.items()))
            os.kill(process, signal.SIGKILL)


def study(corpus: Corpus, trials: int, *, jobs: int, killer: Killer | None = None) -> tuple[Tuned, float]:
    configuration = Configuration()
    with TemporaryDirectory() as folder:
        began = time.perf_counter()
        tuned = tune(
            corpus,
            configuration,
            space=choose_space(configuration, grid="paper", sampler="grid"),
            storage=f"sqlite:///{folder}/study.db",
            trials=trials,
            jobs=jobs,
            seeds=1,
            pruning=False,
            report=killer or (lambda standing: None),
        )
        return tuned, time.perf_counter() - began


def scores(tuned: Tuned) -> list[tuple[tuple[tuple[str, float], ...], float | None]]:
    """Every point that was tried, with its score."""
    return sorted((tuple(trial.values.items()), trial.score) for trial in tuned.ranking)


def main(gum: Path, trials: int) -> None:
    corpus = read_gum(gum)
    one, alone = study(corpus, trials, jobs=1)
    two, together = study(corpus, trials, jobs=2)
    assert scores(one) == scores(two), "the same trials with the same scores"
    print(f"{trials} trials: one process {alone:.1f} s, two {together:.1f} s, {together / alone:.0%} of it")

    killer = Killer()
    survived, seconds = study(corpus, trials, jobs=2, killer=killer)
    states = Counter(trial.state for trial in survived.trials)
    print(f"with a process killed during trial {killer.killed}: {seconds:.1f} s, trials: {dict(states)}")
    print("; ".join(killer.notes))
    assert states["complete"] == trials
    assert [trial.number for trial in survived.trials if trial.state == "fail"] == [killer.killed]
    assert scores(survived) == scores(one), "nothing but the time of one trial is lost"


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 32)
