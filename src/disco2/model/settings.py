"""What a model consists of."""

from __future__ import annotations

from dataclasses import dataclass

from disco2.errors import SettingsError
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
                hint="Choose the kind entities, upward or additive, with features, or leave out "
                "model.surface_members.",
            )
        if self.all_members > MOST_MEMBERS:
            raise SettingsError(
                f"{self.all_members} members are too many.",
                hint=f"model.members and model.surface_members may be {MOST_MEMBERS} together.",
            )

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
