"""Labelled relations -> a trained model, and what a bundle says of it: as ``disco2 train`` does it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from disco2.annotation.annotator import Layer
from disco2.corpora.tasks import Task
from disco2.data import WITHOUT_SENSE, Corpus, Instance, RelationKind
from disco2.experiments.bundle_record import BundleRecord, record_of
from disco2.experiments.configuration import Configuration
from disco2.experiments.division import Parts
from disco2.experiments.train_run import train_model
from disco2.model.runaway import check_finite
from disco2.training.fit import Fitted

PAIRS, RELATIONS = "pairs", "relations"  # what a bundle says it was trained on


def labelled(
    instances: Sequence[Instance], labels: Sequence[str], weights: NDArray[np.float64] | None = None
) -> list[Instance]:
    """Instances with these labels alone; what they weigh counts on top of what they weighed before.

    A relation that is said to have no sense is of that kind: so probabilities are fitted as for a corpus.
    """
    given = np.ones(len(instances)) if weights is None else weights
    found = []
    for instance, label, weight in zip(instances, labels, given.tolist(), strict=True):
        relation = instance.relation
        if label in WITHOUT_SENSE and relation.kind != label:
            relation = replace(relation, kind=RelationKind(label))
        elif label not in WITHOUT_SENSE and relation.kind in WITHOUT_SENSE:
            relation = replace(relation, kind=RelationKind.IMPLICIT)
        weighed = instance.weight * weight
        found.append(replace(instance, relation=relation, gold=(label,), weight=weighed))
    return found


def learn(
    training: Sequence[Instance],
    development: Sequence[Instance],
    *,
    labels: tuple[str, ...],
    configuration: Configuration,
    annotators: str,
) -> tuple[Fitted, BundleRecord]:
    """Train, stopping by the development part, or by a share of the training part where it is empty.

    ``annotators`` is who made the layers, where that is known.
    """
    documents = {id(one.document): one.document for one in (*training, *development)}  # pairs share an id
    corpus = Corpus(
        PAIRS if annotators else RELATIONS,
        inventory="free",
        documents={str(number): document for number, document in enumerate(documents.values())},
        relations=tuple(one.relation for one in (*training, *development)),
        automatic=tuple(layer.value for layer in Layer) if annotators else (),
        annotators=annotators,
    )
    instances = {"train": list(training), "dev": list(development)}
    parts = Parts(
        Task(PAIRS, level=0, labels=labels, minimum=1),  # labels are whole, whatever they look like
        protocol="own",
        labels=labels,
        relations={part: [one.relation for one in some] for part, some in instances.items()},
        instances=instances,
        dropped={},
    )
    fitted = train_model(corpus, parts, configuration)
    check_finite(fitted.model.parameters)
    return fitted, record_of(fitted, parts, configuration, corpus)
