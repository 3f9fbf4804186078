"""What the command line shows: results on standard output, progress and errors on standard error."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from disco2.errors import Disco2Error

# What moves the cursor, starts an escape sequence, or turns the direction of what follows.
_STEERING = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


class SafeConsole(Console):
    """A console whose terminal obeys no text that is shown: not a model's labels, not a file's name.

    Rich adds its own colours behind this.
    """

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            if segment.control or not _STEERING.search(segment.text):
                yield segment
            else:
                yield segment._replace(text=harmless(segment.text))


def harmless(text: str) -> str:
    """The text, with a question mark for what would steer a terminal."""
    return _STEERING.sub("?", text)


results = SafeConsole(soft_wrap=True, highlight=False, emoji=False)
messages = SafeConsole(stderr=True, soft_wrap=True, highlight=False, emoji=False)
# As wide as they must be: figures are not cut off for a narrow terminal or a pipe.
tables = SafeConsole(width=10_000, highlight=False, emoji=False)


def report_error(error: Disco2Error) -> None:
    """The whole error as one paragraph."""
    messages.print(f"error: {error}", markup=False)


def tell(words: str) -> None:
    """A note for who watches, above a progress bar where there is one."""
    messages.print(f"note: {words}", markup=False, style="dim")


def print_json(content: Mapping[str, Any]) -> None:
    """One JSON object on standard output, for machines: in ASCII, whatever the encoding there."""
    sys.stdout.write(json.dumps(content, indent=2) + "\n")


def print_table(title: str, columns: list[str], rows: list[list[str]], *, texts: int = 1) -> None:
    """A table whose first ``texts`` columns are text and whose others are numbers, printed as they are."""
    results.print(title, markup=False)  # not as the table's own, which would wrap it to the table's width
    table = Table(box=None, pad_edge=False)
    for number, column in enumerate(columns):
        table.add_column(Text(harmless(column)), justify="left" if number < texts else "right", no_wrap=True)
    for row in rows:
        # Before the table is laid out: what has no width would make a cell too narrow for its question mark.
        table.add_row(*(Text(harmless(cell)) for cell in row))
    tables.print(table)


def progress_bar() -> Progress:
    """A bar for long work, gone when the work is done; silent where nobody watches."""
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
