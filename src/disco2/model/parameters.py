"""The parameters: groups, initial values, members of an ensemble."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from disco2.data.batch import Floats
from disco2.errors import InputError
from disco2.model.bilinear import Bilinear
from disco2.model.settings import ModelSettings

Parameters = dict[str, Floats]

# Each has a learning rate and a regulariser of its own. The paper has four groups: entities belong to
# classification there, which equal settings for the two give back.
GROUPS: dict[str, tuple[str, ...]] = {
    "upward": ("U",),
    "downward": ("V",),
    "features": ("beta",),
    "classification": ("A1", "A2", "A3", "b"),
    "entities": ("B1", "B2", "B3"),
}
TINY = 1e-8  # keeps a parameter that never had a gradient from being divided by zero
GROUP_OF = {name: group for group, names in GROUPS.items() for name in names}


def initial_parameters(
    settings: ModelSettings, *, labels: int, features: int, seed: int, dtype: type[np.floating] = np.float32
) -> Parameters:
    """U, V uniform in +-sqrt(6 / 2K); beta, b and the diagonals zero; low-rank factors small or zero.

    With both factors at zero the gradient of a1 a2' vanishes for either, for ever: hence the small start.
    Of several members these are one's; see ``stacked``.
    """
    generator = np.random.default_rng(seed)
    K, rank = settings.K, settings.rank
    parameters: Parameters = {}

    def composition() -> Floats:
        bound = np.sqrt(6 / (2 * K))
        return generator.uniform(-bound, bound, size=(K, 2 * K))

    def factors() -> Floats:
        random = generator.normal(0, settings.factor_scale, size=(labels, rank, K))
        return random if settings.initialisation == "random" else np.zeros_like(random)

    if settings.uses_vectors:
        parameters |= {"A1": factors(), "A2": factors(), "A3": np.zeros((labels, K))}
    if settings.composes:
        parameters["U"] = composition()
    if settings.kind == "entities":
        parameters |= {"V": composition(), "B1": factors(), "B2": factors(), "B3": np.zeros((labels, K))}
    if settings.uses_features:
        parameters["beta"] = np.zeros((labels, features))
    parameters["b"] = np.zeros(labels)
    return {name: value.astype(dtype) for name, value in parameters.items()}


def argument_matrices(parameters: Parameters) -> Bilinear:
    """A_y: how the two arguments go together."""
    return Bilinear(parameters["A1"], parameters["A2"], parameters["A3"])


def entity_matrices(parameters: Parameters) -> Bilinear:
    """B_y: how the roles of a shared entity go together."""
    return Bilinear(parameters["B1"], parameters["B2"], parameters["B3"])


def stacked(members: Sequence[Parameters]) -> Parameters:
    """The parameters of single models, each as one array with a leading axis: U is [S, K, 2K], and so on."""
    return {name: np.stack([member[name] for member in members]) for name in members[0]}


def members_of(settings: ModelSettings, parameters: Parameters) -> list[Parameters]:
    """The parameters of each single model."""
    if settings.members == 1:
        return [parameters]
    return [{name: value[s] for name, value in parameters.items()} for s in range(settings.members)]


def check_finite(parameters: Parameters, *, where: str = "") -> None:
    """Raise InputError where a parameter has a value that is not finite; asked before anything is saved."""
    for name, value in parameters.items():
        if not np.isfinite(value).all():
            raise InputError(
                f"Training diverged: {name} has values that are NaN or infinite. Nothing was saved.",
                where=where,
                hint="Lower the learning rates, such as: --set training.rate_upward=0.01",
            )


# Members of an ensemble that read the surface features alone are folded into the others:
#
#     1/(S+T) (sum over s of psi_s + sum over t of psi_t)  =  1/S sum over s of psi'_s,
#     psi'_s  =  S/(S+T) psi_s + T/(S+T) (mean over t of psi_t)
#
# for S members that compose and T that do not. The latter are linear in beta and b, so psi'_s is a model of
# the same form as psi_s: scoring, bundles and explanations need not know of them.
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
