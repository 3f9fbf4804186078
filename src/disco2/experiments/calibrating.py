"""A trained model and labelled relations -> the temperatures of its probabilities, and how well they fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from disco2.data import Instance
from disco2.evaluation.calibration import expected_calibration_error
from disco2.experiments.running_text import as_running_text
from disco2.model import AnyModel
from disco2.model.calibration import Calibration
from disco2.training.temperature import fit_temperature

GIVEN = "given_arguments"


def calibrated(
    model: AnyModel, development: Sequence[Instance], *, further: Sequence[Sequence[Instance]] = ()
) -> tuple[Calibration, dict[str, float]]:
    """Temperatures fitted on relations that the model did not learn from, and their ``calibration_errors``.

    ``further`` has the dev parts of other corpora, which count for given arguments alone. Each corpus has a
    best temperature of its own; the highest is taken, so that the model is overconfident on none of them.
    """
    uses = _uses(model, development)
    calibration = _temperatures(model, uses)
    hottest = [calibration.temperature]
    for corpus in further:
        if given := [use for use in _uses(model, corpus) if use.name == GIVEN]:
            hottest.append(_temperatures(model, given).temperature)
    calibration = replace(calibration, temperature=max(hottest))
    return calibration, _errors(model, calibration, uses)


def calibration_errors(
    model: AnyModel, calibration: Calibration, instances: Sequence[Instance]
) -> dict[str, float]:
    """Expected calibration error at temperature 1 and at the fitted one.

    Of given arguments, where the model chooses among senses; and where it knows other outcomes, of running
    text.
    """
    return _errors(model, calibration, _uses(model, instances))


@dataclass(frozen=True)
class _Use:
    """Scored relations under one of the two ways to use a model; ``allowed``: the outcomes, None for all."""

    name: str
    instances: Sequence[Instance]
    allowed: list[int] | None
    scores: np.ndarray  # of all outcomes

    def gold(self, model: AnyModel) -> list[int]:
        """The columns of the first gold labels that are allowed outcomes."""
        columns = range(len(model.labels)) if self.allowed is None else self.allowed
        places = {model.labels[label]: place for place, label in enumerate(columns)}
        return [next(places[label] for label in one.gold if label in places) for one in self.instances]


def _uses(model: AnyModel, instances: Sequence[Instance]) -> list[_Use]:
    with_sense = [one for one in instances if one.has_sense]
    uses: list[tuple[str, Sequence[Instance], list[int] | None]] = [
        (GIVEN, with_sense, model.is_sense.nonzero()[0].tolist())
    ]
    if not model.is_sense.all():
        uses.append(("running_text", as_running_text(instances), None))
    return [_Use(name, some, allowed, model.scores(some)) for name, some, allowed in uses if some]


def _temperatures(model: AnyModel, uses: Sequence[_Use]) -> Calibration:
    temperatures = {}
    for use in uses:
        scores = use.scores if use.allowed is None else use.scores[:, use.allowed]
        temperatures[use.name] = fit_temperature(scores, use.gold(model))
    return Calibration(temperatures.get(GIVEN, 1.0), temperatures.get("running_text"))


def _errors(model: AnyModel, calibration: Calibration, uses: Sequence[_Use]) -> dict[str, float]:
    found = {}
    for use in uses:
        for name, chosen in (("before", Calibration()), ("after", calibration)):
            probabilities = chosen.probabilities(use.scores, use.allowed)
            best = probabilities.argmax(axis=1)
            right = [model.labels[label] in one.gold for label, one in zip(best, use.instances, strict=True)]
            sure = probabilities[np.arange(len(best)), best]
            found[f"{use.name}_{name}"] = expected_calibration_error(sure, right)
    return found
