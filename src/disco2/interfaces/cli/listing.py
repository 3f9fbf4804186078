"""Terminal output: results on standard output, progress and errors on standard error."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from disco2.errors import Disco2Error

if TYPE_CHECKING:  # errors are shown where NumPy can't be imported, too
    from disco2.bulk.run import BulkProgress
    from disco2.inference.explanation import Explanation, MentionPair, OtherPairs, Term
    from disco2.inference.prediction import Prediction, Span

TOP = 3  # senses shown of an unsure relation
STRONGEST = 5  # surface features shown by name
WORDS = 6  # shown for an encoder
SECONDS_BETWEEN_LINES = 30.0  # where there is no terminal
_UNIT = 10_000  # figures are shown to four decimals
DASH = "\u2013"  # for a figure that is missing
# Characters that move the cursor, start an escape sequence, or change the direction of the text.
_STEERING = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


class SafeConsole(Console):
    """A console that replaces control characters of shown texts, such as labels and file names.

    Each text is one line: a line break in a name must not forge another. Rich adds its own colours
    afterwards.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(markup=False, highlight=False, emoji=False, **settings)

    def print(self, *texts: RenderableType, **settings: Any) -> None:
        super().print(*(one_line(text) if isinstance(text, str) else text for text in texts), **settings)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=harmless(segment.text))


def harmless(text: str) -> str:
    """Replace control characters by question marks."""
    return _STEERING.sub("?", text)


def one_line(text: str) -> str:
    """The same, and for line breaks."""
    return harmless(text).replace("\n", "?")


results = SafeConsole(soft_wrap=True)
messages = SafeConsole(stderr=True, soft_wrap=True)
tables = SafeConsole(width=10_000)  # figures are not cut off for a narrow terminal or a pipe


def report_error(error: Disco2Error) -> None:
    """Print an error on one line."""
    messages.print(f"error: {error}")


def print_note(text: str) -> None:
    """Print a note to standard error, above a progress bar if there is one."""
    messages.print(f"note: {text}", style="dim")


def print_json(content: Mapping[str, Any]) -> None:
    """Print one JSON object in ASCII, which fits any encoding of standard output."""
    sys.stdout.write(json.dumps(content, indent=2) + "\n")


def print_table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[object]], *, texts: int = 1
) -> None:
    """Print a table whose first ``texts`` columns are text (left) and whose others are numbers (right)."""
    results.print(title)  # as the table's own title it would be wrapped to the table's width
    table = Table(box=None, pad_edge=False)
    for number, column in enumerate(columns):
        table.add_column(Text(one_line(column)), justify="left" if number < texts else "right", no_wrap=True)
    for row in rows:
        # Before layout: a control character has no width, its question mark has.
        table.add_row(*(Text(one_line(str(cell))) for cell in row))
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
    return DASH if share is None else f"{100 * share:.1f}"


def accuracy_line(accuracy: float, interval: tuple[float, float]) -> str:
    low, high = interval
    return f"{percent(accuracy)}% (95% interval {percent(low)} to {percent(high)})"


@contextmanager
def resumable() -> Iterator[None]:
    """For work that the same command continues after an interrupt."""
    try:
        yield
    except KeyboardInterrupt:
        messages.print("interrupted: what is done is kept; run the same command to resume")
        raise


@contextmanager
def progress_line(text: str) -> Iterator[Callable[..., None]]:
    """A progress bar with a changing text, as a function of the text, what is done, and the total if known.

    Without a terminal, the text is printed every 30 seconds. For resumable work.
    """
    printed = time.monotonic()
    with resumable(), progress_bar() as bar:
        task = bar.add_task(text, total=None)

        def show(text: str, done: float = 0, total: float | None = None) -> None:
            nonlocal printed
            if messages.is_terminal:
                bar.update(task, description=text, total=total, completed=done)
            elif time.monotonic() - printed >= SECONDS_BETWEEN_LINES:
                printed = time.monotonic()
                messages.print(text)

        yield show


def standing_line(standing: BulkProgress) -> str:
    """One line, such as: 1,809 of 4,000 documents, 412 sentences a second, 0:05:20 left."""
    done = f"{standing.documents:,} of {standing.all_documents:,} documents"
    text = f"{done}, {standing.rate:,.0f} sentences a second"
    return text if standing.left is None else f"{text}, {timedelta(seconds=round(standing.left))} left"


def print_relations(
    predictions: Sequence[Prediction], explanations: Sequence[Explanation] | None = None
) -> None:
    """Print one paragraph per relation: outcome, probability, the two arguments, shared entities."""
    if not predictions:
        messages.print("No relation found.")
    for place, prediction in enumerate(predictions):
        if place:
            results.print()
        _print_relation(prediction)
        if explanations is not None:
            _print_explanation(explanations[place])


def _print_relation(prediction: Prediction) -> None:
    from disco2.inference.prediction import describe_kind

    outcome = Text.assemble(
        (_plain(prediction.sense), "bold cyan"),
        f" {percent(prediction.probability)}%",
        (", unsure" * prediction.unsure, "yellow"),
    )
    described = _plain(describe_kind(prediction))
    if described != prediction.sense:
        outcome.append(f" ({described})", "green")
    results.print(Text.assemble((f"{prediction.index + 1}. ", "dim"), outcome))
    if prediction.unsure:
        ranked = (f"{_plain(sense)} {percent(share)}%" for sense, share in prediction.top(TOP))
        results.print(f"   most probable: {', '.join(ranked)}")
    results.print(f"   1: {_argument(prediction.arg1)}")
    results.print(f"   2: {_argument(prediction.arg2)}")
    for entity in prediction.entities:
        results.print(f"   shared: {_plain(str(entity))}", style="dim")


def _argument(span: Span) -> str:
    """The parts with dots in between; a comma between argument and connective is not shown."""
    shown = " ... ".join(part.text for part in span.pieces)
    return _plain(shown.lstrip(" ,;:") or shown)


def _print_explanation(explanation: Explanation) -> None:
    from disco2.inference.explanation import sum_families

    rows = explained_rows(explanation)
    columns = ["   score", explanation.sense]
    if explanation.rival:
        columns += [explanation.rival, "difference"]
    print_table("", columns, [[f"   {row[0]}", *row[1 : len(columns)]] for row in rows])

    def show(label: str, terms: Iterable[tuple[str, float]]) -> None:
        if shown := ", ".join(f"{_feature(name)} {value:+.2f}" for name, value in terms):
            results.print(f"   {label}: {shown}")

    total = sum(term.value for term in explanation.connective)
    families = sum_families(explanation.connective)
    show(f"a connective, {total:+.2f}", ((one.name, one.value) for one in families))
    show("strongest features", ((one.name, one.value) for one in explanation.features[:STRONGEST]))
    spelled = [word for word in explanation.words if any(map(str.isalnum, word.span.text))]
    strongest = sorted(spelled, key=lambda word: -abs(word.value))[:WORDS]
    show("words that matter most, approximately", ((word.span.text, word.value) for word in strongest))


def _feature(name: str) -> str:
    """A parser's feature ``because|phrase IN`` as ``phrase IN (because)``; other names are unchanged."""
    head, bar, rest = _plain(name).partition("|")
    return f"{rest} ({head})" if bar and head else head + bar + rest


def explained_rows(explanation: Explanation) -> list[list[str]]:
    """Name, figure of the sense, of its rival, difference; a row ``rounding`` makes the figures add up."""
    from disco2.inference.explanation import sum_families

    named: list[tuple[str, Term | MentionPair | OtherPairs]] = [
        ("bias", explanation.bias),
        ("text" if explanation.words else "arguments", explanation.arguments),
        *((f"mentions {_plain(f'{one.arg1.text} ~ {one.arg2.text}')}", one) for one in explanation.pairs),
        *((f"{others.count} other pairs of mentions", others) for others in explanation.other_pairs),
        *((family.name, family) for family in sum_families(explanation.features)),
    ]
    rows = [(name, round(term.value * _UNIT), round(term.rival * _UNIT)) for name, term in named]
    total, rival_total = round(explanation.score * _UNIT), round(explanation.rival_score * _UNIT)
    left = total - sum(value for _, value, _ in rows), rival_total - sum(rival for *_, rival in rows)
    if any(left):
        rows.append(("rounding", *left))
    rows.append(("total", total, rival_total))
    return [
        [name, *(f"{units / _UNIT:+.4f}" for units in (value, rival, value - rival))]
        for name, value, rival in rows
    ]


def _plain(text: str) -> str:
    """On one line, without control characters."""
    return " ".join("".join(one if one.isprintable() else " " for one in text).split())
