"""How far a study is, for whoever watches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Standing:
    """Finished trials of those wanted, the best score, and the trials that workers are on with their process.

    With a ``note`` alone it says what has happened.
    """

    finished: int | None = None
    wanted: int = 0
    best: float | None = None
    running: Mapping[int, int] = field(default_factory=dict)  # trial -> process id
    note: str = ""


Report = Callable[[Standing], None]
