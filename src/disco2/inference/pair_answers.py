"""Lines of pairs -> records of answers, a batch at a time, in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from disco2.errors import Disco2Error
from disco2.inference.batch_size import check_batch_size
from disco2.inference.given_pair import GivenPair
from disco2.inference.json_form import Json, pair_error, pair_result
from disco2.inference.pair_lines import PairLine
from disco2.inference.pipeline import Pipeline
from disco2.inference.prediction import Prediction

MOST_REFUSALS = 3  # in a row


def answer_lines(
    pipeline: Pipeline, lines: Iterable[PairLine], *, batch_size: int = 64, explain: bool = False
) -> Iterator[list[Json]]:
    """One record for each line, error records included; a list for each batch of lines.

    An annotator that refuses pair after pair is out of order, and its error stops the run: what is left is
    no fault of the pairs.
    """
    size = check_batch_size(batch_size, of="pairs")
    remaining = iter(lines)
    refusals = 0  # since the last answer
    while batch := list(islice(remaining, size)):
        answers: list[Prediction | Disco2Error] = []
        for answer in _answers(pipeline, [line.pair for line in batch if line.pair is not None]):
            refusals = refusals + 1 if isinstance(answer, Disco2Error) else 0
            if isinstance(answer, Disco2Error) and refusals >= MOST_REFUSALS:
                raise answer
            answers.append(answer)
        found = iter(answers)
        yield [
            pair_error(line.number, line.id, line.error)
            if line.pair is None
            else _record(pipeline, line, next(found), explain)
            for line in batch
        ]


def _answers(pipeline: Pipeline, pairs: Sequence[GivenPair]) -> Iterator[Prediction | Disco2Error]:
    """The answers of a batch; where an annotator refuses one pair, the others are still answered."""
    if not pairs:
        return
    try:
        yield from pipeline.classify_pairs(pairs)
    except Disco2Error as error:
        if len(pairs) == 1:
            yield error
            return
        for pair in pairs:
            yield from _answers(pipeline, [pair])


def _record(pipeline: Pipeline, line: PairLine, answer: Prediction | Disco2Error, explain: bool) -> Json:
    if isinstance(answer, Disco2Error):
        return pair_error(line.number, line.id, str(answer))
    return pair_result(line.number, line.id, answer, pipeline.explain(answer) if explain else None)
