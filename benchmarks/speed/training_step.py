"""A full training step, beside the matrix products in it and beside what others would write."""

from __future__ import annotations

from benchmarks.speed import autograd
from benchmarks.speed.floor import (
    Sizes,
    feature_products,
    in_blocks,
    looked_up,
    products_alone,
    training_products,
)
from benchmarks.speed.memory import peak_bytes
from benchmarks.speed.rows import Beside, Row, row
from benchmarks.speed.run import Run
from benchmarks.speed.steps import Step, autograd_step, product_steps, recursive_step
from benchmarks.speed.timing import in_turns
from benchmarks.speed.workload import STANDARD_BATCH, Workload

STEP = "training step, generated"
FIRST_STEP = f"{STEP}, one batch, first step"
MIDWAY = f"{STEP}, one batch, midway"

FLOOR = "floor"
LOOKED_UP, IN_BLOCKS = "floor, siblings looked up", "floor, in blocks"
DENSE_FLOOR = "floor with dense features"
RECURSIVE = "recursive"
ONE_PASS = "recursive, one pass back"  # noqa: S105  not that kind of pass
NODES, LEVELS = "autograd, node by node", "autograd, by levels"


def measure_training(run: Run) -> list[Row]:
    """Pairs a second of whole steps in batches of 64.

    Against the floor over all batches; against implementations that take seconds, over the first batch: in
    the first step of a training, when all labels violate the margin, and in its midst, when a few do.
    """
    rows = [against_floor(run, workload) for workload in run.workloads]
    rows.append(against_others(run, run.generated.at_the_start(), FIRST_STEP))
    rows.append(against_others(run, run.generated, MIDWAY))
    return rows


def against_floor(run: Run, workload: Workload) -> Row:
    batches = workload.batches(STANDARD_BATCH)
    steps = {
        "product": product_steps(workload, batches),
        FLOOR: training_floor(workload, STANDARD_BATCH),
        **other_floors(workload, STANDARD_BATCH),
    }
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
    absent: list[Beside] = []
    if not run.quick:
        for other, levels in ((NODES, False), (LEVELS, True)):
            if autograd.is_installed():
                steps[other] = autograd_step(workload, some, levels=levels)
            else:
                absent.append(Beside(other, note=autograd.ABSENT))
    return row(
        name,
        "pairs",
        count=STANDARD_BATCH,
        seconds=in_turns(steps, repeats=run.slow_repeats),
        absent=absent,
    )


def training_floor(workload: Workload, batch: int) -> Step:
    """The matrix products of the steps over all batches."""
    return products_alone(
        [training_products(sizes, workload.settings) for sizes in Sizes.of_batches(workload, batch)]
    )


def other_floors(workload: Workload, batch: int) -> dict[str, Step]:
    """Two lower ones, and a higher one."""
    sizes = Sizes.of_batches(workload, batch)
    products = [training_products(one, workload.settings) for one in sizes]
    pairs = list(zip(products, sizes, strict=True))
    return {
        LOOKED_UP: products_alone([looked_up(some, one, workload.settings) for some, one in pairs]),
        IN_BLOCKS: products_alone([in_blocks(some) for some in products]),
        DENSE_FLOOR: products_alone([some + feature_products(one, gradients=True) for some, one in pairs]),
    }
