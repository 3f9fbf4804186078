"""Terminal output: results on standard output, progress and errors on standard error."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from disco2.errors import Disco2Error

if TYPE_CHECKING:  # errors are shown where NumPy can't be imported, too
    from disco2.bulk import BulkProgress
    from disco2.inference.explanation import Explanation, MentionPair, OtherPairs, Term
    from disco2.inference.prediction import Prediction, Span

LONGEST_SENTENCE = 100
STRONGEST = 5  # surface features shown by name
WORDS = 6  # shown for an encoder
SECONDS_BETWEEN_LINES = 30.0  # where there is no terminal
_UNIT = 10_000  # figures are shown to four decimals
_MEGABYTE = 1e6
# Characters that move the cursor, start an escape sequence, or change the direction of the text.
_STEERING = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


class SafeConsole(Console):
    """A console that replaces control characters of shown texts, such as labels and file names.

    Rich adds its own colours afterwards.
    """

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            if segment.control or not _STEERING.search(segment.text):
                yield segment
            else:
                yield segment._replace(text=harmless(segment.text))


def harmless(text: str) -> str:
    """Replace control characters by question marks."""
    return _STEERING.sub("?", text)


results = SafeConsole(soft_wrap=True, highlight=False, emoji=False)
messages = SafeConsole(stderr=True, soft_wrap=True, highlight=False, emoji=False)
# Figures are not cut off for a narrow terminal or a pipe.
tables = SafeConsole(width=10_000, highlight=False, emoji=False)


def report_error(error: Disco2Error) -> None:
    """Print an error on one line: a line break in a file's name must not forge another message."""
    messages.print(f"error: {_one_line(str(error))}", markup=False)


def print_note(text: str) -> None:
    """Print a note to standard error, above a progress bar if there is one."""
    messages.print(f"note: {_one_line(text)}", markup=False, style="dim")


def _one_line(text: str) -> str:
    return text.replace("\n", "?")


def print_json(content: Mapping[str, Any]) -> None:
    """Print one JSON object in ASCII, which fits any encoding of standard output."""
    sys.stdout.write(json.dumps(content, indent=2) + "\n")


def print_table(title: str, columns: list[str], rows: list[list[str]], *, texts: int = 1) -> None:
    """Print a table whose first ``texts`` columns are text (left) and whose others are numbers (right)."""
    results.print(title, markup=False)  # as the table's own title it would be wrapped to the table's width
    table = Table(box=None, pad_edge=False)
    for number, column in enumerate(columns):
        table.add_column(Text(harmless(column)), justify="left" if number < texts else "right", no_wrap=True)
    for row in rows:
        # Before layout: a control character has no width, its question mark has.
        table.add_row(*(Text(harmless(cell)) for cell in row))
    tables.print(table)


def progress_bar() -> Progress:
    """A progress bar that disappears when the work is done; silent without a terminal."""
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        console=messages,
        transient=True,
        disable=not messages.is_terminal,
    )


def percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f}"  # noqa: RUF001  an en dash


class ProgressLine:
    """A progress bar with a changing text; without a terminal, the text is printed every 30 seconds."""

    def __init__(self, text: str) -> None:
        self._bar = progress_bar()
        self._task = self._bar.add_task(text, total=None)
        self._printed = time.monotonic()

    def __enter__(self) -> ProgressLine:
        self._bar.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._bar.stop()

    def show(self, text: str, *, done: float | None = None, total: float | None = None) -> None:
        if messages.is_terminal:
            self._bar.update(self._task, description=text, total=total, completed=done)
        elif time.monotonic() - self._printed >= SECONDS_BETWEEN_LINES:
            self._printed = time.monotonic()
            messages.print(text, markup=False)


def standing_line(standing: BulkProgress) -> str:
    """One line, such as: 1,809 of 4,000 documents, 0.8 of 1.7 MB, 412 sentences a second, 5 min left."""
    pieces = [
        f"{_of(f'{standing.documents:,}', standing.all_documents, 1, ',.0f')} documents",
        f"{_of(f'{standing.bytes / _MEGABYTE:,.1f}', standing.all_bytes, _MEGABYTE, ',.1f')} MB",
        f"{standing.workers} workers" if standing.workers != 1 else "1 worker",
    ]
    if standing.made_sentences:
        pieces.append(f"{standing.rate:,.0f} sentences a second")
    if standing.left is not None:
        pieces.append(f"{_duration(standing.left)} left")
    return ", ".join(pieces)


def _of(done: str, total: int | None, unit: float, form: str) -> str:
    return done if total is None else f"{done} of {total / unit:{form}}"


def _duration(seconds: float) -> str:
    minutes = round(seconds / 60)
    if minutes < 2:
        return f"{seconds:.0f} s"
    if minutes < 120:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min"


def print_relations(
    predictions: Sequence[Prediction], explanations: Sequence[Explanation] | None = None
) -> None:
    """Print one paragraph per relation: outcome, probability, the two arguments, shared entities."""
    if not predictions:
        messages.print("No relation found.", markup=False)
    for place, prediction in enumerate(predictions):
        results.print(_paragraph(prediction), markup=False)
        if explanations is not None:
            _print_explanation(explanations[place])
        if place + 1 < len(predictions):
            results.print()


def _paragraph(prediction: Prediction) -> str:
    found = f"{prediction.sense} {percent(prediction.probability)}%"
    if prediction.connective:
        outcome = f"{found} ({prediction.kind}: '{_plain(prediction.connective)}')"
    else:
        outcome = f"{found} ({prediction.kind})" if prediction.kind != prediction.sense else found
    lines = [
        f"{prediction.index + 1}. {outcome}",
        f"   1: {_argument(prediction.arg1)}",
        f"   2: {_argument(prediction.arg2)}",
    ]
    lines.extend(f"   shared: {_short(str(entity))}" for entity in prediction.entities)
    return "\n".join(lines)


def _argument(span: Span) -> str:
    """The parts with dots in between; a comma between argument and connective is not shown."""
    shown = " ... ".join(part.text for part in span.pieces)
    return _short(shown.lstrip(" ,;:") or shown)


def _print_explanation(explanation: Explanation) -> None:
    rows = explained_rows(explanation)
    columns = ["   score", explanation.sense]
    if explanation.rival:
        columns += [explanation.rival, "difference"]
    print_table("", columns, [[f"   {row[0]}", *row[1 : len(columns)]] for row in rows])
    if explanation.connective:
        total = sum(term.value for term in explanation.connective)
        shown = ", ".join(
            f"{_short(one.name)} {one.value:+.2f}" for one in explanation.connective[:STRONGEST]
        )
        results.print(f"   a connective, {total:+.2f}: {shown}, ...", markup=False)
    if explanation.words:
        spelled = [word for word in explanation.words if any(map(str.isalnum, word.span.text))]
        strongest = sorted(spelled, key=lambda word: -abs(word.value))[:WORDS]
        shown = ", ".join(f"{_short(word.span.text)} {word.value:+.2f}" for word in strongest)
        results.print(f"   words that matter most, approximately: {shown}", markup=False)


def explained_rows(explanation: Explanation) -> list[list[str]]:
    """The rows of the table: a name, the figure of the sense, that of its rival, and the difference.

    The figures are rounded; a row ``rounding`` makes them add up to the printed total.
    """
    named: list[tuple[str, float, float]] = [
        _term_row("bias", explanation.bias),
        _term_row("text" if explanation.words else "arguments", explanation.arguments),
        *(_term_row(f"mentions {_pair(pair)}", pair) for pair in explanation.pairs),
        *(_term_row(f"{others.count} other pairs of mentions", others) for others in explanation.other_pairs),
        *(_term_row(f"feature {_short(term.name)}", term) for term in explanation.features[:STRONGEST]),
    ]
    others = explanation.features[STRONGEST:]
    if others:
        name = f"{len(others)} other features"
        named.append((name, sum(term.value for term in others), sum(term.rival for term in others)))
    counted = [(name, _units(value), _units(rival)) for name, value, rival in named]
    total, rival_total = _units(explanation.score), _units(explanation.rival_score)
    left = total - sum(value for _, value, _ in counted), rival_total - sum(rival for *_, rival in counted)
    if any(left):
        counted.append(("rounding", *left))
    counted.append(("total", total, rival_total))
    return [[name, _figure(value), _figure(rival), _figure(value - rival)] for name, value, rival in counted]


def _term_row(name: str, term: Term | MentionPair | OtherPairs) -> tuple[str, float, float]:
    return name, term.value, term.rival


def _pair(pair: MentionPair) -> str:
    return f"{_short(pair.arg1.text)} ~ {_short(pair.arg2.text)}"


def _units(value: float) -> int:
    return round(value * _UNIT)


def _figure(units: int) -> str:
    return f"{units / _UNIT:+.4f}"


def _short(text: str) -> str:
    plain = _plain(text)
    return plain if len(plain) <= LONGEST_SENTENCE else plain[: LONGEST_SENTENCE - 1].rstrip() + "…"


def _plain(text: str) -> str:
    """On one line, without control characters."""
    return " ".join("".join(one if one.isprintable() else " " for one in text).split())
