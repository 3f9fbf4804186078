"""A corpus under a task and a protocol -> labelled instances by part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from disco2.corpora.protocols import split_relations
from disco2.corpora.task import Task
from disco2.experiments.configuration import Configuration
from disco2.records import Corpus, Instance, Relation


@dataclass(frozen=True)
class Parts:
    """A corpus under a task and a protocol: labelled instances by part, and what was left out of each."""

    task: Task
    protocol: str
    labels: tuple[str, ...]
    relations: dict[str, list[Relation]]
    instances: dict[str, list[Instance]]
    dropped: dict[str, Counter[str]]


def divide(
    corpus: Corpus, configuration: Configuration, *, task: Task | None = None, labels: Sequence[str] = ()
) -> Parts:
    """Split a corpus and label its relations.

    Task and protocol are the configured ones; a trained model brings its own task and labels. Otherwise the
    training part says which labels are frequent enough.
    """
    task = task or configuration.task.task(corpus.name)
    protocol = configuration.task.protocol_for(corpus.name)
    split = split_relations(corpus, protocol, seed=configuration.training.seed)
    chosen = tuple(labels) or task.label_set(split["train"])
    instances: dict[str, list[Instance]] = {}
    dropped: dict[str, Counter[str]] = {}
    for part, relations in split.items():
        instances[part], dropped[part] = task.instances(corpus, relations, chosen)
    return Parts(task, protocol, chosen, split, instances, dropped)
