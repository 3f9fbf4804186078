"""How far a run over a corpus is: a bar on a terminal, elsewhere a line now and then."""

from __future__ import annotations

import time
from types import TracebackType

from disco2.bulk import Standing
from disco2.interfaces.cli.console import messages, progress_bar

SAID_EVERY = 30.0  # seconds, where there is no terminal
_MEGABYTE = 1e6


class BulkProgress:
    """Shows every standing that is reported."""

    def __init__(self) -> None:
        self.documents = 0
        self._bar = progress_bar()
        self._task = self._bar.add_task("looking for files", total=None)
        self._said = time.monotonic()

    def __enter__(self) -> BulkProgress:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def report(self, standing: Standing) -> None:
        self.documents = standing.documents
        line = standing_line(standing)
        if messages.is_terminal:
            self._bar.update(self._task, description=line, total=standing.all_bytes, completed=standing.bytes)
        elif time.monotonic() - self._said >= SAID_EVERY:
            self._said = time.monotonic()
            messages.print(line, markup=False)


def standing_line(standing: Standing) -> str:
    """One line, such as: 1,809 of 4,000 documents, 0.8 of 1.7 MB, 412 sentences a second, 5 min left."""
    pieces = [
        f"{_of(f'{standing.documents:,}', standing.all_documents, 1, ',.0f')} documents",
        f"{_of(f'{standing.bytes / _MEGABYTE:,.1f}', standing.all_bytes, _MEGABYTE, ',.1f')} MB",
        f"{standing.workers} workers" if standing.workers != 1 else "1 worker",
    ]
    if standing.made_sentences:
        pieces.append(f"{standing.rate:,.0f} sentences a second")
    if standing.left is not None:
        pieces.append(f"{_duration(standing.left)} left")
    return ", ".join(pieces)


def _of(done: str, total: int | None, unit: float, form: str) -> str:
    return done if total is None else f"{done} of {total / unit:{form}}"


def _duration(seconds: float) -> str:
    minutes = round(seconds / 60)
    if minutes < 2:
        return f"{seconds:.0f} s"
    if minutes < 120:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min"
