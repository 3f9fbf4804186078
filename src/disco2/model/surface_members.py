"""Members of an ensemble that read the surface features alone, folded into the others.

    1/(S+T) (sum over s of psi_s + sum over t of psi_t)  =  1/S sum over s of psi'_s,
    psi'_s  =  S/(S+T) psi_s + T/(S+T) (mean over t of psi_t)

for S members that compose and T that do not. The latter are linear in beta and b, so psi'_s is a model of the
same form as psi_s: scoring, bundles and explanations need not know of them, and they cost nothing there.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from disco2.model.parameters import Parameters

# The score is linear in these: of the two factors of a low-rank part, in one.
_LINEAR = frozenset({"A2", "A3", "B2", "B3", "beta", "b"})


def folded(composing: Sequence[Parameters], surface: Sequence[Parameters]) -> list[Parameters]:
    """S sets of parameters whose scores have the mean of all S + T members' scores. None are changed."""
    share = len(composing) / (len(composing) + len(surface))
    mean = {name: np.mean([member[name] for member in surface], axis=0) for name in ("beta", "b")}
    return [
        {
            name: share * value + (1 - share) * mean.get(name, 0) if name in _LINEAR else value
            for name, value in member.items()
        }
        for member in composing
    ]
