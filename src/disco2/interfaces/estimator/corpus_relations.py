"""A corpus -> X, y and groups, under its usual task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from disco2.data import Corpus, Instance
from disco2.experiments.configuration import Configuration
from disco2.experiments.division import divide
from disco2.interfaces.estimator.refusals import UnusableInputError, UnusableSettingsError, as_value_errors


class LabelledRelations(NamedTuple):
    """Relations, their labels, and the documents they are from.

    Of a relation with two senses ``y`` has the first; ``X[i].gold`` has both.
    """

    X: list[Instance]
    y: NDArray[np.str_]
    groups: NDArray[np.str_]


def relations_of(
    corpus: Corpus, *, parts: str | Sequence[str] = "train", settings: Mapping[str, object] | None = None
) -> LabelledRelations:
    """The relations of some parts of a corpus that count under its usual task.

    ``settings`` change the task, by the names of ``disco2 train``: ``{"task.level": 1}``. Relations of one
    document resemble each other: cross-validate with ``groups`` (GroupKFold, StratifiedGroupKFold), so that
    no document is on both sides.
    """
    with as_value_errors():
        wanted = [parts] if isinstance(parts, str) else list(parts)
        strange = [name for name in settings or {} if not name.startswith("task.")]
        if strange:
            raise UnusableSettingsError(
                f"The setting '{strange[0]}' is none of the task.",
                hint="Give it to Disco2Classifier; here are task.level, task.minimum, task.protocol...",
            )
        found = divide(corpus, Configuration().changed(dict(settings or {})))
        for part in wanted:
            if part not in found.instances:
                raise UnusableInputError(
                    f"There is no part '{part}'.",
                    where=corpus.name,
                    hint=f"Parts: {', '.join(found.instances)}.",
                )
        X = [instance for part in wanted for instance in found.instances[part]]
        if not X:
            raise UnusableInputError(
                f"No relation of {', '.join(wanted) or 'no part'} counts under the task.",
                where=corpus.name,
                hint="See: disco2 corpus stats",
            )
    labels = [instance.gold[0] for instance in X]
    return LabelledRelations(X, np.array(labels), np.array([instance.document.id for instance in X]))
