"""The same ratios over dimensions, batches, words, mentions; and how time and memory grow with them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from benchmarks.speed.generated import Recipe
from benchmarks.speed.memory import peak_bytes
from benchmarks.speed.scoring import scoring_floor
from benchmarks.speed.steps import Step, product_scores, product_steps
from benchmarks.speed.timing import in_turns
from benchmarks.speed.training_step import training_floor
from benchmarks.speed.workload import (
    SCORING_BATCH,
    STANDARD_BATCH,
    STANDARD_K,
    Workload,
    generated_workload,
)

Report = Callable[[str], None]

REPEATS = 7
REPEATS_ON_THE_WALL = 21  # where other programs count, it takes more to find a quiet moment
THREADS = (1, 2)
WORDS_AT_A_TIME = 40_000  # of long arguments, fewer pairs are scored at a time
ROOMY = 100  # words in an argument, where mentions are counted: so many need nodes to stand on


@dataclass(frozen=True, slots=True)
class Size:
    """One point: everything but the quantity that is swept is as in the standard setting."""

    K: int = STANDARD_K
    batch: int = STANDARD_BATCH
    scoring_batch: int = SCORING_BATCH
    words: int | None = None  # None: lengths as in GUM
    mentions: int | None = None

    def workload(self, pairs: int) -> Workload:
        return generated_workload(pairs, K=self.K, recipe=Recipe(words=self.words, mentions=self.mentions))


def sizes() -> Iterator[tuple[str, int, Size]]:
    """What is swept, its value, and the point."""
    for K in (20, 35, 50, 75, 100, 150, 200):
        yield "K", K, Size(K=K)
    for batch in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024):
        yield "batch", batch, Size(batch=batch, scoring_batch=batch)
    for words in (5, 10, 20, 50, 100, 200, 500, 1000):
        yield "words", words, Size(words=words, scoring_batch=_scored_at_a_time(words))
    for mentions in (1, 3, 10, 30, 100):
        yield (
            "mentions",
            mentions,
            Size(words=ROOMY, mentions=mentions, scoring_batch=_scored_at_a_time(ROOMY)),
        )


def _scored_at_a_time(words: int) -> int:
    return max(STANDARD_BATCH, min(SCORING_BATCH, WORDS_AT_A_TIME // (2 * words)))


def measure_sweeps(*, report: Report = lambda line: None) -> list[dict[str, Any]]:
    """A point for each size and number of threads: ratios to the floor and pairs a second.

    The floor always has one thread, so that the two curves can be compared.
    """
    points = []
    for over, value, size in sizes():
        report(f"sweep over {over}: {value}")
        pairs = max(size.scoring_batch, size.batch, 4 * STANDARD_BATCH if size.words is None else 0)
        workload = size.workload(pairs)
        training = (
            product_steps(workload, workload.batches(size.batch)),
            training_floor(workload, size.batch),
        )
        scoring = (
            product_scores(workload, workload.batches(size.scoring_batch)),
            scoring_floor(workload, size.scoring_batch),
        )
        for threads in THREADS:
            points.append(
                {
                    "over": over,
                    "value": value,
                    "threads": threads,
                    **_point("training", pairs // size.batch * size.batch, *training, threads=threads),
                    **_point(
                        "scoring", pairs // size.scoring_batch * size.scoring_batch, *scoring, threads=threads
                    ),
                }
            )
    return points


def _point(name: str, pairs: int, product: Step, floor: Step, *, threads: int) -> dict[str, float]:
    seconds = in_turns(
        {"product": product, "floor": floor},
        repeats=REPEATS if threads == 1 else REPEATS_ON_THE_WALL,
        threads={"product": threads, "floor": 1},
    )
    return {
        f"{name}_to_floor": seconds["floor"] / seconds["product"],
        f"{name}_pairs_a_second": pairs / seconds["product"],
    }


def measure_growth(*, report: Report = lambda line: None) -> list[dict[str, Any]]:
    """Seconds and peak memory of one training step, while one quantity doubles again and again."""
    points = []
    for over, value, size in doublings():
        report(f"growth with {over}: {value}")
        workload = size.workload(size.batch)
        step = partial(product_steps, workload, workload.batches(size.batch))
        seconds = in_turns({"product": step()}, repeats=REPEATS)["product"]
        peak = peak_bytes(partial(_made_and_run, step))
        points.append({"over": over, "value": value, "seconds": seconds, "peak_bytes": peak})
    return points


def _made_and_run(made: Callable[[], Step]) -> object:
    return made()()


def doublings() -> Iterator[tuple[str, int, Size]]:
    """What grows, its value, and the point."""
    for pairs in (64, 128, 256, 512, 1024):
        yield "pairs", pairs, Size(words=20, batch=pairs)
    for words in (8, 16, 32, 64, 128, 256, 512, 1024):
        yield "words", words, Size(words=words)
    for mentions in (1, 2, 4, 8, 16, 32, 64, 128):
        yield "mentions", mentions, Size(words=128, mentions=mentions)
