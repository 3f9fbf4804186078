"""What a bundle records of a trained model beside its parameters: data, figures, temperatures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from disco2.corpora.catalogue import licence_of, licences_of_texts
from disco2.data import Corpus, Instance
from disco2.evaluation.scores import expected_calibration_error
from disco2.experiments.configuration import Configuration
from disco2.experiments.division import Parts, as_running_text
from disco2.model import AnyModel
from disco2.model.probabilities import Calibration
from disco2.training.fit import Fitted
from disco2.training.temperature import fit_temperature


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
    development: dict[str, Any] = {}
    if best := fitted.history.best:
        development |= {f"development_{parts.score_name}": best.score, "best_pass": best.number}
    development |= {f"development_calibration_error_of_{name}": value for name, value in errors.items()}
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
        figures=development | dict(figures or {}),
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


GIVEN, RUNNING_TEXT = "given_arguments", "running_text"


def calibrated(
    model: AnyModel, development: Sequence[Instance], *, further: Sequence[Sequence[Instance]] = ()
) -> tuple[Calibration, dict[str, float]]:
    """Temperatures fitted on relations that the model did not learn from, and calibration errors by use.

    Errors are expected calibration errors at temperature 1 (``before``) and at the fitted one (``after``).
    ``further`` has the dev parts of other corpora, which count for given arguments alone. Each corpus has a
    best temperature of its own; the highest is taken, so that the model is overconfident on none of them.
    """
    uses = _uses(model, development)
    fitted = {use.name: use.temperature() for use in uses}
    hottest = [use.temperature() for corpus in further for use in _uses(model, corpus) if use.name == GIVEN]
    calibration = Calibration(max([fitted.get(GIVEN, 1.0), *hottest]), fitted.get(RUNNING_TEXT))
    errors = {
        f"{use.name}_{when}": use.error(chosen)
        for use in uses
        for when, chosen in (("before", Calibration()), ("after", calibration))
    }
    return calibration, errors


@dataclass(frozen=True)
class _Use:
    """Scored relations under one of the two ways to use a model; ``allowed``: the outcomes, None for all."""

    name: str
    labels: tuple[str, ...]
    instances: Sequence[Instance]
    allowed: list[int] | None
    scores: np.ndarray  # of all outcomes

    def temperature(self) -> float:
        """The best one for the first gold labels that are allowed outcomes."""
        columns = list(range(len(self.labels))) if self.allowed is None else self.allowed
        places = {self.labels[label]: place for place, label in enumerate(columns)}
        gold = [next(places[label] for label in one.gold if label in places) for one in self.instances]
        return fit_temperature(self.scores[:, columns], gold)[0]

    def error(self, calibration: Calibration) -> float:
        probabilities = calibration.probabilities(self.scores, self.allowed)
        best = probabilities.argmax(axis=1)
        right = [self.labels[label] in one.gold for label, one in zip(best, self.instances, strict=True)]
        return expected_calibration_error(probabilities[np.arange(len(best)), best], right)


def _uses(model: AnyModel, instances: Sequence[Instance]) -> list[_Use]:
    """Given arguments, where a model chooses among senses; and running text if it knows other outcomes."""
    with_sense = [one for one in instances if one.has_sense]
    uses: list[tuple[str, Sequence[Instance], list[int] | None]] = [
        (GIVEN, with_sense, model.is_sense.nonzero()[0].tolist())
    ]
    if not model.is_sense.all():
        uses.append((RUNNING_TEXT, as_running_text(instances), None))
    return [
        _Use(name, model.labels, some, allowed, model.scores(some)) for name, some, allowed in uses if some
    ]
