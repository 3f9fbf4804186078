"""GUM's training part as a workload, and the texts of its dev part. The test part is not touched."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.speed.made import Made
from benchmarks.speed.workload import STANDARD_BATCH, STANDARD_K, Workload
from disco2.corpora.gum import read_gum
from disco2.data import Instance
from disco2.data.batch import Example
from disco2.data.tree import MentionIndexes, argument_tree, entity_links
from disco2.experiments.configuration import Configuration
from disco2.experiments.division import divide
from disco2.experiments.train_run import prepare_training
from disco2.model import RelationModel, initial_parameters
from disco2.threads import single_threaded
from disco2.training.loop import Learner, in_batches
from disco2.training.preparation import expand_two_senses

PASSES = 3  # of training, so that the margins are those in its midst


@dataclass(frozen=True)
class Gum:
    """What measurements on GUM need."""

    path: Path
    untrained: RelationModel
    instances: list[Instance]  # of the training part, two senses as two
    workload: Workload
    dev_texts: dict[str, str]


def load_gum(path: Path) -> Gum:
    """Read the corpus and prepare it with the default settings and K = 50."""
    corpus = read_gum(path)
    configuration = Configuration().changed({"model.K": STANDARD_K})
    parts = divide(corpus, configuration)
    untrained = prepare_training(corpus, parts, configuration).untrained
    instances = expand_two_senses(parts.instances["train"])
    order = np.random.default_rng(1).permutation(len(instances))
    instances = [instances[place] for place in order]
    examples = untrained.encoder.encode(instances)
    mentions = MentionIndexes()
    made = [_made(instance, example, mentions) for instance, example in zip(instances, examples, strict=True)]
    parameters = initial_parameters(
        configuration.model,
        labels=len(parts.labels),
        features=untrained.extractor.width if untrained.extractor else 0,
        seed=1,
    )
    learner = Learner(configuration.model, parameters, untrained.leaves, configuration.training)
    batches = in_batches(examples, STANDARD_BATCH)
    generator = np.random.default_rng(1)
    with single_threaded():
        for _ in range(PASSES):
            learner.one_pass(batches, generator)
    workload = Workload("GUM", configuration.model, made, untrained.leaves, parameters)
    texts = {name: doc.text for name, doc in corpus.documents.items() if corpus.parts[name] == "dev"}
    return Gum(path, untrained, instances, workload, texts)


def _made(instance: Instance, example: Example, mentions: MentionIndexes) -> Made:
    document, relation = instance.document, instance.relation
    first = argument_tree(document, relation.arg1.tokens, relation=relation)
    second = argument_tree(document, relation.arg2.tokens, relation=relation)
    return Made(example, first, second, entity_links(first, second, mentions.of(document)))
