"""What automatic layers cost: the same model trained and tested on a corpus's own layers and on others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from disco2.data import Corpus, Instance
from disco2.errors import CorpusError
from disco2.evaluation.scores import hits
from disco2.experiments.configuration import Configuration
from disco2.experiments.division import divide
from disco2.experiments.paper.measuring import measure
from disco2.experiments.running_text import across_sentences, as_running_text
from disco2.experiments.runs.result import Right
from disco2.experiments.train_run import train_model
from disco2.model import AnyModel
from disco2.reporting.findings import Findings, Table

PARTS = ("dev", "test")
# The settings of a model for running text and given arguments. It can't know relations around a pair.
RUNNING_TEXT = ("task.outcomes=running-text", "task.whole_sentences=true", "features.context=false")


@dataclass(frozen=True)
class LayerAnswers:
    """Which answers of one model are right: a flag for each relation.

    ``senses``: arguments given, the label chosen among senses, on all relations that have one; ``across``:
    those of them whose arguments share no sentence, which are harder. ``running_text``: all outcomes, between
    two neighbouring sentences, which are the arguments as a whole.
    """

    senses: Right
    across: Right
    running_text: Right


@dataclass(frozen=True)
class LayersResult:
    """The answers of every seed, by part."""

    layers: str
    answers: dict[str, list[LayerAnswers]]


MEASURES = {
    "senses": "given arguments",
    "across": "those across sentences",
    "running_text": "running text, all outcomes",
}


def layers_findings(corpus: Corpus, results: Sequence[LayersResult], *, seeds: int) -> Findings:
    """Accuracy on either layers, part by part."""
    rows = [
        (one.layers, part, *(measure(np.array([getattr(seed, name) for seed in given])) for name in MEASURES))
        for one in results
        for part, given in one.answers.items()
    ]
    return Findings(
        name="layers",
        title="What automatic layers cost",
        words=(f"{corpus.name}: accuracy, mean and deviation over seeds 1 to {seeds}, 95% intervals.",),
        tables=(Table("layers", "Accuracy by layers", ("layers", "part", *MEASURES.values()), tuple(rows)),),
    )


def compare_layers(
    corpora: Mapping[str, Corpus],
    configuration: Configuration,
    *,
    seeds: Sequence[int],
    progress: Callable[[str, int], None] = lambda layers, seed: None,
) -> list[LayersResult]:
    """Train the configured model on each version of a corpus, with every seed."""
    results = []
    for name, corpus in corpora.items():
        parts = divide(corpus, configuration)
        if not parts.instances["test"]:
            raise CorpusError("There is no labelled relation to test on.", where=corpus.name)
        answers: dict[str, list[LayerAnswers]] = {part: [] for part in PARTS}
        for seed in seeds:
            progress(name, seed)
            model = train_model(corpus, parts, configuration.changed({"training.seed": seed})).model
            for part in PARTS:
                answers[part].append(right_answers(model, parts.instances[part]))
        results.append(LayersResult(name, answers))
    return results


def right_answers(model: AnyModel, instances: Sequence[Instance]) -> LayerAnswers:
    """Let a model answer relations whose labels are known."""
    with_sense = [one for one in instances if one.has_sense]
    senses = model.is_sense.nonzero()[0]
    return LayerAnswers(
        _right(model, with_sense, senses),
        _right(model, across_sentences(with_sense), senses),
        _right(model, as_running_text(instances), np.arange(len(model.labels))),
    )


def _right(model: AnyModel, instances: Sequence[Instance], allowed: NDArray[np.intp]) -> Right:
    best = model.scores(instances)[:, allowed].argmax(axis=1)
    return hits([one.gold for one in instances], [model.labels[number] for number in allowed[best]])
