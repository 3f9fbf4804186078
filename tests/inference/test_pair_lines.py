"""Reading files of pairs."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Sequence

import pytest

from disco2.errors import LayerError
from disco2.inference import pairs as pair_lines
from disco2.inference.candidates import GivenPair
from disco2.inference.pairs import PairLine, answer_lines, numbered_lines, parse_pair_line
from disco2.inference.pipeline import Pipeline
from disco2.inference.prediction import Prediction

GOOD = b'{"arg1": "It rained.", "arg2": "We left.", "id": "a", "label": "ignored"}'


def parsed(data: bytes) -> list[PairLine]:
    return [parse_pair_line(*line) for line in numbered_lines(io.BytesIO(data))]


def test_a_pair_and_its_id() -> None:
    (line,) = parsed(GOOD)
    assert (line.number, line.id, line.error) == (1, "a", "")
    assert line.pair is not None
    assert (line.pair.arg1, line.pair.arg2) == ("It rained.", "We left.")


def test_byte_order_mark_blank_lines_and_windows_line_ends() -> None:
    data = b"\xef\xbb\xbf" + GOOD + b"\r\n\r\n  \n" + GOOD + b"\n" + GOOD
    assert [(line.number, line.error) for line in parsed(data)] == [(1, ""), (4, ""), (5, "")]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b'{"arg1": "It rained."', "not JSON"),
        (b"It rained.", "not JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"arg1": "x",', "Expecting property name enclosed in double quotes at character 14"),
        (b'{"arg1": "x", "arg2": "y", "id": ' + b"9" * 5_000 + b"}", "too many digits"),
        (b'["It rained.", "We left."]', "braces"),
        (b'{"arg1": "It rained."}', "'arg2' is missing"),
        (b'{"arg1": 5, "arg2": "x"}', "'arg1' is not a text"),
        (b'{"arg1": "It rained.", "arg2": "..."}', "arg2 has no word"),
        (b'{"arg1": "It rained.", "arg2": "\\ud800 x"}', "half of a character"),
        (b'{"arg1": "caf\xe9", "arg2": "x"}', "Byte 13 of the line, 0xe9, is not UTF-8"),
        (b'{"arg1": "x", "arg2": "y", "id": [1]}', "'id'"),
        (b'{"arg1": "x", "arg2": "y", "id": true}', "'id'"),
        (b"\x00", "not JSON"),
        (b'{"arg1": "x", "arg2": "y", "arg1": "z"}', "'arg1' occurs twice"),
        (b'{"arg1": "x", "arg2": "y", "more": {"\\ud800": 1, "\\ud800": 2}}', "'?' occurs twice"),
    ],
)
def test_a_broken_line_is_told_from_the_others(line: bytes, said: str) -> None:
    first, broken, last = parsed(GOOD + b"\n" + line + b"\n" + GOOD)
    assert (first.error, last.error) == ("", "")
    assert broken.number == 2
    assert said in broken.error
    assert broken.pair is None


def test_a_line_too_long_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pair_lines, "LONGEST_LINE", 100)
    long = b'{"arg1": "' + b"x" * 1000 + b'"}'
    for end in (b"\n", b"\r\n", b""):
        lines = parsed(GOOD + b"\n" + long + b"\n" + GOOD + b"\n" + long + end)
        assert [line.number for line in lines] == [1, 2, 3, 4]
        assert ["more than" in line.error for line in lines] == [False, True, False, True]
    edge = b'"' + b"x" * 97 + b'"\n'  # 100 bytes with its end
    assert [line.error for line in parsed(edge + GOOD)] == ["This is not an object in braces.", ""]


def test_records_are_in_order_whatever_the_batches(small: Pipeline) -> None:
    lines = parsed(b"\n".join([GOOD, b"oops", GOOD, b"{}", b"", GOOD]))
    expected = None
    for size in (1, 2, 3, 100):
        batches = list(answer_lines(small, lines, batch_size=size))
        assert max(map(len, batches)) <= size
        records = [record for batch in batches for record in batch]
        assert [record["line"] for record in records] == [1, 2, 3, 4, 6]
        assert ["error" in record for record in records] == [False, True, False, True, False]
        senses = [record.get("sense") for record in records]
        assert senses == (expected or senses)
        expected = senses
        json.dumps(records)


def test_an_annotator_that_refuses_everything_stops_the_run(
    small: Pipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = small.classify_pairs

    def refuses(broken: set[str]) -> Callable[[Sequence[GivenPair]], list[Prediction]]:
        def classify(pairs: Sequence[GivenPair]) -> list[Prediction]:
            if any(pair.arg1 in broken for pair in pairs):
                raise LayerError("The parser has died.")
            return answer(pairs)

        return classify

    texts = [f"It rained {number} times." for number in range(8)]
    lines = parsed(b"\n".join(GOOD.replace(b"It rained.", text.encode()) for text in texts))
    monkeypatch.setattr(small, "classify_pairs", refuses({texts[1], texts[2], texts[5]}))
    for size in (1, 3, 8):
        records = [record for batch in answer_lines(small, lines, batch_size=size) for record in batch]
        assert [record["line"] for record in records if "error" in record] == [2, 3, 6]
    monkeypatch.setattr(small, "classify_pairs", refuses(set(texts[4:])))
    for size in (1, 4):
        batches = answer_lines(small, lines, batch_size=size)
        good = [record for _ in range(4 // size) for record in next(batches)]
        assert [record["line"] for record in good if "error" not in record] == [1, 2, 3, 4]
        with pytest.raises(LayerError, match="has died"):
            list(batches)
