"""What a second process brings to a study.

    python -m benchmarks.tuning GUM [TRIALS]

The same trials (the first points of the paper's grid, one seed, no pruning) are run by one process and by
two, each time in a new study in a SQLite file.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from disco2.corpora.gum import read_gum
from disco2.data import Corpus
from disco2.engines import LocalEngine
from disco2.experiments.configuration import Configuration
from disco2.experiments.tuning import Tuned, choose_space, tune


def study(corpus: Corpus, trials: int, engine: LocalEngine | None) -> tuple[Tuned, float]:
    configuration = Configuration()
    with TemporaryDirectory() as folder:
        began = time.perf_counter()
        tuned = tune(
            corpus,
            configuration,
            space=choose_space(configuration, grid="paper", sampler="grid"),
            storage=f"sqlite:///{folder}/study.db",
            trials=trials,
            engine=engine,
            seeds=1,
            pruning=False,
        )
        return tuned, time.perf_counter() - began


def scores(tuned: Tuned) -> list[tuple[tuple[tuple[str, float], ...], float | None]]:
    """Every point that was tried, with its score."""
    return sorted((tuple(trial.values.items()), trial.score) for trial in tuned.ranking)


def main(gum: Path, trials: int) -> None:
    corpus = read_gum(gum)
    one, alone = study(corpus, trials, None)
    two, together = study(corpus, trials, LocalEngine(2))
    assert scores(one) == scores(two), "the same trials with the same scores"
    print(f"{trials} trials: one process {alone:.1f} s, two {together:.1f} s, {together / alone:.0%} of it")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 32)
