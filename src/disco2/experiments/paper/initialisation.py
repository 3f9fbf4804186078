"""What zero initialisation of the low-rank factors does, as the paper prints it.

The gradient of ``u' a1 a2' v`` by a1 is a multiple of a2, and the other way round: where both start at zero,
both stay there, and only the diagonals of the matrices are learned.
"""

from __future__ import annotations

import numpy as np

from disco2.experiments.paper.bench import Bench, Experiment, Results
from disco2.experiments.paper.measuring import measure, stacked
from disco2.experiments.paper.multiclass import FULL, comparison_table
from disco2.experiments.runs.plan import RunPlan
from disco2.experiments.runs.result import RunResult
from disco2.model.settings import INITIALISATIONS
from disco2.reporting.findings import Findings, Table

FACTORS = ("A1", "A2", "B1", "B2")
DIAGONALS = ("A3", "B3")


def _plans_from(bench: Bench, initialisation: str) -> list[RunPlan]:
    return bench.plans(FULL, changes={"model.initialisation": initialisation})


def _plans(bench: Bench) -> list[RunPlan]:
    return [plan for start in INITIALISATIONS for plan in _plans_from(bench, start)]


def _findings(bench: Bench, results: Results) -> Findings:
    runs = {start: [results(plan) for plan in _plans_from(bench, start)] for start in INITIALISATIONS}
    rows = tuple(
        (
            start,
            *(measure(stacked(run.answers[part] for run in some)) for part in ("dev", "test")),
            _norm(some, FACTORS),
            _norm(some, DIAGONALS),
        )
        for start, some in runs.items()
    )
    table = Table(
        name="initialisation",
        title="Start of the low-rank factors",
        columns=("factors start", "dev", "test", "norm of the factors", "norm of the diagonals"),
        rows=rows,
        notes=("Norms are Frobenius norms after training, over A and B of all labels, mean over seeds.",),
    )
    test = {start: [run.answers["test"] for run in some] for start, some in runs.items()}
    return Findings(
        name="initialisation",
        title="Zero initialisation",
        words=(
            "Factors that start at zero have a zero gradient and stay there: what is learned is the diagonal "
            f"alone. {FULL.name}, {len(bench.seeds)} seeds.",
        ),
        tables=(table, comparison_table("initialisation-tests", (("random", "zero"),), test)),
    )


def _norm(runs: list[RunResult], names: tuple[str, ...]) -> str:
    """The norm of some parameters together, mean over seeds."""
    norms = [np.linalg.norm([run.notes["norms"].get(name, 0.0) for name in names]) for run in runs]
    return f"{np.mean(norms):.3f}"


INITIALISATION = Experiment("initialisation", _plans, _findings)
