"""Parameters of the estimator -> the settings of ``disco2 train``, and back."""

from __future__ import annotations

import os
from collections.abc import Mapping
from operator import attrgetter
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from disco2.experiments.configuration import Configuration, names
from disco2.interfaces.estimator.refusals import UnusableSettingsError

# The parameters that are a setting each.
SETTING_OF = {
    "kind": "model.kind",
    "features": "model.features",
    "K": "model.K",
    "members": "model.members",
    "vectors": "vectors.source",
    "epochs": "training.epochs",
    "patience": "training.patience",
    "batch_size": "training.batch_size",
    "loss": "training.loss",
    "dropout": "training.dropout",
    "rate_upward": "training.rate_upward",
    "rate_downward": "training.rate_downward",
    "rate_features": "training.rate_features",
    "rate_classification": "training.rate_classification",
    "rate_entities": "training.rate_entities",
    "development_share": "training.development_share",
}
SEED = "training.seed"
_PARAMETER_OF = {setting: parameter for parameter, setting in SETTING_OF.items()} | {SEED: "random_state"}


def configuration_of(
    parameters: Mapping[str, object], settings: Mapping[str, object] | None, random_state: object
) -> Configuration:
    """All settings. ``settings`` are further ones by their names, such as ``features.production_rules``."""
    if settings is not None and not isinstance(settings, Mapping):
        raise UnusableSettingsError(
            f"settings is of type {type(settings).__name__}.",
            hint='Give names and values, such as {"features.production_rules": 50}.',
        )
    others = dict(settings or {})
    for name in others:
        if name in _PARAMETER_OF:
            raise UnusableSettingsError(
                f"The setting '{name}' has a parameter of its own.", hint=f"Give {_PARAMETER_OF[name]}=..."
            )
        if str(name).startswith("task."):
            raise UnusableSettingsError(
                f"The setting '{name}' has no effect: X and y say what is to be told apart.",
                hint="Give it to relations_of, where the relations come from a corpus.",
            )
    named = {setting: parameters[parameter] for parameter, setting in SETTING_OF.items()}
    values = {name: _plain(value) for name, value in (named | others).items()}
    return Configuration().changed(values | {SEED: seed_of(random_state)})


def seed_of(random_state: object) -> int:
    """A whole number itself, so that it means what it means for ``disco2 train``; else drawn at random."""
    generator = check_random_state(random_state)  # refuses what is none
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    return int(generator.randint(np.iinfo(np.int32).max))


def parameters_of(configuration: Configuration) -> dict[str, Any]:
    """The parameters of an estimator with this configuration, ``settings`` and ``random_state`` included."""
    found = {parameter: attrgetter(setting)(configuration) for parameter, setting in SETTING_OF.items()}
    usual = Configuration()
    others = {
        name: attrgetter(name)(configuration)
        for name in names()
        if name not in _PARAMETER_OF and not name.startswith("task.")
    }
    changed = {name: value for name, value in others.items() if value != attrgetter(name)(usual)}
    return found | {"settings": changed or None, "random_state": configuration.training.seed}


def _plain(value: object) -> object:
    """A value as settings have it: searches draw NumPy's numbers, and a file may be given as a path."""
    if isinstance(value, np.generic):
        return value.item()
    return os.fspath(value) if isinstance(value, os.PathLike) else value
