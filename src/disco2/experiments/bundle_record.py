"""What a bundle says of a trained model beside its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from disco2.corpora.licences import licence_of, licences_of_texts
from disco2.experiments.calibrating import calibrated
from disco2.experiments.configuration import Configuration
from disco2.experiments.division import Parts
from disco2.records import Corpus
from disco2.training.fit import Fitted


@dataclass(frozen=True)
class BundleRecord:
    """What ``save_bundle`` takes beside a model; ``bundle.layout.Manifest`` explains it."""

    configuration: dict[str, Any]
    task: dict[str, Any]
    data: dict[str, Any]
    figures: dict[str, Any]
    calibration: dict[str, Any]


def record_of(
    fitted: Fitted,
    parts: Parts,
    configuration: Configuration,
    corpus: Corpus,
    *,
    figures: Mapping[str, Any] | None = None,
) -> BundleRecord:
    """What the model was trained on and how, with the temperatures of its probabilities.

    ``figures`` are recorded beside those of the development part.
    """
    calibration, errors = calibrated(fitted.model, fitted.development)
    return BundleRecord(
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
        figures=_development_figures(fitted, parts, errors) | dict(figures or {}),
        calibration={
            "temperature": calibration.temperature,
            "running_text": calibration.of_running_text,
        },
    )


def _development_figures(fitted: Fitted, parts: Parts, errors: Mapping[str, float]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if best := fitted.history.best:
        found |= {f"development_{parts.score_name}": best.score, "best_pass": best.number}
    found |= {f"development_calibration_error_of_{name}": value for name, value in errors.items()}
    return found
