"""When to kill what: drawn from a seed, as far into the run as its finished shards tell."""

from __future__ import annotations

import random
from dataclasses import dataclass

WORKER, NANNY, SCHEDULER, COMMAND = "worker", "worker and its nanny", "scheduler", "command"


MOST_PAUSE = 2.0  # seconds


@dataclass(frozen=True)
class Planned:
    """A SIGKILL, some seconds after so many shards were finished.

    By the clock alone most would fall while processes start, and show nothing.
    """

    finished: int
    pause: float
    victim: str
    draw: float  # which of several: a share of their number


def planned_kills(
    seed: int, *, shards: int, workers: int, others: tuple[str, ...] = (), nannies: bool = False
) -> list[Planned]:
    """Over the whole run, from the first finished shard to the last but some.

    With ``nannies`` every third worker falls together with the process that would have started it again.
    """
    chance = random.Random(seed)  # noqa: S311  no secret
    victims = [NANNY if nannies and number % 3 == 2 else WORKER for number in range(workers)]
    last = max(1, int(0.8 * shards))
    drawn = [
        Planned(chance.randint(1, last), chance.uniform(0.0, MOST_PAUSE), victim, chance.random())
        for victim in [*victims, *others]
    ]
    return sorted(drawn, key=lambda kill: (kill.finished, kill.pause))
