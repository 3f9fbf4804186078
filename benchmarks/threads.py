"""What BLAS threads do to training, in one process and in two side by side.

    python -m benchmarks.threads

Passes over made-up pairs (K = 50, batches of 64, float32), by the fastest code there is and by NumPy alone,
with one BLAS thread and with two. Rounds alternate, and the best counts. ``wall`` is what a user waits,
``processor`` what all cores together spend.
"""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable
from timeit import repeat

import numpy as np
from threadpoolctl import threadpool_limits

from disco2.model import ModelSettings, initial_parameters
from disco2.threads import single_threaded
from disco2.training.loop import Learner, in_batches
from disco2.training.settings import TrainingSettings
from tests.generated import random_example

PAIRS, K, LABELS, FEATURES, VOCABULARY = 1024, 50, 14, 700, 5000
PASSES, ROUNDS = 3, 5
Seconds = tuple[float, float]  # wall, processor


def a_pass() -> Callable[[], object]:
    """One pass over all pairs, ready to run; what is compiled and loaded is so already."""
    generator = np.random.default_rng(1)
    examples = [
        random_example(
            generator,
            words=(int(generator.integers(3, 40)), int(generator.integers(3, 40))),
            vocabulary=VOCABULARY,
            labels=LABELS,
            features=FEATURES,
            chains=int(generator.integers(0, 3)),
            mentions=2,
            fired=30,
        )[0]
        for _ in range(PAIRS)
    ]
    model = ModelSettings(K=K)
    parameters = initial_parameters(model, labels=LABELS, features=FEATURES, seed=1)
    vectors = generator.normal(size=(VOCABULARY, K)).astype(np.float32)
    batches = in_batches(examples, 64)
    learner = Learner(model, parameters, vectors, TrainingSettings())
    learner.one_pass(batches, generator)
    return lambda: learner.one_pass(batches, generator)


def timed(run: Callable[[], object], threads: int) -> Seconds:
    with threadpool_limits(limits=threads, user_api="blas"):
        time.sleep(0.2)  # threads that have nothing to do spin for a while before they sleep
        wall, processor = time.perf_counter(), time.process_time()
        for _ in range(PASSES):
            run()
        return time.perf_counter() - wall, time.process_time() - processor


def side_by_side(run: Callable[[], object], threads: int) -> Seconds:
    """Two processes do the same at once: the wall time of the slower one, the processor time of both."""
    context = multiprocessing.get_context("fork")
    ready, told = context.Barrier(2), context.Queue()

    def work() -> None:
        ready.wait()
        told.put(timed(run, threads))

    processes = [context.Process(target=work) for _ in range(2)]
    for process in processes:
        process.start()
    first, second = told.get(), told.get()
    for process in processes:
        process.join()
    return max(first[0], second[0]), first[1] + second[1]


def best(measure: Callable[[Callable[[], object], int], Seconds], run: Callable[[], object]) -> None:
    found: dict[int, list[Seconds]] = {1: [], 2: []}
    for _ in range(ROUNDS):
        for threads, seconds in found.items():
            seconds.append(measure(run, threads))
    (wall, processor), (wall2, processor2) = (
        (min(one for one, _ in some), min(other for _, other in some)) for some in found.values()
    )
    print(
        f"  {measure.__name__:13} wall {wall:6.3f} s with one, {wall2:6.3f} s with two ({wall2 / wall:.2f});"
        f" processor {processor:6.3f} s, {processor2:6.3f} s ({processor2 / processor:.2f})"
    )


def entering() -> float:
    """Microseconds for entering and leaving the limit."""

    def enter() -> None:
        with single_threaded():
            pass

    enter()
    return min(repeat(enter, number=1000, repeat=5)) * 1000


def main() -> None:
    for compiled in ("1", "0"):
        os.environ["DISCO2_COMPILED"] = compiled
        run = a_pass()
        print(
            f"{PASSES} passes over {PAIRS} pairs, {'the fastest code' if compiled == '1' else 'NumPy alone'}:"
        )
        best(timed, run)
        best(side_by_side, run)
    outside = entering()
    with single_threaded():
        print(f"entering single_threaded: {outside:.1f} us; inside another one: {entering():.1f} us")


if __name__ == "__main__":
    main()
