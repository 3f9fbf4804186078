"""Scoring prepared batches, beside the matrix products that are left once the vocabulary went through U."""

from __future__ import annotations

from benchmarks.speed.floor import Sizes, in_blocks, looked_up, products_alone, scoring_products
from benchmarks.speed.memory import peak_bytes
from benchmarks.speed.rows import Row, row
from benchmarks.speed.run import Run
from benchmarks.speed.steps import Step, collated_scores, product_scores
from benchmarks.speed.timing import in_turns
from benchmarks.speed.training_step import FLOOR, IN_BLOCKS, LOOKED_UP
from benchmarks.speed.workload import SCORING_BATCH, Workload

SCORING = "scoring, generated"


def measure_scoring(run: Run) -> list[Row]:
    """Pairs a second in batches of 1,024, and with collating, which a program that scores can't avoid."""
    rows = [against_floor(run, workload) for workload in run.workloads]
    if not run.quick:
        rows += [with_collating(run, workload) for workload in run.workloads]
    return rows


def against_floor(run: Run, workload: Workload) -> Row:
    batches = workload.batches(SCORING_BATCH)
    steps = {
        "product": product_scores(workload, batches),
        FLOOR: scoring_floor(workload, SCORING_BATCH),
        **lower_floors(workload, SCORING_BATCH),
    }
    return row(
        f"scoring, {workload.name}",
        "pairs",
        count=len(batches) * SCORING_BATCH,
        seconds=in_turns(steps, repeats=run.repeats),
        peak=None if run.quick else peak_bytes(lambda: product_scores(workload, batches[:1])()),
    )


def with_collating(run: Run, workload: Workload) -> Row:
    """From encoded examples, in the batches that the product makes of them."""
    examples = [one.example for one in workload.made]
    works = {"product": collated_scores(workload, examples)}
    name = f"collating and scoring, {workload.name}"
    return row(name, "pairs", count=len(examples), seconds=in_turns(works, repeats=run.repeats))


def scoring_floor(workload: Workload, batch: int) -> Step:
    """The matrix products of scoring all batches."""
    return products_alone(
        [scoring_products(sizes, workload.settings) for sizes in Sizes.of_batches(workload, batch)]
    )


def lower_floors(workload: Workload, batch: int) -> dict[str, Step]:
    """Two lower ones."""
    sizes = Sizes.of_batches(workload, batch)
    products = [scoring_products(one, workload.settings) for one in sizes]
    pairs = zip(products, sizes, strict=True)
    return {
        LOOKED_UP: products_alone([looked_up(some, one, workload.settings) for some, one in pairs]),
        IN_BLOCKS: products_alone([in_blocks(some) for some in products]),
    }
