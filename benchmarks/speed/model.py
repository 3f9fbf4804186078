"""Training and scoring with the paper's model, beside their floors and references."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from benchmarks.speed.data import SCORING_BATCH, STANDARD_BATCH, Made, Workload
from benchmarks.speed.floor import Product, Sizes, matrix_products, scoring_products, training_products
from benchmarks.speed.measure import SLOW_REPEATS, Row, Run, in_turns, peak_bytes, row
from disco2.data.batch import Batch
from disco2.model import ModelSettings
from disco2.model.network import batch_scores
from disco2.model.parameters import Parameters
from disco2.training.loop import AdaGrad, Learner, TrainingSettings, composer_for
from tests.model.recursive_gradient import recursive_gradients

Step = Callable[[], object]

STEP = "training step, generated"
FIRST_STEP = f"{STEP}, one batch, first step"
MIDWAY = f"{STEP}, one batch, midway"

FLOOR = "floor"
RECURSIVE = "recursive"
ONE_PASS = "recursive, one pass back"  # noqa: S105  not that kind of pass


def measure_training(run: Run) -> list[Row]:
    """Pairs a second of whole steps in batches of 64.

    Against the floor over all batches; against implementations that take seconds, over the first batch: in
    the first step of a training, when all labels violate the margin, and in its midst, when a few do.
    """
    rows = [
        _against_floor(run, workload, "training step", STANDARD_BATCH, product_steps, training_products)
        for workload in run.workloads
    ]
    rows.append(against_others(run, run.generated.at_the_start(), FIRST_STEP))
    rows.append(against_others(run, run.generated, MIDWAY))
    return rows


def _against_floor(
    run: Run,
    workload: Workload,
    name: str,
    size: int,
    product: Callable[[Workload, Sequence[Batch]], Step],
    products: Callable[[Sizes, ModelSettings], list[Product]],
) -> Row:
    batches = workload.batches(size)
    steps = {"product": product(workload, batches), FLOOR: matrix_products(workload, size, products)}
    return row(
        f"{name}, {workload.name}",
        "pairs",
        count=len(batches) * size,
        seconds=in_turns(steps, repeats=run.repeats),
        peak=None if run.quick else peak_bytes(lambda: product(workload, batches[:1])()),
    )


def against_others(run: Run, workload: Workload, name: str) -> Row:
    some = workload.made[:STANDARD_BATCH]
    steps: dict[str, Step] = {
        "product": product_steps(workload, workload.batches(STANDARD_BATCH)[:1]),
        RECURSIVE: recursive_step(workload, some, one_pass=False),
        ONE_PASS: recursive_step(workload, some, one_pass=True),
    }
    return row(name, "pairs", count=STANDARD_BATCH, seconds=in_turns(steps, repeats=SLOW_REPEATS))


SCORING = "scoring, generated"


def measure_scoring(run: Run) -> list[Row]:
    """Pairs a second in batches of 1,024."""
    return [
        _against_floor(run, workload, "scoring", SCORING_BATCH, product_scores, scoring_products)
        for workload in run.workloads
    ]


def product_steps(workload: Workload, batches: Sequence[Batch]) -> Step:
    """The product: forward, loss, backward, AdaGrad, running mean."""
    parameters = workload.fresh_parameters()
    composer = composer_for(workload.settings, workload.vectors, parameters)
    learner = Learner(workload.settings, parameters, workload.vectors, TrainingSettings(), composer)

    def run() -> None:
        _put_back(workload.parameters, parameters)
        for batch in batches:
            learner.step(batch)

    return run


def recursive_step(workload: Workload, made: Sequence[Made], *, one_pass: bool) -> Step:
    """The plain implementation, one node at a time, on one batch."""
    parameters = workload.fresh_parameters()
    optimiser = AdaGrad(parameters, TrainingSettings())

    def run() -> None:
        _put_back(workload.parameters, parameters)
        _, gradients = recursive_gradients(
            workload.settings, parameters, workload.vectors, made, one_pass=one_pass
        )
        optimiser.step(gradients)

    return run


def product_scores(workload: Workload, batches: Sequence[Batch]) -> Step:
    """The product's scores of prepared batches."""

    def run() -> None:
        for batch in batches:
            batch_scores(workload.settings, workload.parameters, workload.vectors, batch)

    return run


def _put_back(kept: Parameters, parameters: Parameters) -> None:
    for name, value in kept.items():
        parameters[name][...] = value
