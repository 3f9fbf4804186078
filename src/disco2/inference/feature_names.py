"""Surface features in words that a person can read."""

from __future__ import annotations

from disco2.features import FeatureExtractor
from disco2.features.pairs_and_rules import CONTEXT_NAMES, SidedRule

_SIDES = {"arg1": "arg1", "arg2": "arg2", "both": "both arguments"}


def readable_feature(extractor: FeatureExtractor, column: int) -> str:
    """``stem 'rain' in arg1, 'cancel' in arg2``; ``NP -> DT NN in arg1``; ``tenses: past, present``."""
    if column < len(extractor.word_pairs):
        first, second = extractor.word_pairs[column]
        return f"stem '{first}' in arg1, '{second}' in arg2"
    column -= len(extractor.word_pairs)
    for rules in (extractor.production_rules, extractor.dependency_rules):
        if column < len(rules):
            return _rule(rules[column])
        column -= len(rules)
    if column < len(extractor.first_words):
        side, place, word = extractor.first_words[column]
        return f"word {place} of {side} is '{word}'"
    column -= len(extractor.first_words)
    for features in extractor.counted.values():
        if column < len(features):
            return features[column]
        column -= len(features)
    return CONTEXT_NAMES[column]


def _rule(rule: SidedRule) -> str:
    side, text = rule
    return f"{text} in {_SIDES[side]}"
