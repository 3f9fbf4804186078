"""Rates over sizes, as a picture."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from benchmarks.speed.data import (
    SCORING_BATCH,
    STANDARD_BATCH,
    STANDARD_K,
    Recipe,
    Workload,
    generated_workload,
)
from benchmarks.speed.measure import in_turns, peak_bytes
from benchmarks.speed.model import scoring_floor, training_floor
from benchmarks.speed.steps import Step, product_scores, product_steps
from disco2.reporting.figures import DOTS_PER_INCH, STYLE, check_plots

Report = Callable[[str], None]

REPEATS = 7
REPEATS_ON_THE_WALL = 21  # where other programs count, it takes more to find a quiet moment
THREADS = (1, 2)
WORDS_AT_A_TIME = 40_000  # of long arguments, fewer pairs are scored at a time
ROOMY = 100  # words in an argument, where mentions are counted: so many need nodes to stand on


@dataclass(frozen=True, slots=True)
class Size:
    """One point: everything but the quantity that is swept is as in the standard setting."""

    K: int = STANDARD_K
    batch: int = STANDARD_BATCH
    scoring_batch: int = SCORING_BATCH
    words: int | None = None  # None: lengths as in GUM
    mentions: int | None = None

    def workload(self, pairs: int) -> Workload:
        return generated_workload(pairs, K=self.K, recipe=Recipe(words=self.words, mentions=self.mentions))


def sizes() -> Iterator[tuple[str, int, Size]]:
    """What is swept, its value, and the point."""
    for K in (20, 35, 50, 75, 100, 150, 200):
        yield "K", K, Size(K=K)
    for batch in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024):
        yield "batch", batch, Size(batch=batch, scoring_batch=batch)
    for words in (5, 10, 20, 50, 100, 200, 500, 1000):
        yield "words", words, Size(words=words, scoring_batch=_scored_at_a_time(words))
    for mentions in (1, 3, 10, 30, 100):
        yield (
            "mentions",
            mentions,
            Size(words=ROOMY, mentions=mentions, scoring_batch=_scored_at_a_time(ROOMY)),
        )


def _scored_at_a_time(words: int) -> int:
    return max(STANDARD_BATCH, min(SCORING_BATCH, WORDS_AT_A_TIME // (2 * words)))


def measure_sweeps(*, report: Report = lambda line: None) -> list[dict[str, Any]]:
    """A point for each size and number of threads: ratios to the floor and pairs a second.

    The floor always has one thread, so that the two curves can be compared.
    """
    points = []
    for over, value, size in sizes():
        report(f"sweep over {over}: {value}")
        pairs = max(size.scoring_batch, size.batch, 4 * STANDARD_BATCH if size.words is None else 0)
        workload = size.workload(pairs)
        training = (
            product_steps(workload, workload.batches(size.batch)),
            training_floor(workload, size.batch),
        )
        scoring = (
            product_scores(workload, workload.batches(size.scoring_batch)),
            scoring_floor(workload, size.scoring_batch),
        )
        for threads in THREADS:
            points.append(
                {
                    "over": over,
                    "value": value,
                    "threads": threads,
                    **_point("training", pairs // size.batch * size.batch, *training, threads=threads),
                    **_point(
                        "scoring", pairs // size.scoring_batch * size.scoring_batch, *scoring, threads=threads
                    ),
                }
            )
    return points


def _point(name: str, pairs: int, product: Step, floor: Step, *, threads: int) -> dict[str, float]:
    seconds = in_turns(
        {"product": product, "floor": floor},
        repeats=REPEATS if threads == 1 else REPEATS_ON_THE_WALL,
        threads={"product": threads, "floor": 1},
    )
    return {
        f"{name}_to_floor": seconds["floor"] / seconds["product"],
        f"{name}_pairs_a_second": pairs / seconds["product"],
    }


def measure_growth(*, report: Report = lambda line: None) -> list[dict[str, Any]]:
    """Seconds and peak memory of one training step, while one quantity doubles again and again."""
    points = []
    for over, value, size in doublings():
        report(f"growth with {over}: {value}")
        workload = size.workload(size.batch)
        step = partial(product_steps, workload, workload.batches(size.batch))
        seconds = in_turns({"product": step()}, repeats=REPEATS)["product"]
        peak = peak_bytes(partial(_made_and_run, step))
        points.append({"over": over, "value": value, "seconds": seconds, "peak_bytes": peak})
    return points


def _made_and_run(made: Callable[[], Step]) -> object:
    return made()()


def doublings() -> Iterator[tuple[str, int, Size]]:
    """What grows, its value, and the point."""
    for pairs in (64, 128, 256, 512, 1024):
        yield "pairs", pairs, Size(words=20, batch=pairs)
    for words in (8, 16, 32, 64, 128, 256, 512, 1024):
        yield "words", words, Size(words=words)
    for mentions in (1, 2, 4, 8, 16, 32, 64, 128):
        yield "mentions", mentions, Size(words=128, mentions=mentions)


if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PICTURES", "check_plots", "draw"]

PICTURES = (".svg", ".png")
OVER = {
    "K": "dimensions K",
    "batch": "pairs in a batch",
    "words": "words in an argument",
    "mentions": "mentions on each side",
}
COLOURS = {"training": "tab:blue", "scoring": "tab:orange"}
LINES = {1: "-", 2: ":"}
GROWING = {"pairs": "pairs in a batch", "words": "words in an argument", "mentions": "mentions on each side"}


def draw(sweeps: Sequence[dict[str, Any]], growth: Sequence[dict[str, Any]], suffix: str) -> bytes:
    """Rows of panels: ratio to the floor, pairs a second, growth of time and memory."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        figure = Figure(figsize=(14, 9.5), layout="constrained")
        panels = figure.subplots(3, len(OVER))
        for column, over in enumerate(OVER):
            points = [point for point in sweeps if point["over"] == over]
            _ratios(panels[0][column], points, over)
            _rates(panels[1][column], points, over)
        for column, over in enumerate(GROWING):
            _growth(panels[2][column], [point for point in growth if point["over"] == over], over)
        panels[0][0].set_ylabel("ratio to the floor")
        panels[1][0].set_ylabel("pairs a second")
        panels[2][0].set_ylabel("times the first point")
        legend = panels[2][-1]
        legend.axis("off")
        steps, growing = (panels[row][0].get_legend_handles_labels() for row in (0, 2))
        legend.add_artist(legend.legend(*steps, loc="upper left", title="rows 1 and 2"))
        legend.legend(*growing, loc="lower left", title="row 3: one training step")
        stream = io.BytesIO()
        plain: dict[str, Any] = {".svg": {"Date": None, "Creator": None}, ".png": {"Software": None}}
        figure.savefig(stream, format=suffix[1:], dpi=DOTS_PER_INCH, metadata=plain[suffix])
    return stream.getvalue()


def _ratios(panel: Axes, points: Sequence[dict[str, Any]], over: str) -> None:
    _curves(panel, points, "to_floor")
    panel.axhline(1, color="grey", linewidth=0.8)
    panel.set(xscale="log", ylim=(0, 1.1), title=OVER[over])
    _ticks(panel, points)


def _rates(panel: Axes, points: Sequence[dict[str, Any]], over: str) -> None:
    _curves(panel, points, "pairs_a_second")
    panel.set(xscale="log", yscale="log", xlabel=OVER[over])
    _ticks(panel, points)


def _curves(panel: Axes, points: Sequence[dict[str, Any]], figure: str) -> None:
    for work, colour in COLOURS.items():
        for threads, line in LINES.items():
            some = [point for point in points if point["threads"] == threads]
            panel.plot(
                [point["value"] for point in some],
                [point[f"{work}_{figure}"] for point in some],
                line,
                color=colour,
                marker=".",
                label=f"{work}, {threads} BLAS thread{'s' if threads > 1 else ''}",
            )


def _growth(panel: Axes, points: Sequence[dict[str, Any]], over: str) -> None:
    values = [point["value"] for point in points]
    panel.plot(values, [value / values[0] for value in values], color="grey", label="doubling doubles")
    for figure, name, colour in (("seconds", "time", "tab:blue"), ("peak_bytes", "peak memory", "tab:green")):
        first = points[0][figure]
        panel.plot(values, [point[figure] / first for point in points], color=colour, marker=".", label=name)
    panel.set(xscale="log", yscale="log", xlabel=GROWING[over])
    _ticks(panel, points)


def _ticks(panel: Axes, points: Sequence[dict[str, Any]]) -> None:
    """The values themselves, thinned where there are many; plain numbers on a logarithmic axis."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    if panel.get_yscale() == "log":
        panel.yaxis.set_major_formatter(FuncFormatter(lambda value, place: f"{value:,g}"))
        panel.yaxis.set_minor_formatter(NullFormatter())
    values = sorted({point["value"] for point in points})
    panel.set_xticks(
        values[:: 1 + len(values) // 7], [str(value) for value in values[:: 1 + len(values) // 7]]
    )
    panel.set_xticks([], minor=True)
