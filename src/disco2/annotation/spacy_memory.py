"""What spaCy remembers of the words it meets, bounded."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.language import Language

KEPT = 20_000  # words that a pipeline may remember; frequent ones are soon among them


class MemoryZones:
    """Stretches of work with a pipeline, one thread at a time; late words are forgotten at their ends.

    spaCy's vocabulary would keep every word that it meets, for ever. No document of spaCy's that was made in
    a zone may be used after it.
    """

    def __init__(self, pipeline: Language, *, kept: int = KEPT) -> None:
        self._pipeline = pipeline
        self._kept = kept
        self._lock = Lock()  # zones can't be nested, and a pipeline has one vocabulary

    @contextmanager
    def zone(self) -> Iterator[None]:
        with self._lock:
            if len(self._pipeline.vocab) < self._kept:  # quicker, for what is met again
                yield
            else:
                with self._pipeline.memory_zone():
                    yield
