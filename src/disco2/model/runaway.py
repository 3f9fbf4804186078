"""A training that ran away leaves parameters that are no numbers: a model that always answers the same."""

from __future__ import annotations

import numpy as np

from disco2.errors import InputError
from disco2.model.parameters import Parameters


def check_finite(parameters: Parameters, *, where: str = "") -> None:
    """Raise InputError where a parameter has a value that is not finite; asked before anything is saved."""
    for name, value in parameters.items():
        if not np.isfinite(value).all():
            raise InputError(
                f"The training ran away: {name} has values that are not numbers. Nothing was saved.",
                where=where,
                hint="Lower the learning rates, such as: --set training.rate_upward=0.01",
            )
