"""The part of disco2 predict that answers a file of pairs, and goes on where it stopped."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from disco2.errors import InputError
from disco2.inference.batch_size import check_batch_size
from disco2.inference.json_form import SCHEMA, Json
from disco2.inference.pair_answers import answer_lines
from disco2.inference.pair_lines import PairLine, numbered_lines, parse_pair_line
from disco2.inference.pipeline import Pipeline
from disco2.inference.resumable import ResumableLines, places
from disco2.interfaces.cli.console import messages, progress_bar, results, tell
from disco2.interfaces.cli.input_text import STANDARD_INPUT, standard_input
from disco2.version import VERSION

SHOWN_ERRORS = 10


def check_pairs(pairs: Path, output: Path | None, batch_size: int) -> None:
    """Refuse what can't work before any model is loaded."""
    check_batch_size(batch_size, of="pairs", hint="Give a --batch-size of 1 or more.")
    if pairs != STANDARD_INPUT:
        if not pairs.exists():
            raise InputError("There is no such file of pairs.", where=str(pairs), hint="Check the path.")
        if pairs.is_dir():
            raise InputError("This is a folder; a file of pairs is needed.", where=str(pairs))
    if output is None:
        return
    if not pairs.is_file():
        raise InputError(
            "A run on pairs from standard input or a pipe can't go on after an interruption.",
            hint="Give a file as --pairs, or leave out --output.",
        )
    written = map(os.path.realpath, places(output))
    if os.path.realpath(pairs) in written:
        raise InputError(
            "The output would overwrite its input.", where=str(pairs), hint="Choose another --output."
        )


def predict_pairs(
    pipeline: Pipeline, pairs: Path, output: Path | None, *, batch_size: int, restart: bool, explain: bool
) -> None:
    """Answer all pairs in order; broken lines are reported at the end, with exit code 2."""
    tally = _Tally()
    if output is None:
        with _opened(pairs) as stream:
            for batch in answer_lines(pipeline, _parsed(stream), batch_size=batch_size, explain=explain):
                sys.stdout.writelines(f"{json.dumps(record)}\n" for record in batch)
                sys.stdout.flush()
                tally.add(batch)
    else:
        _into_file(pipeline, pairs, output, tally, batch_size=batch_size, restart=restart, explain=explain)
        results.print(f"{output}: {tally.done} pairs", markup=False)
    tally.report(pairs)


def _into_file(
    pipeline: Pipeline,
    pairs: Path,
    output: Path,
    tally: _Tally,
    *,
    batch_size: int,
    restart: bool,
    explain: bool,
) -> None:
    digest, total = _digest(pairs)
    run = {
        "input": digest,
        "model": pipeline.info.digest,
        "annotator": pipeline.annotators.name,
        "version of the program": VERSION,
        "version of the schema": str(SCHEMA),
        "choice of --explain": str(explain),
        "prior": json.dumps(prior.given, sort_keys=True) if (prior := pipeline.calibration.prior) else "",
    }
    with ResumableLines(output, run, restart=restart) as lines, progress_bar() as bar:
        with _opened(pairs) as stream:
            numbers = (number for number, _ in numbered_lines(stream))
            kept = lines.keep(numbers, batch_size=batch_size)
        tally.add_file(lines.part)
        if kept:
            tell(f"going on behind the {kept} pairs that are done")
        task = bar.add_task("pairs", total=total, completed=kept)
        try:
            with _opened(pairs) as stream:
                rest = _parsed(stream, skip=kept)
                for batch in answer_lines(pipeline, rest, batch_size=batch_size, explain=explain):
                    lines.append(json.dumps(record, ensure_ascii=False) for record in batch)
                    tally.add(batch)
                    bar.advance(task, len(batch))
        except KeyboardInterrupt:
            messages.print(
                f"interrupted: {tally.done + tally.broken} pairs are done and kept in {lines.part}; "
                "give the same command again to go on",
                markup=False,
            )
            raise
        lines.finish()


class _Tally:
    """How many lines were answered, and what was wrong with the others."""

    def __init__(self) -> None:
        self.done = 0
        self.broken = 0
        self._shown: list[str] = []

    def add(self, records: list[Json]) -> None:
        for record in records:
            if "error" not in record:
                self.done += 1
                continue
            self.broken += 1
            if len(self._shown) < SHOWN_ERRORS:
                self._shown.append(f"line {record['line']}: {record['error']}")

    def add_file(self, part: Path) -> None:
        """Count what an earlier run has done."""
        with part.open("rb") as stream:
            for line in stream:
                self.add([json.loads(line)])

    def report(self, pairs: Path) -> None:
        if not self.broken:
            return
        for said in self._shown:
            messages.print(f"{pairs}: {said}", markup=False)
        raise InputError(
            f"{self.broken} of {self.done + self.broken} lines have no answer; the others are done.",
            where=str(pairs),
            hint="Their records say why, under 'error'.",
        )


def _opened(pairs: Path) -> BinaryIO:
    if pairs == STANDARD_INPUT:
        return standard_input()
    try:
        return pairs.open("rb")
    except OSError as error:
        raise InputError(f"It can't be read: {error.strerror}.", where=str(pairs)) from None


def _parsed(stream: BinaryIO, *, skip: int = 0) -> Iterator[PairLine]:
    for place, (number, line) in enumerate(numbered_lines(stream)):
        if place >= skip:
            yield parse_pair_line(number, line)


def _digest(pairs: Path) -> tuple[str, int]:
    """A hash of the whole input, and how many lines it has."""
    found, lines = hashlib.sha256(), 0
    with _opened(pairs) as stream:
        while piece := stream.read(1 << 20):
            found.update(piece)
            lines += piece.count(b"\n")
    return found.hexdigest(), lines
