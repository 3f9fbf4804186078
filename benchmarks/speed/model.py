"""Training, scoring and preparation of the paper's model, beside their floors and references."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from benchmarks.speed.data import (
    INSTANCE_LABELS,
    SCORING_BATCH,
    STANDARD_BATCH,
    STANDARD_K,
    Made,
    Workload,
    generate_instances,
)
from benchmarks.speed.floor import Sizes, products_alone, scoring_products, training_products
from benchmarks.speed.measure import Row, Run, in_turns, peak_bytes, resident_bytes, row
from benchmarks.speed.recursive import recursive_gradients
from disco2.data import Instance
from disco2.data.batch import Batch, collate
from disco2.features import FeatureExtractor, FeatureSettings
from disco2.features.examples import UNKNOWN_WORD, ExampleEncoder
from disco2.features.pairs_and_rules import pair_candidates
from disco2.model import ModelSettings, RelationModel
from disco2.model.network import batch_scores
from disco2.model.parameters import Parameters
from disco2.training.loop import Learner, composer_for
from disco2.training.optimiser import AdaGrad
from disco2.training.preparation import word_vectors_for
from disco2.training.settings import TrainingSettings
from disco2.vectors import VectorSettings

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
    settings = TrainingSettings()
    return AdaGrad(
        parameters, rates=settings.rates(), regularisers=settings.regularisers(), clip=settings.clip
    )


def _put_back(kept: Parameters, parameters: Parameters) -> None:
    for name, value in kept.items():
        parameters[name][...] = value


PREPARED = 1024
PREPARED_STEP = "training step"


def measure_preparation(run: Run) -> list[Row]:
    """Relations a second for finding features, for encoding without them, and for collating batches of 64."""
    instances = generate_instances(PREPARED)
    extractor = FeatureExtractor.fit(instances)
    vectors = word_vectors_for(instances, VectorSettings(), STANDARD_K, seed=1, sentences=())
    model = RelationModel(ModelSettings(K=STANDARD_K), INSTANCE_LABELS, vectors, extractor, {})
    rows = _rows(run, run.generated, model, instances)
    if run.gum:
        rows += _rows(run, run.gum.workload, run.gum.untrained, run.gum.instances[:PREPARED])
    return rows


def _rows(run: Run, workload: Workload, model: RelationModel, instances: Sequence[Instance]) -> list[Row]:
    extractor = model.extractor
    assert extractor is not None
    examples = [one.example for one in workload.made[:PREPARED]]

    def find_features() -> object:
        return extractor.transform(instances)

    def word_row(form: str) -> int:
        row = model.vectors.row(form)
        return UNKNOWN_WORD if row is None else row + 1

    def encode() -> object:
        # A new encoder has seen no word yet.
        encoder = ExampleEncoder(word_row=word_row, labels=model.labels, extractor=None, with_entities=True)
        return encoder.encode(instances)

    def collate_all() -> object:
        return [
            collate(examples[begin : begin + STANDARD_BATCH]) for begin in range(0, PREPARED, STANDARD_BATCH)
        ]

    step = product_steps(workload, workload.batches(STANDARD_BATCH)[: PREPARED // STANDARD_BATCH])
    found = []
    for name, work in (
        ("feature extraction", find_features),
        ("encoding, features apart", encode),
        ("collating batches", collate_all),
    ):
        seconds = in_turns({"product": work, PREPARED_STEP: step}, repeats=2 * run.slow_repeats)
        title = f"{name}, {workload.name}"
        found.append(row(title, "relations", count=PREPARED, seconds=seconds, peak=peak_bytes(work)))
    return found


SELECTED = 17_000
ALONE = f"""
from benchmarks.speed.data import generate_instances
from disco2.features import FeatureExtractor
FeatureExtractor.fit(generate_instances({SELECTED}))
"""


def measure_selection(run: Run) -> list[Row]:
    """Relations a second for all of ``FeatureExtractor.fit``; the peak is that of a whole process.

    To count pairs they must be brought together: the reference sorts the pairs of words (of any frequency)
    that the relations have, each already a number, and does nothing else.
    """
    instances = generate_instances(SELECTED)
    pairs = word_pairs(instances)
    seconds = in_turns(
        {
            "product": lambda: FeatureExtractor.fit(instances),
            "one sort of the word pairs": lambda: np.sort(pairs),
        },
        repeats=run.slow_repeats,
    )
    least = FeatureSettings().minimum_count
    facts = {
        "relations": SELECTED,
        "word_pairs": len(pairs),
        "candidates": len(pair_candidates(instances, minimum_count=least)[0]),
        "seconds": seconds["product"],
    }
    return [
        row(
            f"feature selection, {facts['candidates']:,} word-pair candidates",
            "relations",
            count=SELECTED,
            seconds=seconds,
            peak=resident_bytes(ALONE),
            facts=facts,
        )
    ]


def word_pairs(instances: Sequence[Instance]) -> NDArray[np.int64]:
    """Every pair of different words of every relation as one number, words numbered as they come."""
    numbers: dict[str, int] = {}
    found = []
    for instance in instances:
        first, second = (
            np.array(
                [
                    numbers.setdefault(word, len(numbers))
                    for word in sorted(set(instance.document.words(argument.tokens)))
                ]
            )
            for argument in (instance.relation.arg1, instance.relation.arg2)
        )
        found.append(np.add.outer(first << 32, second).ravel())
    return np.concatenate(found)
