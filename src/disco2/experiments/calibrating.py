"""A trained model and labelled relations -> the temperature of its probabilities, and how well they fit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from disco2.evaluation.calibration import expected_calibration_error
from disco2.model import RelationModel
from disco2.model.calibration import Calibration
from disco2.records import WITHOUT_SENSE, Instance
from disco2.training.temperature import fit_temperature


def temperature_of(model: RelationModel, development: Sequence[Instance]) -> float:
    """The temperature fitted on relations that the model did not learn from; 1 where there are none."""
    if not development:
        return 1.0
    numbers = {label: number for number, label in enumerate(model.labels)}
    return fit_temperature(model.scores(development), [numbers[one.gold[0]] for one in development])


def calibration_errors(
    model: RelationModel, temperature: float, instances: Sequence[Instance]
) -> dict[str, float]:
    """Expected calibration error at temperature 1 and at the fitted one.

    Among all outcomes, and where there are others beside senses also among senses alone, on the relations
    that have one.
    """
    found = {"before": _error(model, 1.0, instances), "after": _error(model, temperature, instances)}
    if not model.is_sense.all():
        with_sense = [one for one in instances if one.relation.kind not in WITHOUT_SENSE]
        senses = model.is_sense.nonzero()[0].tolist()
        found |= {
            "before_among_senses": _error(model, 1.0, with_sense, senses),
            "after_among_senses": _error(model, temperature, with_sense, senses),
        }
    return found


def _error(
    model: RelationModel, temperature: float, instances: Sequence[Instance], allowed: list[int] | None = None
) -> float:
    probabilities = Calibration(temperature).probabilities(model.scores(instances), allowed)
    best = probabilities.argmax(axis=1)
    right = [model.labels[label] in one.gold for label, one in zip(best, instances, strict=True)]
    return expected_calibration_error(probabilities[np.arange(len(best)), best], right)
