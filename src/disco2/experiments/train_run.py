"""A divided corpus and a configuration -> a trained model, on disk if asked for."""

from __future__ import annotations

from pathlib import Path

from disco2.bundle import save_bundle
from disco2.corpora.licences import licence_of
from disco2.errors import CorpusError
from disco2.experiments.configuration import Configuration
from disco2.experiments.division import Parts
from disco2.records import Corpus
from disco2.training.fit import Fitted, fit
from disco2.training.loop import Progress


def train_model(
    corpus: Corpus, parts: Parts, configuration: Configuration, *, progress: Progress = lambda epoch: None
) -> Fitted:
    """Train on the training part, stop by the dev part; no label of the test part is looked at.

    Word2vec, where it is asked for, learns from the texts of all parts, as in the paper.
    """
    training = parts.instances["train"]
    labels = {label for instance in training for label in instance.gold}
    if len(labels) < 2:
        raise CorpusError(
            f"The {len(training)} training relations have {len(labels)} labels that count; two are needed.",
            where=corpus.name,
            hint="Lower task.minimum, or choose another level or split; see: disco2 corpus stats",
        )
    return fit(
        training,
        parts.instances["dev"],
        labels=parts.labels,
        model=configuration.model,
        features=configuration.features,
        vectors=configuration.vectors,
        settings=configuration.training,
        positive=parts.task.versus,
        balanced=bool(parts.task.versus) and configuration.task.balance,
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
        figures={f"development_{parts.score_name}": best.score, "best_pass": best.number} if best else {},
    )
