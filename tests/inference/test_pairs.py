"""Reading files of pairs."""

from __future__ import annotations

import errno
import io
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from disco2.errors import CorpusError, InputError, LayerError
from disco2.inference.candidates import GivenPair
from disco2.inference.pairs import PairLine, ResumableLines, answer_lines, read_pair_lines
from disco2.inference.pipeline import Pipeline
from disco2.inference.prediction import Prediction

GOOD = b'{"arg1": "It rained.", "arg2": "We left.", "id": "a", "label": "ignored"}'


def parsed(data: bytes) -> list[PairLine]:
    return list(read_pair_lines(io.BytesIO(data), Path("pairs.jsonl")))


def test_byte_order_mark_blank_lines_and_windows_line_ends() -> None:
    data = b"\xef\xbb\xbf" + GOOD + b"\r\n\r\n  \n" + GOOD + b"\n" + GOOD
    lines = parsed(data)
    assert [(line.number, line.error) for line in lines] == [(1, ""), (4, ""), (5, "")]
    assert (lines[0].id, lines[0].pair) == ("a", GivenPair("It rained.", "We left.", "line1"))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b'{"arg1": "It rained."', "not JSON"),
        (b"It rained.", "not JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"arg1": "x",', "Expecting property name enclosed in double quotes at column 14"),
        (b'{"arg1": "x", "arg2": "y", "id": ' + b"9" * 5_000 + b"}", "too many digits"),
        (b'["It rained.", "We left."]', "braces"),
        (b'{"arg1": "It rained."}', "'arg2' is missing"),
        (b'{"arg1": 5, "arg2": "x"}', "'arg1' is not a text"),
        (b'{"arg1": "It rained.", "arg2": "..."}', "arg2 has no word"),
        (b'{"arg1": "It rained.", "arg2": "\\ud800 x"}', "unpaired surrogate"),
        (b'{"arg1": "caf\xe9", "arg2": "x"}', "Byte 13 of the line, 0xe9, is not UTF-8"),
        (b'{"arg1": "x", "arg2": "y", "id": [1]}', "'id'"),
        (b'{"arg1": "x", "arg2": "y", "id": true}', "'id'"),
        (b"\x00", "not JSON"),
        (b'{"arg1": "x", "arg2": "y", "arg1": "z"}', "'arg1' occurs twice"),
    ],
)
def test_a_broken_line_is_told_from_the_others(line: bytes, said: str) -> None:
    first, broken, last = parsed(GOOD + b"\n" + line + b"\n" + GOOD)
    assert (first.error, last.error) == ("", "")
    assert broken.number == 2
    assert said in broken.error
    assert broken.pair is None


@pytest.mark.parametrize("length", [50, 51, 99, 100, 101, 250])
def test_a_line_that_is_too_long_is_an_error_of_its_own(length: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("disco2.inference.pairs.LONGEST_LINE", 50)
    good = b'{"arg1": "a b", "arg2": "c d"}\n'
    first, long, last = parsed(good + b"x" * length + b"\n" + good)
    assert (first.number, long.number, last.number) == (1, 2, 3)
    assert first.pair is not None
    assert last.pair is not None
    assert "more than 50 bytes" in long.error


def test_a_table_is_read_as_in_training() -> None:
    content = (
        'id,arg1,arg2,label\np1,"It rained,\nall day.",We left.,x\np2,It rained.\n,It rained.,We left.,\n'
    )
    first, broken, last = read_pair_lines(io.BytesIO(content.encode()), Path("pairs.csv"))
    assert (first.number, first.id, first.pair) == (
        2,
        "p1",
        GivenPair("It rained,\nall day.", "We left.", "line2"),
    )
    assert (broken.number, broken.error) == (4, "2 columns where the header has 4; skipped.")
    assert (last.number, last.id) == (5, None)
    with pytest.raises(CorpusError, match="does not name the columns arg1 and arg2"):
        list(read_pair_lines(io.BytesIO(b"It rained.\n"), Path("pairs.tsv")))
    (head, _) = read_pair_lines(io.BytesIO(b"arg1,arg2\na,b\n"), Path("pairs.jsonl"))
    assert "A CSV file needs a name that ends in .csv." in head.error


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

    def refuses(broken: set[str]) -> Callable[..., list[Prediction]]:
        def classify(pairs: Sequence[GivenPair], **_: float) -> list[Prediction]:
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
    batches = answer_lines(small, lines, batch_size=4)
    assert [record["line"] for record in next(batches)] == [1, 2, 3, 4]
    with pytest.raises(LayerError, match="has died"):
        next(batches)


RUN = {"input": "abc", "model": "m"}
NUMBERS = [1, 2, 4, 5]
LINES = [json.dumps({"line": number, "id": "\u00e9"}, ensure_ascii=False) for number in NUMBERS]
WHOLE = "".join(f"{line}\n" for line in LINES).encode()


def part_of(output: Path) -> Path:
    return output.with_name(output.name + ".part")


def complete(output: Path, **options: bool) -> int:
    """Go on to the end; how many lines were there before."""
    with ResumableLines(output, RUN, **options) as lines:
        kept = lines.keep(NUMBERS)
        for line in LINES[kept:]:
            lines.append([line])
        lines.finish()
    return kept


def test_cut_off_at_every_byte(tmp_path: Path) -> None:
    """Whatever is left of the part, the end is the same and no whole line is done twice."""
    output = tmp_path / "out.jsonl"
    for size in range(len(WHOLE) + 1):
        with ResumableLines(output, RUN, restart=True) as lines:
            lines.append(LINES)
        os.truncate(part_of(output), size)
        assert complete(output) == WHOLE[:size].count(b"\n")
        assert output.read_bytes() == WHOLE
        assert [path.name for path in tmp_path.iterdir()] == ["out.jsonl"]
    assert complete(output) == 0  # a finished output is made anew


def test_only_whole_batches_are_kept(tmp_path: Path) -> None:
    """Whoever is scored with others is scored with the same ones after an interruption."""
    output = tmp_path / "out.jsonl"
    for done in range(len(LINES) + 1):
        with ResumableLines(output, RUN, restart=True) as lines:
            lines.append(LINES[:done])
        with ResumableLines(output, RUN) as lines:
            kept = lines.keep(NUMBERS, batch_size=2)
            assert kept == done - done % 2
        assert part_of(output).read_bytes() == b"".join(WHOLE.splitlines(keepends=True)[:kept])


@pytest.mark.parametrize(
    "rubbish", [b"\x00" * 30 + b"\n", b'{"line": 4}\n', b"[]\n", b'{"line": "1"}\n', b"\n"]
)
def test_what_does_not_follow_is_done_again(tmp_path: Path, rubbish: bytes) -> None:
    output = tmp_path / "out.jsonl"
    with ResumableLines(output, RUN) as lines:
        lines.append(LINES[:1])
    with part_of(output).open("ab") as stream:
        stream.write(rubbish)
    assert complete(output) == 1
    assert output.read_bytes() == WHOLE


def test_a_full_disk_keeps_what_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    output = tmp_path / "out.jsonl"

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with ResumableLines(output, RUN) as lines:
        lines.append(LINES[:2])
        with monkeypatch.context() as patched:
            patched.setattr(os, "fsync", full)
            with pytest.raises(InputError, match=r"No space left.*make room"):
                lines.append(LINES[2:3])
    assert not output.exists()
    assert complete(output) >= 2
    assert output.read_bytes() == WHOLE


def test_an_output_that_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a regular file"), ResumableLines(tmp_path, RUN):
        pass
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="can't be written"), ResumableLines(tmp_path / "file" / "x", RUN):
        pass


def test_the_part_of_another_run_and_a_running_one_are_refused(tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    with ResumableLines(output, RUN) as lines:
        lines.append(LINES[:2])
        if os.name == "posix":
            with pytest.raises(InputError, match="Another run"), ResumableLines(output, RUN, restart=True):
                pass
    with pytest.raises(InputError, match=r"another model.*--restart"), ResumableLines(output, {"model": "n"}):
        pass
    part_of(output).with_name("out.jsonl.part.json").unlink()
    with pytest.raises(InputError, match=r"--restart"), ResumableLines(output, RUN):
        pass
    assert part_of(output).read_bytes().count(b"\n") == 2  # nothing was lost
    assert complete(output, restart=True) == 0
