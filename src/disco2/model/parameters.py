"""The settings of a model and its parameters: groups, initial values, members of an ensemble."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from disco2.data.batch import Floats
from disco2.errors import InputError, SettingsError
from disco2.settings import Settings, setting

PAPER_KINDS = ("entities", "upward", "additive", "surface", "majority")
KINDS = (*PAPER_KINDS, "encoder")
PAIR_SCALINGS = ("sum", "mean")
INITIALISATIONS = ("random", "zero")
MOST_MEMBERS = 1000


@dataclass(frozen=True)
class ModelSettings(Settings):
    """The terms of the score and their sizes."""

    kind: str = setting(
        "entities",
        "encoder: a fine-tuned transformer (needs the extra train); entities: up and down the tree; "
        "upward: up only; additive: sums of word vectors; surface: features alone; "
        "majority: the most common class",
        choices=KINDS,
    )
    features: bool = setting(True, "add the surface features to the score (not of kind majority)")
    K: int = setting(100, "dimensions of word, phrase and entity vectors", minimum=1)
    rank: int = setting(1, "rank of the low-rank part of each bilinear matrix (the paper: 1)", minimum=0)
    pairs: str = setting(
        "mean",
        "mean: aligned mention pairs are averaged over the relation; sum: added up (the paper)",
        choices=PAIR_SCALINGS,
    )
    initialisation: str = setting(
        "random",
        "of the low-rank factors; random: small numbers; zero: as the paper has it, and zero they stay",
        choices=INITIALISATIONS,
    )
    factor_scale: float = setting(0.015, "standard deviation of the random low-rank factors", above=0)
    members: int = setting(
        1, "models with seeds of their own whose scores are averaged", minimum=1, below=MOST_MEMBERS + 1
    )
    surface_members: int = setting(
        0,
        "further members that read the surface features alone; they count like the others, and cost nothing "
        "in use; as many as members, or a few less, are useful",
        minimum=0,
    )

    entity_size: int = setting(
        0, "dimensions of an encoder's entity term, whose rank and pairs are set above; 0: none", minimum=0
    )
    pieces: int = setting(96, "word pieces of a pair that an encoder reads at most", minimum=8, below=513)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.kind == "surface" and not self.features:
            raise SettingsError(
                "A model of surface features alone needs surface features.",
                hint="Leave out --no-features (model.features=false), or choose another --kind.",
            )
        if self.surface_members and not (self.uses_vectors and self.uses_features):
            raise SettingsError(
                "Surface members go with a model of word vectors and surface features.",
                hint="Choose the kind entities, upward or additive, or leave out model.surface_members.",
            )
        if self.all_members > MOST_MEMBERS:
            raise SettingsError(f"{self.all_members} members are too many.", hint=f"Use {MOST_MEMBERS}.")

    @property
    def all_members(self) -> int:
        """How many models are trained."""
        return self.members + self.surface_members

    @property
    def composes(self) -> bool:
        return self.kind in ("entities", "upward")

    @property
    def uses_vectors(self) -> bool:
        return self.kind in ("entities", "upward", "additive")

    @property
    def uses_features(self) -> bool:
        return self.kind == "surface" or (self.features and self.uses_vectors)


Parameters = dict[str, Floats]

# Each has its own learning rate and regulariser. The paper has four groups: entities belong to
# classification there; equal settings for the two do the same.
GROUP_OF = {"U": "upward", "V": "downward", "beta": "features"}
GROUP_OF |= dict.fromkeys(("A1", "A2", "A3", "b"), "classification")
GROUP_OF |= dict.fromkeys(("B1", "B2", "B3"), "entities")
TINY = 1e-8  # keeps a parameter that never had a gradient from being divided by zero


def parameter_shapes(settings: ModelSettings, *, labels: int, features: int) -> dict[str, tuple[int, ...]]:
    """The shape of every parameter of one member."""
    K, rank = settings.K, settings.rank
    shapes: dict[str, tuple[int, ...]] = {}
    if settings.uses_vectors:
        shapes |= {"A1": (labels, rank, K), "A2": (labels, rank, K), "A3": (labels, K)}
    if settings.composes:
        shapes["U"] = (K, 2 * K)
    if settings.kind == "entities":
        shapes |= {"V": (K, 2 * K), "B1": (labels, rank, K), "B2": (labels, rank, K), "B3": (labels, K)}
    if settings.uses_features:
        shapes["beta"] = (labels, features)
    return shapes | {"b": (labels,)}


def initial_parameters(
    settings: ModelSettings, *, labels: int, features: int, seed: int, dtype: type[np.floating] = np.float32
) -> Parameters:
    """U, V uniform in +-sqrt(6 / 2K); beta, b and the diagonals zero; low-rank factors small or zero.

    If both factors were zero, the gradients of a1 and a2 in a1 a2' would stay zero: hence the small start.
    These are the parameters of one member; see ``stacked``.
    """
    generator = np.random.default_rng(seed)
    bound = np.sqrt(6 / (2 * settings.K))
    parameters: Parameters = {}
    for name, shape in parameter_shapes(settings, labels=labels, features=features).items():
        value = np.zeros(shape)
        if name in ("U", "V"):
            value = generator.uniform(-bound, bound, size=shape)
        elif name in ("A1", "A2", "B1", "B2"):
            small = generator.normal(0, settings.factor_scale, size=shape)  # drawn in either case
            value = small if settings.initialisation == "random" else value
        parameters[name] = value.astype(dtype)
    return parameters


def stacked(members: Sequence[Parameters]) -> Parameters:
    """The parameters of single models, each as one array with a leading axis: U is [S, K, 2K], and so on."""
    return {name: np.stack([member[name] for member in members]) for name in members[0]}


def members_of(settings: ModelSettings, parameters: Parameters) -> list[Parameters]:
    """The parameters of each single model."""
    if settings.members == 1:
        return [parameters]
    return [{name: value[s] for name, value in parameters.items()} for s in range(settings.members)]


def check_finite(parameters: Parameters, *, where: str = "") -> None:
    """Raise InputError if a parameter has a value that is not finite; called before anything is saved."""
    for name, value in parameters.items():
        if not np.isfinite(value).all():
            raise InputError(
                f"Training diverged: {name} has values that are NaN or infinite. Nothing was saved.",
                where=where,
                hint="Lower the learning rates, such as: --set training.rate_upward=0.01",
            )


# The score is linear in these: of the two factors of a low-rank part, in one.
_LINEAR = frozenset({"A2", "A3", "B2", "B3", "beta", "b"})


def folded(composing: Sequence[Parameters], surface: Sequence[Parameters]) -> list[Parameters]:
    """S sets of parameters whose scores have the mean of all S + T members' scores. None are changed.

        1/(S+T) (sum over s of psi_s + sum over t of psi_t)  =  1/S sum over s of psi'_s,
        psi'_s  =  S/(S+T) psi_s + T/(S+T) (mean over t of psi_t)

    The T surface members are linear in beta and b, so psi'_s is a model of the same form as psi_s.
    """
    share = len(composing) / (len(composing) + len(surface))
    mean = {name: np.mean([member[name] for member in surface], axis=0) for name in ("beta", "b")}
    return [
        {
            name: share * value + (1 - share) * mean.get(name, 0) if name in _LINEAR else value
            for name, value in member.items()
        }
        for member in composing
    ]
