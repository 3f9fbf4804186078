"""What the passes of a training came to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Epoch:
    """One pass: its number, the mean loss on the way, and loss and score on the development part after it."""

    number: int
    loss: float
    development_loss: float
    score: float

    def beats(self, other: Epoch | None, *, by_loss: bool) -> bool:
        """Whether this pass is the better one: by a lower loss, or by a higher score."""
        if other is None:
            return True
        return self.development_loss < other.development_loss if by_loss else self.score > other.score


@dataclass(slots=True)
class History:
    """All passes, which one was kept, and how long they took.

    ``seconds`` are those of the passes and of judging them, summed over interruptions; passes that were lost
    with one and done again count once.
    """

    epochs: list[Epoch] = field(default_factory=list)
    best: Epoch | None = None
    seconds: float = field(default=0.0, compare=False)  # the same training never takes the same time


Progress = Callable[[Epoch], None]
Report = Callable[[str], None]  # hears in words how far a long pass has come
