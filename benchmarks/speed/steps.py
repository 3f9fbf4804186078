"""The steps that are compared, each as a function without arguments over given relations.

All update the same parameters by the product's AdaGrad once for a batch. Before each run they are put back to
where they were, so that every repeat meets the same margins.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from benchmarks.speed import autograd
from benchmarks.speed.made import Made
from benchmarks.speed.workload import Workload
from disco2.data.batch import Batch, Example, collate
from disco2.model.network import batch_scores
from disco2.model.parameters import Parameters
from disco2.model.relation_model import BATCH_SIZE
from disco2.training.loop import Learner
from disco2.training.optimiser import AdaGrad, fastest_arithmetic
from disco2.training.settings import TrainingSettings
from tests.model.recursive_gradient import recursive_gradients

Step = Callable[[], object]


def product_steps(workload: Workload, batches: Sequence[Batch]) -> Step:
    """The product: forward, loss, backward, AdaGrad, running mean."""
    parameters = workload.fresh_parameters()
    learner = Learner(workload.settings, parameters, workload.vectors, TrainingSettings())

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


def autograd_step(workload: Workload, made: Sequence[Made], *, levels: bool) -> Step:
    """PyTorch, node by node or level by level, on one batch."""
    parameters = workload.fresh_parameters()
    optimiser = adagrad(parameters)
    gradients_of = autograd.by_levels if levels else autograd.node_by_node
    gradients = gradients_of(workload.settings, parameters, workload.vectors, made)

    def run() -> None:
        _put_back(workload.parameters, parameters)
        optimiser.step(gradients()[1])

    return run


def product_scores(workload: Workload, batches: Sequence[Batch]) -> Step:
    """The product's scores of prepared batches."""

    def run() -> None:
        for batch in batches:
            batch_scores(workload.settings, workload.parameters, workload.vectors, batch)

    return run


def collated_scores(workload: Workload, examples: Sequence[Example]) -> Step:
    """The product's scores of examples that are collated on the way."""

    def run() -> None:
        for begin in range(0, len(examples), BATCH_SIZE):
            batch = collate(examples[begin : begin + BATCH_SIZE])
            batch_scores(workload.settings, workload.parameters, workload.vectors, batch)

    return run


def adagrad(parameters: Parameters) -> AdaGrad:
    """The optimiser as the product's defaults have it."""
    settings = TrainingSettings()
    return AdaGrad(
        parameters,
        rates=settings.rates(),
        regularisers=settings.regularisers(),
        clip=settings.clip,
        arithmetic=fastest_arithmetic(parameters),
    )


def _put_back(kept: Parameters, parameters: Parameters) -> None:
    for name, value in kept.items():
        parameters[name][...] = value
