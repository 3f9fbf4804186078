"""The last few annotated texts, so that a second look at one does not annotate it again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from disco2.data import Document
from disco2.inference.prediction import Prediction, RelationChoice

MOST_DOCUMENTS, MOST_CHARACTERS = 32, 200_000


@dataclass(frozen=True, slots=True)
class Judged:
    """A document with its layers, and the relations in it."""

    document: Document
    predictions: Sequence[Prediction]


class RecentDocuments:
    """The latest are kept, in memory alone, as many as fit within both bounds. For one thread."""

    def __init__(self, *, most: int = MOST_DOCUMENTS, characters: int = MOST_CHARACTERS) -> None:
        self._most = most
        self._most_characters = characters
        self._characters = 0
        self._kept: OrderedDict[bytes, Judged] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def find(self, text: str, paragraphs: str, choice: RelationChoice) -> Judged | None:
        key = _key(text, paragraphs, choice)
        found = self._kept.get(key)
        if found is not None:
            self._kept.move_to_end(key)
        return found

    def keep(self, text: str, paragraphs: str, choice: RelationChoice, judged: Judged) -> None:
        """A text longer than all that may be kept is not."""
        key = _key(text, paragraphs, choice)
        self._drop(key)
        if len(text) > self._most_characters:
            return
        self._kept[key] = judged
        self._characters += len(text)
        while len(self._kept) > self._most or self._characters > self._most_characters:
            self._drop(next(iter(self._kept)))

    def _drop(self, key: bytes) -> None:
        dropped = self._kept.pop(key, None)
        if dropped is not None:
            self._characters -= len(dropped.document.text)


def _key(text: str, paragraphs: str, choice: RelationChoice) -> bytes:
    return sha256(f"{paragraphs}\n{choice}\n{text}".encode()).digest()
