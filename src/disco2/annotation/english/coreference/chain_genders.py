"""He and she are never one: the gender that the pronouns of a growing chain agree on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from disco2.annotation.english.coreference.attributes import Integers, Mentions
from disco2.annotation.english.coreference.kinds import FIRST_NOMINAL


class ChainGenders:
    """Chains while mentions join them in text order, each with the gender of its pronouns, if any.

    Only pronouns count: what names and nouns say about gender is a guess, and the ranking weighs it.
    """

    def __init__(self, mentions: Mentions) -> None:
        self._own: Integers = np.where(mentions.kind < FIRST_NOMINAL, mentions.gender, 0)
        self._gender = self._own.copy()  # of the chain, at its first mention
        self._openers = np.arange(len(mentions), dtype=np.int32)  # the first mention of each one's chain

    @property
    def openers(self) -> list[int]:
        """The first mention of the chain that each mention is in."""
        found: list[int] = self._openers.tolist()
        return found

    def gendered(self) -> NDArray[np.bool_]:
        """Which mentions have a gender that a chain may clash with."""
        known: NDArray[np.bool_] = self._own > 0
        return known

    def clashes(self, mention: int, antecedents: Integers) -> NDArray[np.bool_]:
        """Which of its antecedents are in a chain that has a pronoun of another gender than the mention's."""
        theirs = self._gender[self._openers[antecedents]]
        clashing: NDArray[np.bool_] = (theirs > 0) & (theirs != self._own[mention])
        return clashing

    def link(self, mention: int, antecedent: int) -> None:
        """Let a mention join the chain of its antecedent."""
        opener = self._openers[antecedent]
        self._openers[mention] = opener
        if self._own[mention]:
            self._gender[opener] = self._own[mention]
