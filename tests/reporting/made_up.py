"""Made-up findings with everything in them."""

from __future__ import annotations

from disco2.experiments.bench import published
from disco2.reporting.findings import (
    Difference,
    Findings,
    LineFigure,
    MapFigure,
    Measure,
    PlacedWord,
    PValue,
    Series,
    Table,
)

LADDER = Table(
    name="ladder",
    title="Accuracy, dev & test",
    columns=("model", "features", "K", "test", "paper"),
    rows=(
        ("most common", "no", None, Measure(0.25, None, (0.219, 0.281), 565), published(26.03)),
        ("someone else's", "yes", None, None, published(40.2)),
        ("full_model", "yes", 1000, Measure(0.472, 0.009, (0.435, 0.509), 565), published(43.5)),
    ),
    notes=("Better than the most common class.",),
)
TESTS = Table(
    name="tests",
    title="Differences",
    columns=("first − second", "difference", "p"),  # noqa: RUF001
    rows=(
        ("a − b", Difference(0.004, (-0.012, 0.02)), PValue(0.65)),  # noqa: RUF001
        ("b − c", Difference(-0.053, (-0.08, -0.027)), PValue(0.00001)),  # noqa: RUF001
    ),
)
LINES = LineFigure(
    name="lines",
    title="Accuracy over $K$ and $L",
    x_label="dimensions K",
    y_label="accuracy (%)",
    series=(
        Series("dev", tuple((float(x), Measure(0.4 + x / 1000, 0.01, (0.38, 0.48))) for x in (20, 30, 40))),
        Series("test <b>", tuple((float(x), Measure(0.42, 0.01, (0.4, 0.45))) for x in (20, 30, 40))),
    ),
)
MAP = MapFigure(
    name="map",
    title="Words",
    words=(
        PlacedWord("he", 0.0, 0.0, "pronouns"),
        PlacedWord("she", 0.1, 0.0, "pronouns"),
        PlacedWord("but", 5.0, 5.0, "connectives"),
        PlacedWord("$house$", 3.0, -2.0),
        PlacedWord("中", -3.0, 2.0),
    ),
)
EVERYTHING = Findings(
    name="everything",
    title="Everything <at once>",
    words=("A first paragraph.", "A second one, with 5 < 6 & 7."),
    tables=(LADDER, TESTS),
    figures=(LINES, MAP),
    data={"seeds": [1, 2]},
)
