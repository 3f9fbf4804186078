"""Files of pairs: lines in, records of answers out, in a file that survives an interruption."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from io import FileIO
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from disco2.corpora.pairs import REQUIRED, TABLE_ENDINGS
from disco2.corpora.reading import WRONG_COLUMNS, BrokenJsonError, parse_json, read_table
from disco2.data import ReadIssues
from disco2.errors import Disco2Error, InputError
from disco2.files import FileLock, behind_link, check_file_place, report_write_errors, write_text
from disco2.inference.candidates import GivenPair
from disco2.inference.pipeline import Pipeline
from disco2.inference.plain_text import decoded
from disco2.inference.prediction import Json, Prediction, pair_error, pair_result

LONGEST_LINE = 10_000_000  # bytes
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class PairLine:
    """One line of the input, counted from 1; either a pair or what is wrong with it."""

    number: int
    id: str | int | None = None
    pair: GivenPair | None = None
    error: str = ""
    source: str = ""


def read_pair_lines(stream: BinaryIO, path: Path) -> Iterator[PairLine]:
    """The lines of a file of pairs: JSON Lines, or a table (``corpora.pairs``), which is read as a whole."""
    if path.suffix.lower() not in TABLE_ENDINGS:
        for number, line in enumerate(_bounded_lines(stream), start=1):
            if line.strip():
                yield parse_pair_line(number, line.removeprefix(_BYTE_ORDER_MARK))
        return
    issues = ReadIssues()
    text = decoded(stream.read(), where=str(path))
    for number, record in read_table(text, path=path, required=REQUIRED, issues=issues):
        yield from _skipped_rows(issues)
        name = str(record.get("id", "")).strip() or None
        yield replace(_pair_line(number, name, dict(record)), source=str(record.get("source", "")).strip())
    yield from _skipped_rows(issues)


def _bounded_lines(stream: BinaryIO) -> Iterator[bytes]:
    """All lines; of one that is too long, only the beginning."""
    while line := stream.readline(LONGEST_LINE + 1):
        rest = line
        while len(rest) > LONGEST_LINE and not rest.endswith(b"\n"):
            rest = stream.readline(LONGEST_LINE + 1)
        yield line


def _skipped_rows(issues: ReadIssues) -> Iterator[PairLine]:
    """Errors for rows that the reader of tables could not use since the last call."""
    for finding in issues.findings:
        if finding.kind == WRONG_COLUMNS:
            yield PairLine(int(finding.where.rpartition(":")[2]), error=finding.detail)
    issues.findings.clear()


def parse_pair_line(number: int, line: bytes) -> PairLine:
    """The pair of one line, or why it is none."""
    if len(line) > LONGEST_LINE:
        return PairLine(number, error=f"The line has more than {LONGEST_LINE:,} bytes.")
    try:
        data = parse_json(line.decode("utf-8").rstrip())
    except UnicodeDecodeError as error:
        return PairLine(
            number, error=f"Byte {error.start} of the line, {line[error.start]:#04x}, is not UTF-8."
        )
    except BrokenJsonError as error:
        hint = "" if b"{" in line else " A CSV file needs a name that ends in .csv."
        return PairLine(number, error=f"This is not JSON: {error.reason}.{hint}")
    if not isinstance(data, dict):
        return PairLine(number, error="This is not an object in braces.")
    name = data.get("id")
    if isinstance(name, bool) or not isinstance(name, str | int | None):
        return PairLine(number, error="'id' is neither a text nor a whole number.")
    return _pair_line(number, name, data)


def _pair_line(number: int, name: str | int | None, data: dict[str, Any]) -> PairLine:
    for argument in ("arg1", "arg2"):
        if not isinstance(data.get(argument), str):
            said = "is not a text" if argument in data else "is missing"
            return PairLine(number, name, error=f"'{argument}' {said}.")
    try:
        return PairLine(number, name, GivenPair(data["arg1"], data["arg2"], id=f"line{number}"))
    except InputError as error:
        return PairLine(number, name, error=str(error))


def answer_lines(
    pipeline: Pipeline,
    lines: Iterable[PairLine],
    *,
    batch_size: int = 64,
    explain: bool = False,
    min_probability: float = 0.0,
) -> Iterator[list[Json]]:
    """One record for each line, error records included; a list for each batch of lines.

    If an annotator refuses all pairs of a batch, its error stops the run.
    """
    remaining = iter(lines)
    while batch := list(islice(remaining, batch_size)):
        found = list(_answers(pipeline, [one.pair for one in batch if one.pair], min_probability))
        refusals = [one for one in found if isinstance(one, Disco2Error)]
        if len(refusals) == len(found) > 2:
            raise refusals[0]
        answers = iter(found)
        records: list[Json] = []
        for line in batch:
            answer = next(answers) if line.pair is not None else line.error
            if isinstance(answer, Prediction):
                explanation = pipeline.explain(answer) if explain else None
                records.append(pair_result(line.number, line.id, answer, explanation))
            else:
                records.append(pair_error(line.number, line.id, str(answer)))
        yield records


def _answers(
    pipeline: Pipeline, pairs: Sequence[GivenPair], min_probability: float
) -> Iterator[Prediction | Disco2Error]:
    """The answers of a batch; where an annotator refuses one pair, the others are still answered."""
    try:
        yield from pipeline.classify_pairs(pairs, min_probability=min_probability) if pairs else ()
    except Disco2Error as error:
        if len(pairs) == 1:
            yield error
            return
        for pair in pairs:
            yield from _answers(pipeline, [pair], min_probability)


def places(output: Path) -> tuple[Path, Path, Path]:
    """Every file that a run writes: the output, its part, and the part's description."""
    if not output.name:
        raise InputError("The output has no name.", where=str(output), hint="Give the name of a file.")
    output = behind_link(output)
    return output, output.with_name(output.name + ".part"), output.with_name(output.name + ".part.json")


class ResumableLines:
    """The growing output of one run; a context manager that leaves the part behind unless it was finished.

    ``run`` describes everything the lines depend on: a part that was written under another description is
    refused, unless ``restart`` says to drop it.
    """

    def __init__(self, output: Path, run: Mapping[str, str], *, restart: bool = False) -> None:
        self.output, self.part, self.description = places(output)
        self._run = dict(run)
        self._restart = restart
        self._lock = FileLock(self.output.with_name(self.output.name + ".lock"))

    def __enter__(self) -> ResumableLines:
        check_file_place(self.output)
        if not self._lock.take():
            hint = "Wait for it, or choose another --output."
            raise InputError("Another run is writing this output.", where=str(self.part), hint=hint)
        try:
            with report_write_errors(self.part):
                resumes = not self._restart and self.part.exists() and self.part.stat().st_size > 0
                if resumes:
                    self._check_description()
                else:
                    write_text(self.description, [json.dumps(self._run, indent=1) + "\n"])
                # Unbuffered: after a failed write, closing has nothing left to write.
                self._file = FileIO(self.part, "r+b" if resumes else "wb")
        except InputError:
            self._lock.give_up()
            raise
        return self

    def keep(self, numbers: Iterable[int], *, batch_size: int = 1) -> int:
        """Keep the batches that are done and cut off the rest; how many lines are kept.

        ``numbers`` are the values of "line" that the records must have, in order. Only whole batches stay:
        last digits depend on who is scored together, and a run that goes on is to end as one without a stop.
        """
        read = kept = place = end = 0
        with self.part.open("rb") as stream:
            for number in numbers:
                line = stream.readline()
                if not line.endswith(b"\n") or _line_number(line) != number:
                    break
                read, place = read + 1, place + len(line)
                if read % batch_size == 0:
                    kept, end = read, place
        self._file.truncate(end)
        self._file.seek(end)
        return kept

    def append(self, lines: Iterable[str]) -> None:
        """Write lines, and come back when they are on the disk."""
        data = memoryview("".join(f"{line}\n" for line in lines).encode("utf-8"))
        with report_write_errors(self.part):
            while data:
                data = data[self._file.write(data) or 0 :]
            os.fsync(self._file.fileno())

    def finish(self) -> None:
        """All lines are there: the part becomes the output."""
        with report_write_errors(self.part):
            self._file.close()  # Windows moves no file that is open
            self.part.replace(self.output)
            self.description.unlink(missing_ok=True)

    def __exit__(self, *exception: object) -> None:
        self._file.close()
        self._lock.give_up()

    def _check_description(self) -> None:
        try:
            found = json.loads(self.description.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            found = None
        if found != self._run:
            known = found if isinstance(found, dict) else {}
            changed = next((name for name in self._run if known.get(name) != self._run[name]), "description")
            what = f"An unfinished output is there that was begun with another {changed}."
            raise InputError(what, where=str(self.part), hint="Delete it, or add --restart to begin anew.")


def _line_number(line: bytes) -> object:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record.get("line") if isinstance(record, dict) else None
