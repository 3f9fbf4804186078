"""The parameters, their groups, and how they start."""

from __future__ import annotations

import numpy as np

from disco2.model.arrays import Floats
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
GROUP_OF = {name: group for group, names in GROUPS.items() for name in names}


def initial_parameters(
    settings: ModelSettings, *, labels: int, features: int, seed: int, dtype: type[np.floating] = np.float32
) -> Parameters:
    """U, V uniform in +-sqrt(6 / 2K); beta, b and the diagonals zero; low-rank factors small or zero.

    With both factors at zero the gradient of a1 a2' vanishes for either, for ever: hence the small start.
    Of several members these are one's; see ``ensemble``.
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
