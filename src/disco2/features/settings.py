"""Which surface features a model sees."""

from __future__ import annotations

from dataclasses import dataclass

from disco2.settings import Settings, setting


@dataclass(frozen=True)
class FeatureSettings(Settings):
    """How many features of each family to keep; the defaults are those of Lin, Kan & Ng (2009)."""

    word_pairs: int = setting(500, "pairs of stems, one from each argument, to keep", minimum=0)
    production_rules: int = setting(100, "rules of the constituent trees to keep", minimum=0)
    dependency_rules: int = setting(100, "rules of the dependency trees to keep", minimum=0)
    minimum_count: int = setting(5, "features in fewer training relations than this are dropped", minimum=1)
    context: bool = setting(True, "six features on how the neighbouring relations touch this one")
    first_words: int = setting(
        0, "first lower-cased words of each argument as features; 0: none, 3 is useful", minimum=0
    )
    predicates: int = setting(
        0,
        "features on tense, negation, subject and dependents of each argument's main predicate to keep; "
        "0: none, 300 is useful",
        minimum=0,
    )
    attachment: int = setting(
        0,
        "features on how the arguments' heads hang in the dependency trees to keep; 0: none, 200 is useful",
        minimum=0,
    )
    openings: int = setting(
        0,
        "features on the first words and tags of each argument and of the two together to keep; "
        "0: none, 300 is useful",
        minimum=0,
    )
    neighbouring_relations: bool = setting(
        False, "which arguments of the relations before and after overlap with these"
    )
    layout: bool = setting(False, "order, distance and extent of the arguments")
    overlap: bool = setting(False, "how many words the arguments share, and how long they are")
