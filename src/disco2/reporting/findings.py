"""What an experiment found, as plain data: tables, figures, confusions, examples. Shares are from 0 to 1."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Measure:
    """A share with its spread over seeds and its 95% interval over relations, where they are known.

    ``published`` figures are other people's: they are never measured here, and every rendering marks them.
    ``marks`` are signs that a note of the table explains, such as a dagger for significance. ``decimals`` are
    those of the percentage; None is one, and for a published figure as many as it has, up to two.
    """

    mean: float
    deviation: float | None = None
    interval: tuple[float, float] | None = None
    n: int | None = None
    published: bool = False
    marks: str = ""
    decimals: int | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """How much better one system is than another, in shares, with its 95% interval."""

    mean: float
    interval: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class PValue:
    """The probability of such a difference by chance alone."""

    value: float


# None is a figure that does not exist, such as the accuracy on a part without relations.
Cell = str | int | Measure | Difference | PValue | None


@dataclass(frozen=True, slots=True)
class Table:
    """``name`` is that of its files; the first column is text, the others figures."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(
                    f"Table {self.name}: {len(row)} cells under {len(self.columns)} columns: {row}"
                )

    def column(self, place: int) -> list[Cell]:
        """The cells under a heading."""
        return [row[place] for row in self.rows]


@dataclass(frozen=True, slots=True)
class Series:
    """One line of a figure: a measure at each x."""

    name: str
    points: tuple[tuple[float, Measure], ...]


@dataclass(frozen=True, slots=True)
class LineFigure:
    """Measures over a quantity, such as accuracy over the number of dimensions."""

    name: str
    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]


@dataclass(frozen=True, slots=True)
class PlacedWord:
    """A word on a map; those with a ``group`` (such as pronouns) are marked and named."""

    word: str
    x: float
    y: float
    group: str = ""


@dataclass(frozen=True, slots=True)
class MapFigure:
    """Words as points in the plane."""

    name: str
    title: str
    words: tuple[PlacedWord, ...]


Figure = LineFigure | MapFigure


@dataclass(frozen=True, slots=True)
class ConfusionMatrix:
    """How often (mean over seeds) each gold label (rows) was predicted as each label (columns)."""

    title: str
    labels: tuple[str, ...]
    counts: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class Turned:
    """A relation that one system gets right and another one wrong.

    ``before`` and ``after`` are what the two systems say; ``entities`` are the mentions that the arguments
    share, an entry for each entity: its mentions in the first and in the second argument.
    """

    relation: str
    first: str
    second: str
    gold: tuple[str, ...]
    before: str
    after: str
    right: bool  # whether it was turned right (or else wrong)
    entities: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = ()
    seeds: tuple[int, int] | None = None  # of how many seeds agree on the turn


@dataclass(frozen=True)
class Findings:
    """All that one experiment found. ``words`` are paragraphs; ``data`` is for machines (JSON)."""

    name: str
    title: str
    words: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()
    confusions: tuple[ConfusionMatrix, ...] = ()
    turned: tuple[Turned, ...] = ()
    data: dict[str, Any] = field(default_factory=dict)
