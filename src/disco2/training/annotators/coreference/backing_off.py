"""Tables whose cells back off to coarser ones, so that rare combinations of kinds learn from common ones.

    W[g, kind(i), kind(a)] = W1[g] + W2[g, group(i), group(a)] + W3[g, kind(i), kind(a)]

and N and A likewise are a column for all groups and one for each. Only the merged tables are kept when
training is over.
"""

from __future__ import annotations

import numpy as np

from disco2.annotation.english.coreference.features import PAIR_FEATURES
from disco2.annotation.english.coreference.lexicon import GROUP_OF_KIND, GROUPS, KINDS
from disco2.annotation.english.coreference.ranking import Floats, Tables

# (KINDS, GROUPS): which group a kind belongs to, for summing over the kinds of a group.
_MEMBERSHIP = np.eye(GROUPS, dtype=np.float32)[GROUP_OF_KIND]


class BackedOffTables:
    """The parameters that training changes, and the tables they add up to."""

    def __init__(self, mention_rows: int) -> None:
        pair_rows = sum(PAIR_FEATURES.values())
        shapes = {
            "new all": (mention_rows, 1),
            "new group": (mention_rows, GROUPS),
            "antecedent all": (mention_rows, 1),
            "antecedent group": (mention_rows, GROUPS),
            "pair all": (pair_rows, 1, 1),
            "pair group": (pair_rows, GROUPS, GROUPS),
            "pair kind": (pair_rows, KINDS, KINDS),
        }
        self.parameters: dict[str, Floats] = {
            name: np.zeros(shape, dtype=np.float32) for name, shape in shapes.items()
        }

    def merged(self) -> Tables:
        """The tables of the model as it stands."""
        p = self.parameters
        grouped = p["pair group"][:, GROUP_OF_KIND[:, None], GROUP_OF_KIND[None, :]]
        pair = p["pair all"] + grouped + p["pair kind"]
        return Tables(
            new=p["new all"] + p["new group"],
            antecedent=p["antecedent all"] + p["antecedent group"],
            pair=pair.reshape(len(pair), KINDS * KINDS),
        )

    @staticmethod
    def spread(gradient: Tables) -> dict[str, Floats]:
        """The gradient of each parameter, given that of the merged tables."""
        kind = gradient.pair.reshape(-1, KINDS, KINDS)
        group = np.einsum("gij,ik,jl->gkl", kind, _MEMBERSHIP, _MEMBERSHIP, optimize=True)
        return {
            "new all": gradient.new.sum(axis=1, keepdims=True),
            "new group": gradient.new,
            "antecedent all": gradient.antecedent.sum(axis=1, keepdims=True),
            "antecedent group": gradient.antecedent,
            "pair all": group.sum(axis=(1, 2), keepdims=True),
            "pair group": group,
            "pair kind": kind,
        }
