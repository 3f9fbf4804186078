"""Train the coreference model on documents with gold mentions, and write it to a folder."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save

from disco2.annotation.english.coreference import (
    FIRST_WORD,
    FORMAT,
    MODEL_FILE,
    PAIR_FEATURES,
    TABLES,
    TABLES_FILE,
    Floats,
    MentionRanker,
    Tables,
    antecedent_scores,
    kind_pairs,
    mention_feature_sizes,
    mention_features,
    new_scores,
    offsets,
    pair_features,
    pair_scores,
    possible_antecedents,
)
from disco2.annotation.english.mentions import Integers, Mentions, read_mentions
from disco2.annotation.english.traits import GROUP_OF_KIND, GROUPS, KINDS
from disco2.data import Document
from disco2.errors import InputError
from disco2.files import HIDDEN_LIST, folder_in_place, read_listed_files
from tools.annotator.scores import Chains, CoreferenceScores, score_coreference

SEED = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class CoreferenceSettings:
    """Chosen on GUM's development part."""

    passes: int = 14
    rate: float = 0.1  # of AdaGrad
    penalty: float = 0.02  # L1, a document
    window: int = 100  # nearest candidates before a mention that may be its antecedent
    matches: int = 8  # farther ones with the same key word
    rarest_word: int = 10  # minimum count of a word that is a feature
    false_anaphor: float = 0.1  # the cost of linking a mention that opens a chain
    false_new: float = 2.0  # of opening a chain with a mention that has an antecedent
    wrong_link: float = 1.0


# Documents with gold mentions -> arrays that do not change while the weights do.


@dataclass(frozen=True, slots=True)
class Example:
    """The candidates of one document, and which of their antecedents are gold."""

    mentions: Mentions
    rows: Integers  # (mentions, features): rows of the tables N and A
    antecedents: Integers
    features: NDArray[np.uint8]
    gold: NDArray[np.bool_]  # (mentions, antecedents): whether it is in the mention's chain
    costs: Floats  # (mentions, antecedents)
    new_costs: Floats


def frequent_words(documents: Iterable[Document], *, rarest: int) -> tuple[str, ...]:
    """The words in lower case that occur at least ``rarest`` times, sorted."""
    counts = Counter(token.text.lower() for document in documents for token in document.tokens)
    return tuple(sorted(word for word, count in counts.items() if count >= rarest))


def make_example(document: Document, words: Sequence[str], settings: CoreferenceSettings) -> Example | None:
    """The arrays of a document; None if it has no candidate.

    A candidate is in the chain of the gold mention with the same span, or in none.
    """
    mentions = read_mentions(document)
    if not len(mentions):
        return None
    vocabulary = {word: number for number, word in enumerate(words, start=FIRST_WORD)}
    antecedents = possible_antecedents(mentions, window=settings.window, matches=settings.matches)
    numbers: dict[str, int] = {}
    chain_of = {
        (mention.start, mention.end): numbers.setdefault(mention.chain, len(numbers))
        for mention in document.mentions or ()
    }
    spans = zip(mentions.start.tolist(), mentions.end.tolist(), strict=True)
    chain = np.array([chain_of.get(span, -1) for span in spans], dtype=np.int32)[:, None]
    gold = (chain == chain[antecedents, 0]) & (chain >= 0) & (antecedents >= 0)
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


# Tables whose cells back off to coarser ones, so that rare combinations of kinds learn from common ones.
#
#     W[g, kind(i), kind(a)] = W1[g] + W2[g, group(i), group(a)] + W3[g, kind(i), kind(a)]
#
# and N and A likewise are a column for all groups and one for each. Only the merged tables are kept when
# training is over.

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
        """The tables of the current parameters."""
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


# The loss of one document and its gradient.
#
#     loss = - sum_i log sum_{a in gold(i)} P'(a | i)
#     P'(a | i) proportional to P(a | i) exp(cost(a, gold(i)))
#
# gold(i) are the candidates before i in its chain, or {new} where there are none (Durrett & Klein 2013). The
# gradient by s(i, a) is P'(a | i) less the share of a among the gold ones.

_Floats = NDArray[np.float64]


def loss_and_gradient(tables: Tables, example: Example) -> tuple[float, Tables]:
    """The loss of a document, and its derivative by each cell of the tables."""
    new = new_scores(tables, example.rows, example.mentions) + example.new_costs
    own = antecedent_scores(tables, example.rows)
    links = pair_scores(tables, example.mentions, 0, example.antecedents, example.features, own)
    # (mentions, 1 + antecedents): first the scores of {new}.
    scores = np.concatenate([new[:, None], links + example.costs], axis=1).astype(np.float64)
    right = np.concatenate([~example.gold.any(axis=1, keepdims=True), example.gold], axis=1)
    probabilities, logarithms = _softmax(scores)
    shares, right_logarithms = _softmax(np.where(right, scores, -np.inf))
    loss = float((logarithms - right_logarithms).sum())
    return loss, _gradient(tables, example, probabilities - shares)


def _softmax(scores: _Floats) -> tuple[_Floats, _Floats]:
    """Probabilities along each row, and the logarithm of the row's sum."""
    highest = scores.max(axis=1, keepdims=True)
    weights = np.exp(scores - highest)
    total = weights.sum(axis=1, keepdims=True)
    return weights / total, (np.log(total) + highest)[:, 0]


def _gradient(tables: Tables, example: Example, residual: _Floats) -> Tables:
    """The gradient of each cell is the sum of the residuals of the decisions that used it."""
    mentions, antecedents = example.mentions, example.antecedents
    group = GROUP_OF_KIND[mentions.kind]
    cells = (example.rows * GROUPS + group[:, None]).ravel()
    weights = np.broadcast_to(residual[:, :1], example.rows.shape).ravel()
    new = np.bincount(cells, weights, tables.new.size).reshape(tables.new.shape)

    links = residual[:, 1:]
    # (antecedent, group of i): the sum over all decisions for one antecedent.
    cells = np.maximum(antecedents, 0) * GROUPS + group[:, None]
    by_antecedent = np.bincount(cells.ravel(), links.ravel(), len(mentions) * GROUPS).reshape(-1, GROUPS)
    antecedent = np.zeros(tables.antecedent.shape)
    for column in example.rows.T:
        np.add.at(antecedent, column, by_antecedent)

    column_of = kind_pairs(mentions, 0, antecedents)
    pair = np.zeros(tables.pair.size)
    for index, start in enumerate(offsets(PAIR_FEATURES).tolist()):
        cells = (example.features[:, :, index].astype(np.int32) + start) * (KINDS * KINDS) + column_of
        pair += np.bincount(cells.ravel(), links.ravel(), pair.size)
    return Tables(
        new.astype(np.float32),
        antecedent.astype(np.float32),
        pair.reshape(tables.pair.shape).astype(np.float32),
    )


# AdaGrad with an L1 penalty.


class SparseAdaGrad:
    """theta <- shrink(theta - h g, h lambda), h = eta / sqrt(sum of squared g) (Duchi et al. 2011).

    shrink(x, y) moves x towards 0 by at most y, so that useless weights are exactly 0.
    """

    def __init__(self, parameters: dict[str, Floats], *, rate: float, penalty: float) -> None:
        self._parameters = parameters
        self._rate, self._penalty = np.float32(rate), np.float32(penalty)
        self._squares = {name: np.zeros_like(value) for name, value in parameters.items()}

    def step(self, gradients: dict[str, Floats]) -> None:
        """Change the parameters in place."""
        for name, gradient in gradients.items():
            squares = self._squares[name]
            squares += np.square(gradient)
            pace = self._rate / (np.sqrt(squares) + np.float32(1e-6))
            moved = self._parameters[name] - pace * gradient
            shrunk = np.maximum(np.abs(moved) - pace * self._penalty, 0.0)
            self._parameters[name][...] = np.where(squares > 0, np.sign(moved) * shrunk, 0.0)


def write_weights(folder: Path, tables: Tables, words: Sequence[str], *, window: int, matches: int) -> None:
    """Write a model's folder, in half precision, all of it or nothing."""
    # Safetensors writes the memory as it is, ignoring the order of an array's axes.
    arrays = {name: np.ascontiguousarray(getattr(tables, name), dtype=np.float16) for name in TABLES}
    described = {
        "format": FORMAT,
        "window": window,
        "matches": matches,
        "mention_features": mention_feature_sizes(len(words)),
        "pair_features": PAIR_FEATURES,
        "words": list(words),
    }
    with folder_in_place(folder, HIDDEN_LIST, force=True) as fresh:
        (fresh / TABLES_FILE).write_bytes(save(arrays))
        text = json.dumps(described, ensure_ascii=False, indent=0)
        (fresh / MODEL_FILE).write_text(text + "\n", encoding="utf-8")


def train_coreference(
    training: Sequence[Document],
    development: Sequence[Document],
    folder: Path,
    *,
    settings: CoreferenceSettings | None = None,
    progress: Callable[[str], None] = print,
) -> None:
    """Train on ``training`` and write the weights to ``folder``.

    Documents have gold mentions and tokens, and automatic tags, dependencies and phrases, as in prediction.
    The score on ``development`` is reported.
    """
    settings = settings or CoreferenceSettings()
    words = frequent_words(training, rarest=settings.rarest_word)
    made = [make_example(document, words, settings) for document in training]
    examples = [example for example in made if example is not None]
    if not examples:
        raise InputError(
            "No training document has a phrase that may be a mention.",
            hint="Give documents with tags and constituents.",
        )
    parameters = BackedOffTables(sum(mention_feature_sizes(len(words)).values()))
    optimiser = SparseAdaGrad(parameters.parameters, rate=settings.rate, penalty=settings.penalty)
    random = np.random.default_rng(SEED)
    for number in range(settings.passes):
        total = 0.0
        for index in random.permutation(len(examples)).tolist():
            loss, gradient = loss_and_gradient(parameters.merged(), examples[index])
            optimiser.step(parameters.spread(gradient))
            total += loss
        progress(f"pass {number + 1} of {settings.passes}: loss {total:.0f}")
    tables = parameters.merged()
    write_weights(folder, tables, words, window=settings.window, matches=settings.matches)
    ranker = MentionRanker.load(read_listed_files(folder))
    found = coreference_scores(development, [ranker.resolve(document) for document in development])
    progress(f"development: mean F1 {found.mean:.2%}")


# Documents with gold mentions and the same with automatic ones -> scores.


def coreference_scores(gold: Sequence[Document], automatic: Sequence[Document]) -> CoreferenceScores:
    """The scores over documents, which come in the same order; mentions are compared by their characters."""
    return score_coreference(
        (chains_of(right), chains_of(found)) for right, found in zip(gold, automatic, strict=True)
    )


def chains_of(document: Document) -> Chains:
    """The mentions of each chain as (first character, end), without chains of a single mention."""
    tokens = document.tokens
    spans: defaultdict[str, set[tuple[int, int]]] = defaultdict(set)
    for mention in document.mentions or ():
        spans[mention.chain].add((tokens[mention.start].start, tokens[mention.end - 1].end))
    return [chain for chain in spans.values() if len(chain) > 1]
