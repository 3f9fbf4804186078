"""A corpus under a task and a protocol -> labelled instances by part, and what other corpora add to train."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from disco2.corpora.protocols import document_parts, split_relations
from disco2.corpora.tasks import DataSettings, Task
from disco2.data import Corpus, Instance, Relation
from disco2.errors import SettingsError
from disco2.experiments.configuration import Configuration
from disco2.experiments.mixture import Further, Source, choose_further, held_out_sentences, sample


@dataclass(frozen=True)
class Parts:
    """A corpus under a task and a protocol: labelled instances by part, and what was left out of each."""

    task: Task
    protocol: str
    labels: tuple[str, ...]
    relations: dict[str, list[Relation]]
    instances: dict[str, list[Instance]]
    dropped: dict[str, Counter[str]]
    further: tuple[Further, ...] = ()  # training relations of other corpora

    def further_instances(self) -> list[Instance]:
        return [one for further in self.further for one in further.instances(self.task, self.labels)]

    def further_development(self) -> list[list[Instance]]:
        """The dev parts of the other corpora."""
        return [further.development(self.task, self.labels) for further in self.further]

    @property
    def score_name(self) -> str:
        """What training stops by: F1 where one class is told from the rest, else accuracy."""
        return "f1" if self.task.versus else "accuracy"


def divide(
    corpus: Corpus,
    configuration: Configuration,
    *,
    task: Task | None = None,
    labels: Sequence[str] = (),
    sources: Sequence[Source] = (),
) -> Parts:
    """Split a corpus and label its relations.

    Task and protocol are the configured ones; a trained model brings its own task and labels. Otherwise the
    training part says which labels are frequent enough. ``sources`` are other corpora to train on.
    """
    task = task or configuration.task.task(corpus.name, corpus.inventory)
    protocol = configuration.task.protocol_for(corpus.name)
    split = split_relations(corpus, protocol, seed=configuration.task.folds)
    chosen = tuple(labels) or task.label_set(split["train"])
    if configuration.task.labels and not labels and not task.versus:
        known = {label for relation in split["train"] for label in task.labels_of(relation)}
        known.update(label for source in sources for label in source.labels(task))
        _check_asked_for(configuration.task.labels, known, task)
    instances: dict[str, list[Instance]] = {}
    dropped: dict[str, Counter[str]] = {}
    for part, relations in split.items():
        instances[part], dropped[part] = task.instances(corpus, relations, chosen)
    further: tuple[Further, ...] = ()
    if sources:
        main_parts = document_parts(corpus, protocol, seed=configuration.task.folds)
        held_out, seed = held_out_sentences(corpus, main_parts, sources), configuration.training.seed
        further = tuple(choose_further(source, task, chosen, held_out, seed=seed) for source in sources)
    return Parts(task, protocol, chosen, split, instances, dropped, further)


def with_entry(parts: Parts, entry: DataSettings, *, seed: int) -> Parts:
    """The main corpus's parts as its own ``[[data]]`` entry wants them: training relations of a weight."""
    train = sample(parts.instances["train"], entry.limit, seed=seed)
    weighted = [replace(one, weight=entry.weight) for one in train]
    return replace(parts, instances=parts.instances | {"train": weighted})


def _check_asked_for(labels: Sequence[str], known: Collection[str], task: Task) -> None:
    """Raise SettingsError where the user asks for a label that no training relation has."""
    for label in labels:
        if label not in known:
            raise SettingsError(
                f"No training relation has the label '{label}'.",
                where="task.labels",
                hint=f"Labels at level {task.level}: {', '.join(sorted(known)) or 'none'}.",
            )
