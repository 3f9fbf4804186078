"""A trained model and labelled relations -> the temperatures of its probabilities, and how well they fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from disco2.evaluation.calibration import expected_calibration_error
from disco2.experiments.running_text import as_running_text
from disco2.model import RelationModel
from disco2.model.calibration import Calibration
from disco2.records import WITHOUT_SENSE, Instance
from disco2.training.temperature import fit_temperature


def calibration_of(model: RelationModel, development: Sequence[Instance]) -> Calibration:
    """Temperatures fitted on relations that the model did not learn from; 1 where there are none."""
    temperatures = {
        use.name: fit_temperature(use.scores(model), use.gold(model)) for use in _uses(model, development)
    }
    return Calibration(temperatures.get("given_arguments", 1.0), temperatures.get("running_text"))


def calibration_errors(
    model: RelationModel, calibration: Calibration, instances: Sequence[Instance]
) -> dict[str, float]:
    """Expected calibration error at temperature 1 and at the fitted one.

    Of given arguments, where the model chooses among senses; and where it knows other outcomes, of running
    text.
    """
    found = {}
    for use in _uses(model, instances):
        scores = model.scores(use.instances)
        for name, chosen in (("before", Calibration()), ("after", calibration)):
            probabilities = chosen.probabilities(scores, use.allowed)
            best = probabilities.argmax(axis=1)
            right = [model.labels[label] in one.gold for label, one in zip(best, use.instances, strict=True)]
            sure = probabilities[np.arange(len(best)), best]
            found[f"{use.name}_{name}"] = expected_calibration_error(sure, right)
    return found


@dataclass(frozen=True)
class _Use:
    """Relations under one of the two ways to use a model; ``allowed`` are the outcomes, None for all."""

    name: str
    instances: Sequence[Instance]
    allowed: list[int] | None

    def scores(self, model: RelationModel) -> np.ndarray:
        scores = model.scores(self.instances)
        return scores if self.allowed is None else scores[:, self.allowed]

    def gold(self, model: RelationModel) -> list[int]:
        """The columns of the first gold labels in ``scores``."""
        columns = range(len(model.labels)) if self.allowed is None else self.allowed
        places = {model.labels[label]: place for place, label in enumerate(columns)}
        return [places[one.gold[0]] for one in self.instances]


def _uses(model: RelationModel, instances: Sequence[Instance]) -> list[_Use]:
    with_sense = [one for one in instances if one.relation.kind not in WITHOUT_SENSE]
    uses = [_Use("given_arguments", with_sense, model.is_sense.nonzero()[0].tolist())]
    if not model.is_sense.all():
        uses.append(_Use("running_text", as_running_text(instances), None))
    return [use for use in uses if use.instances]
