"""A confusion matrix as the page's template needs it: counts, shaded by their share of the gold label."""

from __future__ import annotations

from dataclasses import dataclass

from disco2.reporting.findings import ConfusionMatrix
from disco2.reporting.page.ids import Ids
from disco2.reporting.tables.cells import ABSENT, percent

SHADES = 8  # the template's style has as many, beside none


@dataclass(frozen=True, slots=True)
class CountView:
    text: str
    shade: int
    right: bool


@dataclass(frozen=True, slots=True)
class GoldView:
    """A row: how often a gold label was predicted as each, how many there are, the share that was found."""

    label: str
    counts: list[CountView]
    total: str
    recall: str


@dataclass(frozen=True, slots=True)
class ConfusionView:
    id: str
    title: str
    labels: tuple[str, ...]
    rows: list[GoldView]
    totals: list[str]  # predictions of each label
    precisions: list[str]


def confusion_view(matrix: ConfusionMatrix, ids: Ids) -> ConfusionView:
    whole = all(count == round(count) for counts in matrix.counts for count in counts)
    rows = [
        GoldView(
            label=label,
            counts=[
                CountView(_count(count, whole=whole), _shade(_share(count, sum(counts))), place == column)
                for column, count in enumerate(counts)
            ],
            total=_count(sum(counts), whole=whole),
            recall=_percent(counts[place], sum(counts)),
        )
        for place, (label, counts) in enumerate(zip(matrix.labels, matrix.counts, strict=True))
    ]
    totals = [sum(column) for column in zip(*matrix.counts, strict=True)]
    return ConfusionView(
        id=ids.fresh("confusion"),
        title=matrix.title,
        labels=matrix.labels,
        rows=rows,
        totals=[_count(total, whole=whole) for total in totals],
        precisions=[_percent(matrix.counts[place][place], total) for place, total in enumerate(totals)],
    )


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _percent(part: float, whole: float) -> str:
    return percent(part / whole, decimals=0) if whole else ABSENT


def _shade(share: float) -> int:
    """0 (none) to SHADES (all); what is more than nothing but little has the first shade."""
    return 0 if share <= 0.005 else min(SHADES, 1 + int(share * SHADES))


def _count(count: float, *, whole: bool) -> str:
    """Means over seeds need not be whole: then all but the zeros have one decimal."""
    return f"{count:,.0f}" if whole or not count else f"{count:,.1f}"
