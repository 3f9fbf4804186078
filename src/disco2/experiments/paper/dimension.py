"""The paper's figure: accuracy of the full model over the number of latent dimensions."""

from __future__ import annotations

from disco2.experiments.paper.bench import Bench, Experiment, Results
from disco2.experiments.paper.measuring import measure, stacked
from disco2.experiments.paper.multiclass import FULL
from disco2.experiments.paper.published import DIMENSION_RANGE, SOURCE, is_papers_corpus
from disco2.experiments.runs.plan import RunPlan
from disco2.reporting.figures import check_plots
from disco2.reporting.findings import Findings, LineFigure, Series, Table

DIMENSIONS = (20, 30, 40, 50, 60)


def _plans_with(bench: Bench, K: int) -> list[RunPlan]:
    return bench.plans(FULL, changes={"model.K": K})


def _plans(bench: Bench) -> list[RunPlan]:
    return [plan for K in DIMENSIONS for plan in _plans_with(bench, K)]


def _findings(bench: Bench, results: Results) -> Findings:
    runs = {K: [results(plan) for plan in _plans_with(bench, K)] for K in DIMENSIONS}
    figures = {
        part: [(K, measure(stacked(run.answers[part] for run in some))) for K, some in runs.items()]
        for part in ("dev", "test")
    }
    series = [
        Series(part, tuple((float(K), found) for K, found in points if found))
        for part, points in figures.items()
        if any(found for _, found in points)
    ]
    table = Table(
        name="dimension",
        title="Accuracy of the full model over the number of dimensions",
        columns=("K", *figures),
        rows=tuple(
            (str(K), *(points[place][1] for points in figures.values())) for place, K in enumerate(runs)
        ),
    )
    words = [f"{FULL.name}, {len(bench.seeds)} seeds; bars are 95% intervals over relations."]
    if is_papers_corpus(bench, "lin"):
        low, high = DIMENSION_RANGE
        words.append(f"The paper's accuracies lie between {low} and {high}. {SOURCE}")
    return Findings(
        name="dimension",
        title="How many dimensions",
        words=tuple(words),
        tables=(table,),
        figures=(
            LineFigure(
                "dimension", "Accuracy over dimensions", "dimensions K", "accuracy (%)", tuple(series)
            ),
        ),
    )


DIMENSION = Experiment("dimension", _plans, _findings, check_plots)
