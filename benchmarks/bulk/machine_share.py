"""What a second process brings on this machine when nothing is shared: the most that two workers can do.

Two cores of a rented machine are often two threads of one core, or busy with other work.
"""

from __future__ import annotations

import multiprocessing
import time
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier

from benchmarks.made_up_documents import made_up_document
from disco2.threads import limit_this_process

DOCUMENTS = 300
ROUNDS = 3


def second_process_brings(*, documents: int = DOCUMENTS, rounds: int = ROUNDS) -> float:
    """How many times as much two processes do in the same time as one; the median of rounds in turn."""
    found = []
    for _ in range(rounds):
        alone, together = _seconds(1, documents), _seconds(2, documents)
        found.append(2 * alone / together)
    return sorted(found)[len(found) // 2]


def _seconds(processes: int, documents: int) -> float:
    """Until all processes have done the same documents, from the moment that all are ready."""
    context = multiprocessing.get_context("spawn")
    ready, told = context.Barrier(processes), context.Queue()
    running = [context.Process(target=_work, args=(ready, told, documents)) for _ in range(processes)]
    for process in running:
        process.start()
    seconds = max(told.get(timeout=600) for _ in running)
    for process in running:
        process.join()
    return float(seconds)


def _work(ready: Barrier, told: Queue[float], documents: int) -> None:
    import disco2

    limit_this_process(everything=True)
    nlp = disco2.load()
    texts = [made_up_document(number) for number in range(documents)]
    nlp(texts[0])
    ready.wait()
    began = time.perf_counter()
    for _ in nlp.pipe(texts):
        pass
    told.put(time.perf_counter() - began)
