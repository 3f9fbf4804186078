"""What a request asks the pipeline for. Jobs are made in the event loop and done in a worker's thread."""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from http import HTTPStatus

from disco2.data import Document
from disco2.drawing.trees import draw_trees
from disco2.inference.candidates import GivenPair
from disco2.inference.pairs import PairLine, answer_lines
from disco2.inference.pipeline import unannotated
from disco2.inference.prediction import Prediction, RelationChoice
from disco2.inference.results import SCHEMA, Json, pairs_result, text_result
from disco2.interfaces.server.refusal import Refusal
from disco2.interfaces.server.workbench import Workbench, too_many_sentences, too_many_tokens

PORTION = 64  # pairs that are scored at a time, as the command line does: the last digits depend on it
LONG = 10_000  # characters from which on a request waits apart, and is counted before anything is done
MOST_TOKENS_DRAWN = 500  # of an argument


class Dropped(Exception):  # noqa: N818  no error of anybody's
    """Nobody waits for the answer any more."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The JSON of an answer, and what the log and the metrics tell of it."""

    body: bytes
    sentences: int = 0
    pairs: int = 0
    relations: int = 0
    batch: int = 1  # requests that were taken together


class Job(ABC):
    """One request's work, and the future that its client waits for."""

    def __init__(self, *, deadline: float) -> None:
        self.deadline = deadline  # in time.monotonic()
        self.future: Future[Answer] = Future()

    def is_waited_for(self) -> bool:
        return not self.future.done() and time.monotonic() < self.deadline

    def check(self) -> None:
        """Raise Dropped where the client has gone or the time is up."""
        if not self.is_waited_for():
            raise Dropped

    @property
    @abstractmethod
    def characters(self) -> int:
        """How much text is to be annotated at once."""

    @property
    @abstractmethod
    def is_long(self) -> bool:
        """Whether it takes so much time that short ones should not stand behind it."""

    def check_size(self, bench: Workbench) -> None:  # noqa: B027  most have nothing to check
        """Refuse what is too large, before anybody else's work begins."""

    @abstractmethod
    def documents(self, bench: Workbench) -> list[Document]:
        """What can be annotated together with the documents of other jobs."""

    @abstractmethod
    def answer(self, bench: Workbench) -> Answer: ...


class _OfText(Job):
    """A job on a running text."""

    def __init__(self, text: str, choice: RelationChoice, *, paragraphs: str, deadline: float) -> None:
        super().__init__(deadline=deadline)
        self.text = text
        self.choice = choice
        self.paragraphs = paragraphs

    @property
    def characters(self) -> int:
        return len(self.text)

    @property
    def is_long(self) -> bool:
        return len(self.text) > LONG

    def check_size(self, bench: Workbench) -> None:
        if self.is_long and (documents := self.documents(bench)):
            tokens, sentences = bench.together.sizes(documents)
            too_many_sentences(sentences, bench.limits.sentences)
            too_many_tokens(tokens, bench.limits.tokens, where="text")

    def documents(self, bench: Workbench) -> list[Document]:
        if bench.recent.find(self.text, self.paragraphs, self.choice) is not None:
            return []
        return [unannotated(self.text, paragraphs=self.paragraphs)]


class TextJob(_OfText):
    """The relations of a running text."""

    def __init__(
        self, text: str, choice: RelationChoice, *, paragraphs: str, explain: bool, deadline: float
    ) -> None:
        super().__init__(text, choice, paragraphs=paragraphs, deadline=deadline)
        self.explain = explain

    def answer(self, bench: Workbench) -> Answer:
        judged = bench.judge(self.text, self.choice, paragraphs=self.paragraphs, check=self.check)
        explanations = []
        for explanation in bench.pipeline.explain_many(judged.predictions) if self.explain else ():
            explanations.append(explanation)
            self.check()
        result = text_result(
            bench.pipeline, judged.document, judged.predictions, explanations if self.explain else None
        )
        return Answer(
            _dumped(result), sentences=len(judged.document.sentences), relations=len(judged.predictions)
        )


class PairsJob(Job):
    """The senses between given arguments."""

    def __init__(self, lines: Sequence[PairLine], *, explain: bool, deadline: float) -> None:
        super().__init__(deadline=deadline)
        self.lines = lines
        self.explain = explain

    @property
    def characters(self) -> int:
        return sum(len(pair.arg1) + len(pair.arg2) for pair in self._pairs[:PORTION])

    @property
    def _pairs(self) -> list[GivenPair]:
        return [line.pair for line in self.lines if line.pair is not None]

    @property
    def is_long(self) -> bool:
        return sum(len(pair.arg1) + len(pair.arg2) for pair in self._pairs) > LONG

    def check_size(self, bench: Workbench) -> None:
        if self.is_long:
            tokens, _ = bench.together.sizes([pair.document() for pair in self._pairs])
            too_many_tokens(tokens, bench.limits.tokens, where="pairs")

    def documents(self, bench: Workbench) -> list[Document]:
        return [pair.document() for pair in self._pairs[:PORTION]]

    def answer(self, bench: Workbench) -> Answer:
        found: list[Json] = []
        for portion in answer_lines(bench.pipeline, self.lines, batch_size=PORTION, explain=self.explain):
            found += portion
            self.check()
        count = len(found)
        return Answer(_dumped(pairs_result(bench.pipeline, found)), pairs=count, relations=count)


class ViewJob(_OfText):
    """One relation of a running text, with all that a drawing of it needs."""

    def __init__(
        self, text: str, choice: RelationChoice, relation: int, *, paragraphs: str, deadline: float
    ) -> None:
        super().__init__(text, choice, paragraphs=paragraphs, deadline=deadline)
        self.relation = relation

    def answer(self, bench: Workbench) -> Answer:
        judged = bench.judge(self.text, self.choice, paragraphs=self.paragraphs, check=self.check)
        if self.relation >= len(judged.predictions):
            raise Refusal(
                HTTPStatus.UNPROCESSABLE_ENTITY,
                f"There is no such relation: the text has {len(judged.predictions)}.",
                where="relation",
                hint="They are counted from 0.",
            )
        found = judged.predictions[self.relation]
        _check_drawable(found)
        view = bench.pipeline.view(found)
        result = {"schema": SCHEMA, "view": view.to_json(), "svg": draw_trees(view)}
        return Answer(_dumped(result), sentences=len(judged.document.sentences), relations=1)


def _check_drawable(prediction: Prediction) -> None:
    if prediction.source is None:
        return
    relation = prediction.source.relation
    longest = max(len(relation.arg1.tokens), len(relation.arg2.tokens))
    if longest > MOST_TOKENS_DRAWN:
        raise Refusal(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            f"A sentence of {longest:,} words is too long to be drawn; {MOST_TOKENS_DRAWN} are the most.",
            where="relation",
            hint="Look at another relation.",
        )


def _dumped(result: Json) -> bytes:
    """The JSON of a result, made piece by piece: the event loop gets its turn in between."""
    parts = [
        f"{_piece(name)}:{_list(value) if isinstance(value, list) else _piece(value)}"
        for name, value in result.items()
    ]
    return f"{{{','.join(parts)}}}".encode()


def _list(items: Sequence[object]) -> str:
    return f"[{','.join([_piece(one) for one in items])}]"


def _piece(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
