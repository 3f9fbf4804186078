"""What a bundle says of a trained model beside its parameters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from disco2.corpora.catalogue import licence_of, licences_of_texts
from disco2.data import Corpus
from disco2.experiments.calibrating import calibrated
from disco2.experiments.configuration import Configuration
from disco2.experiments.division import Parts
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
    calibration, errors = calibrated(fitted.model, fitted.development, further=parts.further_development())
    without_paths = configuration.changed({"encoder.folder": "", "encoder.state": ""})
    return BundleRecord(
        configuration=without_paths.to_json(),
        task=parts.task.to_json(),
        data={
            "corpus": corpus.name,
            "protocol": parts.protocol,
            "training_relations": fitted.training_relations,
            "label_counts": _label_counts(parts, configuration),
            **({"offsets": dict(fitted.offsets)} if fitted.offsets else {}),
            "development_relations": len(fitted.development),
            "vectors": configuration.vectors.source if configuration.model.uses_vectors else "none",
            "licence": licence_of(corpus.name),
            "licences_of_texts": list(licences_of_texts(corpus.name)),
            "notes": list(corpus.notes),
            "automatic_layers": list(corpus.automatic),
            "annotators": corpus.annotators,
            **({"further": [one.to_json() for one in parts.further]} if parts.further else {}),
        },
        figures=_development_figures(fitted, parts, errors) | dict(figures or {}),
        calibration={
            "temperature": calibration.temperature,
            "running_text": calibration.of_running_text,
        },
    )


def _label_counts(parts: Parts, configuration: Configuration) -> dict[str, float]:
    """The training relations of each label; one with two labels counts for both.

    Those of other corpora count by their weight; in a training of several stages, as the last one draws them.
    """
    counts: Counter[str] = Counter(label for one in parts.instances["train"] for label in one.gold)
    if parts.task.versus and configuration.task.balance:  # the smaller class was repeated
        return dict.fromkeys(parts.labels, max(counts.values()))
    total: dict[str, float] = {label: counts[label] for label in parts.labels}
    last = configuration.stages[-1].drawn if configuration.stages else None
    for further in parts.further:
        found = further.instances(parts.task, parts.labels)
        name = further.entry.name
        if last is not None and name not in last:
            continue
        share = 1.0 if not (last and last[name]) else last[name] / len(found)
        for one in found:
            for label in one.gold:
                total[label] += share * one.weight
    return {label: round(count, 1) for label, count in total.items()}


def _development_figures(fitted: Fitted, parts: Parts, errors: Mapping[str, float]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if best := fitted.history.best:
        found |= {f"development_{parts.score_name}": best.score, "best_pass": best.number}
    found |= {f"development_calibration_error_of_{name}": value for name, value in errors.items()}
    return found
