"""How far a run is: what is done, how fast it goes, and how long it will take."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from threading import Event, Thread

from disco2.bulk.finding import Found


@dataclass(frozen=True, slots=True)
class Standing:
    """A moment of a run; the totals are not known before all files were counted."""

    documents: int = 0  # done, those that were there already included
    bytes: int = 0
    made_bytes: int = 0  # of these, done by this run
    made_sentences: int = 0
    workers: int = 0
    seconds: float = 0.0  # since the run began
    all_documents: int | None = None
    all_bytes: int | None = None

    @property
    def rate(self) -> float:
        """Sentences a second."""
        return self.made_sentences / self.seconds if self.seconds else 0.0

    @property
    def left(self) -> float | None:
        """Seconds, if it goes on like this; None where nobody can tell yet."""
        if self.all_bytes is None or not self.made_bytes:
            return None
        return (self.all_bytes - self.bytes) * self.seconds / self.made_bytes


class Count:
    """Counts files in a thread of its own, while the first of them are worked on."""

    def __init__(self, found: Iterable[Found], *, most_bytes: int) -> None:
        self._found = found
        self._most_bytes = most_bytes
        self._stop = Event()
        self._thread = Thread(target=self._count, daemon=True)
        self.documents: int | None = None
        self.bytes: int | None = None

    def __enter__(self) -> Count:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._stop.set()
        self._thread.join()

    def _count(self) -> None:
        documents = total = 0
        with suppress(OSError):
            for one in self._found:
                if self._stop.is_set():
                    return
                documents += 1
                total += one.size if one.size <= self._most_bytes else 0
            self.documents, self.bytes = documents, total
