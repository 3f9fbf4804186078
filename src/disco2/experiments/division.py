"""A corpus under a task and a protocol -> labelled instances by part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from disco2.corpora.protocols import split_relations
from disco2.corpora.task import Task
from disco2.errors import SettingsError
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

    @property
    def score_name(self) -> str:
        """What training stops by: F1 where one class is told from the rest, else accuracy."""
        return "f1" if self.task.versus else "accuracy"


def divide(
    corpus: Corpus, configuration: Configuration, *, task: Task | None = None, labels: Sequence[str] = ()
) -> Parts:
    """Split a corpus and label its relations.

    Task and protocol are the configured ones; a trained model brings its own task and labels. Otherwise the
    training part says which labels are frequent enough.
    """
    task = task or configuration.task.task(corpus.name, corpus.inventory)
    protocol = configuration.task.protocol_for(corpus.name)
    split = split_relations(corpus, protocol, seed=configuration.task.folds)
    chosen = tuple(labels) or task.label_set(split["train"])
    if not labels and not task.versus:
        _check_asked_for(configuration.task.labels, task, split["train"])
    instances: dict[str, list[Instance]] = {}
    dropped: dict[str, Counter[str]] = {}
    for part, relations in split.items():
        instances[part], dropped[part] = task.instances(corpus, relations, chosen)
    return Parts(task, protocol, chosen, split, instances, dropped)


def _check_asked_for(labels: Sequence[str], task: Task, training: Sequence[Relation]) -> None:
    """Raise SettingsError where the user asks for a label that no training relation has."""
    known = {label for relation in training for label in task.labels_of(relation)} if labels else set()
    for label in labels:
        if label not in known:
            raise SettingsError(
                f"No training relation has the label '{label}'.",
                where="task.labels",
                hint=f"Labels at level {task.level}: {', '.join(sorted(known)) or 'none'}.",
            )
