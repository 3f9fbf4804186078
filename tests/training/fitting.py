"""Prepare and learn in one call, for tests and benchmarks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from disco2.data import Instance
from disco2.model import ModelSettings
from disco2.training.fit import Fitted, check_instances, learn, most_common, prepare
from disco2.training.loop import Progress, TrainingSettings


def fit(
    training: Sequence[Instance],
    development: Sequence[Instance],
    *,
    labels: Sequence[str],
    model: ModelSettings,
    settings: TrainingSettings,
    progress: Progress = lambda epoch: None,
    **options: Any,
) -> Fitted:
    """Train on relations, stopping by the development part; ``options`` are those of ``prepare``."""
    if model.kind == "majority":
        check_instances(training, development, labels)
        return most_common(training, labels, model)
    share = settings.development_share
    prepared = prepare(
        training,
        development,
        labels=labels,
        model=model,
        seed=settings.seed,
        development_share=share,
        **options,
    )
    return learn(prepared, model, settings, progress=progress)
