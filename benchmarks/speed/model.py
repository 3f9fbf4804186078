"""Training and scoring with the paper's model, beside their floors and references."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from benchmarks.speed.data import SCORING_BATCH, STANDARD_BATCH, Made, Workload
from benchmarks.speed.floor import Sizes, products_alone, scoring_products, training_products
from benchmarks.speed.measure import Row, Run, in_turns, peak_bytes, row
from disco2.data.batch import Batch
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
    rows = [_training_against_floor(run, workload) for workload in run.workloads]
    rows.append(against_others(run, run.generated.at_the_start(), FIRST_STEP))
    rows.append(against_others(run, run.generated, MIDWAY))
    return rows


def _training_against_floor(run: Run, workload: Workload) -> Row:
    batches = workload.batches(STANDARD_BATCH)
    steps = {"product": product_steps(workload, batches), FLOOR: training_floor(workload, STANDARD_BATCH)}
    return row(
        f"training step, {workload.name}",
        "pairs",
        count=len(batches) * STANDARD_BATCH,
        seconds=in_turns(steps, repeats=run.repeats),
        peak=None if run.quick else peak_bytes(lambda: product_steps(workload, batches[:1])()),
    )


def against_others(run: Run, workload: Workload, name: str) -> Row:
    some = workload.made[:STANDARD_BATCH]
    steps: dict[str, Step] = {
        "product": product_steps(workload, workload.batches(STANDARD_BATCH)[:1]),
        RECURSIVE: recursive_step(workload, some, one_pass=False),
        ONE_PASS: recursive_step(workload, some, one_pass=True),
    }
    return row(name, "pairs", count=STANDARD_BATCH, seconds=in_turns(steps, repeats=run.slow_repeats))


def training_floor(workload: Workload, batch: int) -> Step:
    """The matrix products of the steps over all batches."""
    return products_alone(
        [training_products(sizes, workload.settings) for sizes in Sizes.of_batches(workload, batch)]
    )


SCORING = "scoring, generated"


def measure_scoring(run: Run) -> list[Row]:
    """Pairs a second in batches of 1,024."""
    return [_scoring_against_floor(run, workload) for workload in run.workloads]


def _scoring_against_floor(run: Run, workload: Workload) -> Row:
    batches = workload.batches(SCORING_BATCH)
    steps = {"product": product_scores(workload, batches), FLOOR: scoring_floor(workload, SCORING_BATCH)}
    return row(
        f"scoring, {workload.name}",
        "pairs",
        count=len(batches) * SCORING_BATCH,
        seconds=in_turns(steps, repeats=run.repeats),
        peak=None if run.quick else peak_bytes(lambda: product_scores(workload, batches[:1])()),
    )


def scoring_floor(workload: Workload, batch: int) -> Step:
    """The matrix products of scoring all batches."""
    return products_alone(
        [scoring_products(sizes, workload.settings) for sizes in Sizes.of_batches(workload, batch)]
    )


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
    optimiser = adagrad(parameters)

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


def adagrad(parameters: Parameters) -> AdaGrad:
    """The optimiser as the product's defaults have it."""
    return AdaGrad(parameters, TrainingSettings())


def _put_back(kept: Parameters, parameters: Parameters) -> None:
    for name, value in kept.items():
        parameters[name][...] = value
