"""A divided corpus and a configuration -> a trained model, on disk if asked for."""

from __future__ import annotations

from pathlib import Path

from disco2.bundle import save_bundle
from disco2.corpora.licences import licence_of
from disco2.corpora.task import balance, expand_two_senses
from disco2.experiments.configuration import Configuration
from disco2.experiments.division import Parts
from disco2.records import Corpus
from disco2.training.fit import Fitted, fit
from disco2.training.loop import Progress


def train_model(
    corpus: Corpus, parts: Parts, configuration: Configuration, *, progress: Progress = lambda epoch: None
) -> Fitted:
    """Train on the training part, stop by the dev part; the test part is not looked at."""
    training = expand_two_senses(parts.instances["train"])
    if parts.task.versus and configuration.task.balance:
        training = balance(training, configuration.training.seed)
    return fit(
        training,
        parts.instances["dev"],
        labels=parts.labels,
        model=configuration.model,
        features=configuration.features,
        vectors=configuration.vectors,
        settings=configuration.training,
        sentences=(
            document.words(range(sentence.start, sentence.end))
            for document in corpus.documents.values()
            for sentence in document.sentences
        ),
        progress=progress,
    )


def save_model(
    fitted: Fitted, parts: Parts, configuration: Configuration, corpus: Corpus, path: Path
) -> None:
    """Write a bundle that says what it was trained on and how."""
    best = fitted.history.best
    save_bundle(
        fitted.model,
        path,
        configuration=configuration.to_json(),
        task=parts.task.to_json(),
        data={
            "corpus": corpus.name,
            "protocol": parts.protocol,
            "training_relations": fitted.training_relations,
            "development_relations": fitted.development_relations,
            "vectors": configuration.vectors.source if configuration.model.uses_vectors else "none",
            "licence": licence_of(corpus.name),
        },
        figures={"development_accuracy": best.accuracy, "best_pass": best.number} if best else {},
    )
