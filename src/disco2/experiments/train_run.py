"""A divided corpus and a configuration -> a trained model, on disk if asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from disco2.bundle import save_bundle
from disco2.corpora.licences import licence_of, licences_of_texts
from disco2.errors import CorpusError
from disco2.experiments.calibrating import calibration_errors, calibration_of
from disco2.experiments.configuration import Configuration
from disco2.experiments.division import Parts
from disco2.experiments.running_text import as_running_text
from disco2.model.calibration import Calibration
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
    # Running text has no arguments but whole sentences: a model for it should have seen some.
    widened = as_running_text(training) if configuration.task.whole_sentences else []
    fitted = fit(
        [*training, *widened],
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
    return replace(fitted, training_relations=fitted.training_relations - len(widened))


def save_model(
    fitted: Fitted,
    parts: Parts,
    configuration: Configuration,
    corpus: Corpus,
    path: Path,
    *,
    figures: Mapping[str, Any] | None = None,
    compact: bool = False,
) -> None:
    """Write a bundle that says what it was trained on and how, with the temperatures of its probabilities.

    ``figures`` are recorded beside those of the development part. A ``compact`` bundle has its word vectors
    in half precision.
    """
    calibration = calibration_of(fitted.model, fitted.development)
    save_bundle(
        fitted.model,
        path,
        configuration=configuration.to_json(),
        task=parts.task.to_json(),
        data={
            "corpus": corpus.name,
            "protocol": parts.protocol,
            "training_relations": fitted.training_relations,
            "development_relations": len(fitted.development),
            "vectors": configuration.vectors.source if configuration.model.uses_vectors else "none",
            "licence": licence_of(corpus.name),
            "licences_of_texts": list(licences_of_texts(corpus.name)),
            "notes": list(corpus.notes),
            "automatic_layers": list(corpus.automatic),
            "annotators": corpus.annotators,
        },
        figures=_development_figures(fitted, parts, calibration) | dict(figures or {}),
        calibration={
            "temperature": calibration.temperature,
            "running_text": calibration.of_running_text,
        },
        compact=compact,
    )


def _development_figures(fitted: Fitted, parts: Parts, calibration: Calibration) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if best := fitted.history.best:
        found |= {f"development_{parts.score_name}": best.score, "best_pass": best.number}
    errors = calibration_errors(fitted.model, calibration, fitted.development)
    found |= {f"development_calibration_error_of_{name}": value for name, value in errors.items()}
    return found
