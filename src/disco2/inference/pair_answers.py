"""Lines of pairs -> records of answers, a batch at a time, in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from disco2.errors import Disco2Error, InputError
from disco2.inference.given_pair import GivenPair
from disco2.inference.json_form import Json, pair_error, pair_result
from disco2.inference.pair_lines import PairLine
from disco2.inference.pipeline import Pipeline
from disco2.inference.prediction import Prediction


def answer_lines(
    pipeline: Pipeline, lines: Iterable[PairLine], *, batch_size: int = 64, explain: bool = False
) -> Iterator[list[Json]]:
    """One record for each line, error records included; a list for each batch of lines."""
    if batch_size < 1:
        raise InputError(f"A batch can't have {batch_size} pairs.", hint="Give a --batch-size of 1 or more.")
    remaining = iter(lines)
    while batch := list(islice(remaining, batch_size)):
        answers = iter(_answers(pipeline, [line.pair for line in batch if line.pair is not None]))
        yield [
            pair_error(line.number, line.id, line.error)
            if line.pair is None
            else _record(pipeline, line, next(answers), explain)
            for line in batch
        ]


def _answers(pipeline: Pipeline, pairs: Sequence[GivenPair]) -> list[Prediction | Disco2Error]:
    """The answers of a batch; where an annotator refuses one pair, the others are still answered."""
    if not pairs:
        return []
    try:
        return list(pipeline.classify_pairs(pairs))
    except Disco2Error as error:
        if len(pairs) == 1:
            return [error]
    return [answer for pair in pairs for answer in _answers(pipeline, [pair])]


def _record(pipeline: Pipeline, line: PairLine, answer: Prediction | Disco2Error, explain: bool) -> Json:
    if isinstance(answer, Disco2Error):
        return pair_error(line.number, line.id, str(answer))
    return pair_result(line.number, line.id, answer, pipeline.explain(answer) if explain else None)
