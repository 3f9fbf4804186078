"""Candidates -> scores -> probabilities -> predictions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from disco2.data import WITHOUT_SENSE, RelationKind
from disco2.data.tree import MentionIndexes
from disco2.errors import BundleError
from disco2.inference.candidates import Candidate, in_portions
from disco2.inference.prediction import Prediction
from disco2.inference.shared import shared_mentions
from disco2.model import AnyModel
from disco2.model.calibration import Calibration


def senses_of(model: AnyModel) -> tuple[str, ...]:
    """The labels that are senses; BundleError where there is none."""
    senses = tuple(label for label in model.labels if label not in WITHOUT_SENSE)
    if not senses:
        raise BundleError("This model knows no sense.", hint="Train it on relations that have senses.")
    return senses


def judged(
    model: AnyModel, calibration: Calibration, candidates: Sequence[Candidate]
) -> Iterator[Prediction]:
    """One prediction for each candidate, in order; scored a portion at a time, so that memory is bounded."""
    mentions = MentionIndexes()
    every = range(len(model.labels))
    senses = [model.labels.index(sense) for sense in senses_of(model)]
    index = 0
    for portion in in_portions(candidates):
        scores = model.scores([one.instance for one in portion], batch_size=len(portion))
        raw = scores.tolist()
        among_all = calibration.probabilities(scores).tolist()
        among_senses = calibration.probabilities(scores, senses).tolist()
        for row, candidate in enumerate(portion):
            probabilities = among_senses[row] if candidate.senses_only else among_all[row]
            allowed = senses if candidate.senses_only else every
            ranked = sorted(allowed, key=lambda column: -probabilities[column])
            sense = model.labels[ranked[0]]
            yield Prediction(
                kind=_kind(sense, candidate.connective),
                sense=sense,
                probability=probabilities[ranked[0]],
                probabilities={model.labels[column]: probabilities[column] for column in ranked},
                arg1=candidate.arg1,
                arg2=candidate.arg2,
                connective=candidate.connective,
                entities=shared_mentions(candidate, mentions.of(candidate.instance.document)),
                document=candidate.instance.document.id,
                index=index,
                scores=dict(zip(model.labels, raw[row], strict=True)),
                origins=candidate.origins,
                source=candidate.instance,
            )
            index += 1


def _kind(sense: str, connective: str) -> str:
    if connective:
        return RelationKind.EXPLICIT.value
    return sense if sense in WITHOUT_SENSE else RelationKind.IMPLICIT.value
