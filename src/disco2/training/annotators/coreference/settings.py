"""The choices that training makes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CoreferenceSettings:
    """Chosen on GUM's development part."""

    passes: int = 14
    rate: float = 0.1  # of AdaGrad
    penalty: float = 0.02  # L1, a document
    window: int = 100  # candidates just before a mention that may be its antecedent
    matches: int = 8  # farther ones with the same key word
    rarest_word: int = 10  # how often a word must occur to be a feature
    false_anaphor: float = 0.1  # the cost of linking what opens a chain
    false_new: float = 2.0  # of opening a chain with what has antecedents
    wrong_link: float = 1.0
