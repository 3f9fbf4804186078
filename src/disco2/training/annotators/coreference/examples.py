"""Documents with gold mentions -> arrays that do not change while the weights do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from disco2.annotation.english.coreference.features import (
    FIRST_WORD,
    mention_feature_sizes,
    mention_features,
    pair_features,
)
from disco2.annotation.english.coreference.mentions import (
    Integers,
    Mentions,
    candidate_mentions,
    mention_attributes,
    token_context,
)
from disco2.annotation.english.coreference.ranking import Floats, offsets, possible_antecedents
from disco2.records import Document
from disco2.training.annotators.coreference.settings import CoreferenceSettings


@dataclass(frozen=True, slots=True)
class Example:
    """The candidates of one document, with what is gold among their antecedents."""

    mentions: Mentions
    rows: Integers  # (mentions, features): rows of the tables N and A
    antecedents: Integers
    features: NDArray[np.uint8]
    gold: NDArray[np.bool_]  # (mentions, antecedents): whether it is in the mention's chain
    costs: Floats  # (mentions, antecedents)
    new_costs: Floats


def frequent_words(documents: Iterable[Document], *, rarest: int) -> tuple[str, ...]:
    """The words, in small letters, that occur at least ``rarest`` times, in order of the alphabet."""
    counts = Counter(token.text.lower() for document in documents for token in document.tokens)
    return tuple(sorted(word for word, count in counts.items() if count >= rarest))


def example(document: Document, words: tuple[str, ...], settings: CoreferenceSettings) -> Example | None:
    """A document's arrays; None where it has no candidate."""
    mentions = mention_attributes(document, candidate_mentions(document), token_context(document))
    if not len(mentions):
        return None
    vocabulary: Mapping[str, int] = {word: number for number, word in enumerate(words, start=FIRST_WORD)}
    antecedents = possible_antecedents(mentions, window=settings.window, matches=settings.matches)
    gold = _same_chain(document, mentions, antecedents)
    anaphoric = gold.any(axis=1)
    wrong = np.where(anaphoric, settings.wrong_link, settings.false_anaphor)[:, None]
    return Example(
        mentions=mentions,
        rows=mention_features(document, mentions, vocabulary) + offsets(mention_feature_sizes(len(words))),
        antecedents=antecedents,
        features=pair_features(mentions, 0, antecedents),
        gold=gold,
        costs=np.where(gold, 0.0, wrong).astype(np.float32),
        new_costs=np.where(anaphoric, settings.false_new, 0.0).astype(np.float32),
    )


def _same_chain(document: Document, mentions: Mentions, antecedents: Integers) -> NDArray[np.bool_]:
    """A candidate is in the chain of the gold mention with just its span, or in none."""
    numbers: dict[str, int] = {}
    chain_of = {
        (mention.start, mention.end): numbers.setdefault(mention.chain, len(numbers))
        for mention in document.mentions or ()
    }
    spans = zip(mentions.start.tolist(), mentions.end.tolist(), strict=True)
    chain = np.array([chain_of.get(span, -1) for span in spans], dtype=np.int32)
    same: NDArray[np.bool_] = (chain[:, None] == chain[antecedents]) & (chain[:, None] >= 0)
    return same & (antecedents >= 0)
