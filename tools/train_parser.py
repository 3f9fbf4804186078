"""Train the discourse parser on GUM, with its own and with automatic layers.

    python tools/train_parser.py --gum DIR [--output src/disco2/models/parser]

How good it is: ``disco2 experiment parser --corpus gum --path DIR``. Automatic layers are cached.

Questions with few answers are logistic or softmax models over classes; the choice of a span or of a sentence
is a softmax over its candidates, ``-log exp(w·x_gold) / Σ_c exp(w·x_c)``. All losses are convex, so that
training has no seed: L-BFGS on ``loss + λ/2 |w|²``.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disco2.annotation.annotator import ALL_LAYERS, AnnotatorChoice
from disco2.annotation.cache import LayerStore, layer_folder
from disco2.corpora.catalogue import read_corpus, with_automatic_layers
from disco2.data import Corpus, Relation, RelationKind
from disco2.errors import CorpusError, MissingExtraError
from disco2.parser.arguments import (
    Anchor,
    ParsedSentence,
    Span,
    SpanChoice,
    anchor_connective,
    arg1_choice,
    arg2_choice,
)
from disco2.parser.connectives import (
    ConnectiveCandidate,
    ConnectiveList,
    level2,
    usual_senses,
    without_overlaps,
)
from disco2.parser.features import (
    PARTED,
    Item,
    LinearModel,
    clause_candidates,
    clause_features,
    feature_names,
    write_models,
    yes_probabilities,
)
from disco2.parser.parser import DiscourseParser, ParsedDocument

FREQUENT = 30  # occurrences from which a word may be part of a feature
LEAST_COUNT = 4  # occurrences of a feature in one version of the corpus
RARE_SENSE = 0.01  # senses of a connective that are rarer are never given to it
# How strongly each model is held back (λ), chosen on GUM's development part.
HELD_BACK = {
    "connective": 5.0,
    "sense": 20.0,
    "earlier": 10.0,
    "earlier sentence": 10.0,
    "arg2": 3.0,
    "arg1": 3.0,
    "clause": 5.0,
    "clause sense": 10.0,
    "answer": 20.0,
}
SMALL_WEIGHT = 0.02  # features none of whose weights is larger are left out
STEPS = 150  # of L-BFGS
SPARED = 0.003  # of F1, given up for precision
SPARED_FOR_ANSWERS = 0.01  # of F1, given up for recall
THRESHOLDS = tuple(number / 100 for number in range(20, 71, 2))

Numbers = NDArray[np.float64]
Answered = tuple[Item, str]  # features, and the right class


@dataclass(frozen=True)
class Group:
    """Candidates to choose from, and the number of the right one."""

    choice: SpanChoice
    gold: int


@dataclass(frozen=True)
class Example:
    """A connective of the corpus with its relations."""

    parsed: ParsedDocument
    sentence: int
    candidate: ConnectiveCandidate
    relations: list[Relation]


@dataclass
class Material:
    """What one part of one version of a corpus teaches."""

    documents: dict[str, ParsedDocument]
    examples: list[Example]
    stated: dict[str, set[int]]  # document -> tokens of connectives
    implicit: dict[tuple[str, int], dict[int, Relation]]  # document, sentence -> begin of Arg2 -> relation
    answers: set[tuple[str, int]]  # document, sentence that answers the one before


def train_parser(
    corpora: Sequence[Corpus],
    folder: Path,
    *,
    force: bool = False,
    progress: Callable[[str], None] = lambda line: None,
) -> DiscourseParser:
    """Learn from ``train`` of all versions of a corpus, choose thresholds on ``dev`` of the last one.

    Versions differ in their layers: gold ones and automatic ones teach more together than either does alone.
    """
    training = [gather(corpus, "train") for corpus in corpora]
    development = gather(corpora[-1], "dev")
    listed = make_list(training[0])
    times = len(corpora)
    models: dict[str, LinearModel] = {}

    def keep(name: str, count: int, fit: Callable[[float, int], LinearModel]) -> None:
        models[name] = fit(times * HELD_BACK[name], times * LEAST_COUNT)
        progress(f"{name}: {count} examples, {len(models[name].rows)} features")

    def learn(name: str, answered: Iterable[Answered], classes: Sequence[str] = ("yes",)) -> None:
        items, answers = _apart(answered)
        known = classes or sorted(set(answers))
        keep(name, len(items), lambda penalty, least: fit_classes(items, answers, known, penalty, least))

    def rank(name: str, groups: Sequence[Group]) -> None:
        keep(name, len(groups), lambda penalty, least: fit_ranker(groups, penalty, least))

    learn("connective", connective_items(training, listed))
    learn("sense", sense_items(training, listed), ())
    learn("earlier", earlier_items(training, listed))
    rank("earlier sentence", list(earlier_groups(training)))
    arg2_groups, arg1_groups = span_groups(training, listed)
    rank("arg2", arg2_groups)
    rank("arg1", arg1_groups)
    clauses = list(clause_items(training, listed))
    learn("clause", ((item, "yes" if sense else "") for item, sense in clauses))
    learn("clause sense", ((item, sense) for item, sense in clauses if sense), ())
    learn("answer", answer_items(training, listed))
    models["answer"] = offset_answers(models["answer"], development, listed)

    settings: dict[str, Any] = {
        "connectives": {name: list(senses) for name, senses in sorted(listed.senses.items())},
        "frequent words": " ".join(sorted(listed.frequent)),
        "least connective": _best_connective_threshold(models["connective"], development, listed),
        "least clause": _best_clause_threshold(models["clause"], development, listed),
    }
    progress(", ".join(f"{name}: {value}" for name, value in settings.items() if name.startswith("least")))
    write_models(folder, models, settings, force=force)
    return DiscourseParser.load(folder)


# Fitting.


def fit_classes(
    items: Sequence[Item], answers: Sequence[str], classes: Sequence[str], penalty: float, least: int
) -> LinearModel:
    """A logistic model where there is one class, a softmax over several; [features, classes] weights."""
    names = _names(items, least)
    matrix = _matrix(items, names)
    gold = np.array([[answer == name for name in classes] for answer in answers], dtype=np.float64)
    shape = len(names), len(classes)

    def loss(flat: Numbers) -> tuple[float, Numbers]:
        weights = flat.reshape(shape)
        scores = matrix @ weights
        if len(classes) == 1:
            total = np.logaddexp(0, scores).sum() - scores[gold == 1].sum()
            chances = 1 / (1 + np.exp(-scores))
        else:
            top = scores.max(axis=1, keepdims=True)
            chances = np.exp(scores - top)
            rest = chances.sum(axis=1, keepdims=True)
            chances /= rest
            total = (np.log(rest) + top).sum() - scores[gold == 1].sum()
        gradient = matrix.T @ (chances - gold) + penalty * weights
        return float(total + penalty / 2 * flat @ flat), gradient.ravel()

    return _fit(loss, names, classes)


def fit_ranker(groups: Sequence[Group], penalty: float, least: int) -> LinearModel:
    """A softmax over the candidates of each group."""
    choices = [group.choice for group in groups]
    parts = [[getattr(choice, part) for choice in choices] for part in ("begins", "ends", "kinds")]
    names = _names([item for part in parts for items in part for item in items], least)
    pairs = np.array([pair for choice in choices for pair in choice.pairs])
    sizes = np.array([len(choice.pairs) for choice in choices])

    def rows(column: int, part: list[list[Item]]) -> Any:
        lengths = [len(items) for items in part]
        before = np.cumsum(lengths) - lengths
        items = [item for items in part for item in items]
        return _matrix(items, names)[np.repeat(before, sizes) + pairs[:, column]]

    first, second, third = (rows(column, part) for column, part in enumerate(parts))
    matrix = (first + second + third).tocsr()
    starts = np.cumsum(sizes) - sizes
    owner = np.repeat(np.arange(len(groups)), sizes)
    gold = starts + np.array([group.gold for group in groups])
    wanted = np.asarray(matrix[gold].sum(axis=0)).ravel()
    turned = matrix.T.tocsr()

    def loss(weights: Numbers) -> tuple[float, Numbers]:
        scores = matrix @ weights
        top = np.maximum.reduceat(scores, starts)
        chances = np.exp(scores - top[owner])
        rest = np.add.reduceat(chances, starts)
        chances /= rest[owner]
        total = (np.log(rest) + top).sum() - scores[gold].sum()
        gradient = turned @ chances - wanted + penalty * weights
        return float(total + penalty / 2 * weights @ weights), gradient

    return _fit(loss, names, ("score",))


def _names(items: Sequence[Item], least: int) -> list[str]:
    """The features in at least so many items, sorted."""
    counts = Counter(name for item in items for name in set(feature_names(item)))
    return sorted(name for name, count in counts.items() if count >= least)


def _matrix(items: Sequence[Item], names: Sequence[str]) -> Any:
    """[items, features] with the counts of each feature."""
    column_of = {name: column for column, name in enumerate(names)}
    columns: list[int] = []
    ends = [0]
    for item in items:
        columns.extend(column_of[name] for name in feature_names(item) if name in column_of)
        ends.append(len(columns))
    shape = len(items), len(names)
    return _scipy().sparse.csr_matrix((np.ones(len(columns)), columns, ends), shape=shape)


def _fit(
    loss: Callable[[Numbers], tuple[float, Numbers]], names: Sequence[str], classes: Sequence[str]
) -> LinearModel:
    """The weights of the least loss, without features of small weight."""
    found = _scipy().optimize.minimize(
        loss,
        np.zeros(len(names) * len(classes)),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": STEPS, "maxcor": 10},
    )
    weights = np.asarray(found.x).reshape(len(names), len(classes))
    kept = np.flatnonzero(np.abs(weights).max(axis=1) >= SMALL_WEIGHT)
    rows = {names[row]: number for number, row in enumerate(kept)}
    return LinearModel(tuple(classes), rows, weights[kept].astype(np.float32))


def _scipy() -> Any:
    try:
        import scipy.optimize
        import scipy.sparse
    except ImportError as error:
        raise MissingExtraError("scipy", "fast", "Training the parser") from error
    return scipy


# What a corpus teaches.


def gather(corpus: Corpus, part: str) -> Material:
    """The documents of a part, their connectives with relations, and implicit relations inside a sentence."""
    documents = {
        name: ParsedDocument(document)
        for name, document in corpus.documents.items()
        if corpus.parts.get(name) == part and document.tokens
    }
    if not documents:
        raise CorpusError(f"The corpus has no part '{part}'.", where=corpus.name)
    by_connective: dict[tuple[str, tuple[int, ...]], list[Relation]] = defaultdict(list)
    found = Material(documents, [], defaultdict(set), defaultdict(dict), set())
    for relation in corpus.relations:
        name, parsed = relation.document, documents.get(relation.document)
        if parsed is None:
            continue
        if relation.kind == RelationKind.HYPOPHORA:
            index = parsed.document.sentence_index
            if index(relation.arg1.tokens[-1]) + 1 == index(relation.arg2.tokens[0]):
                found.answers.add((name, index(relation.arg2.tokens[0])))
        if not relation.senses:
            continue
        if relation.kind == RelationKind.EXPLICIT and relation.connective_tokens:
            by_connective[name, relation.connective_tokens].append(relation)
            found.stated[name].update(relation.connective_tokens)
        elif relation.kind == RelationKind.IMPLICIT:
            number = sentence_of(parsed, (*relation.arg1.tokens, *relation.arg2.tokens))
            if number is not None:
                begin = min(relation.arg2.tokens) - parsed.sentences[number].start
                found.implicit[name, number].setdefault(begin, relation)
    for (name, tokens), relations in by_connective.items():
        found.examples.append(Example(documents[name], *documents[name].locate(tokens), relations))
    return found


def sentence_of(parsed: ParsedDocument, tokens: Sequence[int]) -> int | None:
    """The one sentence that holds all tokens, else None."""
    first, last = (parsed.document.sentence_index(token) for token in (min(tokens), max(tokens)))
    return first if first == last else None


def make_list(material: Material) -> ConnectiveList:
    """The connectives of the training part that occur twice or are well known; frequent words."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for example in material.examples:
        counts[example.candidate.name].update(level2(relation.senses[0]) for relation in example.relations)
    usual = usual_senses()
    senses = {
        name: tuple(sense for sense, count in found.most_common() if count >= RARE_SENSE * found.total())
        for name, found in counts.items()
        if found.total() >= 2 or name in usual
    }
    for name, more in usual.items():
        senses[name] = tuple(dict.fromkeys((*senses.get(name, ()), *more)))
    words = Counter(
        word
        for parsed in material.documents.values()
        for sentence in parsed.sentences
        for word in sentence.words
    )
    frequent = frozenset(word for word, count in words.items() if count >= FREQUENT and word.isalpha())
    return ConnectiveList(senses, frequent)


def _apart(answered: Iterable[Answered]) -> tuple[list[Item], list[str]]:
    every = list(answered)
    return [item for item, _ in every], [answer for _, answer in every]


def connective_items(training: Sequence[Material], listed: ConnectiveList) -> Iterator[Answered]:
    for material in training:
        gold = {
            (example.parsed.document.id, example.sentence, example.candidate.tokens)
            for example in material.examples
        }
        for name, parsed in material.documents.items():
            for number, sentence in enumerate(parsed.sentences):
                for candidate in listed.candidates(sentence):
                    item = parsed.connective_features(number, candidate, listed)
                    yield item, "yes" if (name, number, candidate.tokens) in gold else ""


def sense_items(training: Sequence[Material], listed: ConnectiveList) -> Iterator[Answered]:
    for material in training:
        for example in material.examples:
            item = example.parsed.sense_features(example.sentence, example.candidate, listed)
            for sense in sorted({level2(sense) for one in example.relations for sense in one.senses}):
                yield item, sense


def earlier_items(training: Sequence[Material], listed: ConnectiveList) -> Iterator[Answered]:
    for material in training:
        for example in material.examples:
            start = example.parsed.sentences[example.sentence].start
            item = example.parsed.connective_features(example.sentence, example.candidate, listed)
            yield item, "yes" if max(example.relations[0].arg1.tokens) < start else ""


def earlier_groups(training: Sequence[Material]) -> Iterator[Group]:
    for material in training:
        for example in material.examples:
            candidates = example.parsed.earlier_features(example.sentence, example.candidate)
            token = example.relations[0].arg1.tokens[0]
            distance = example.sentence - example.parsed.document.sentence_index(token)
            if 1 <= distance <= len(candidates):
                count = len(candidates)
                pairs = [(0, 0, kind) for kind in range(count)]
                yield Group(SpanChoice([[]], [[]], candidates, pairs, [(0, 0)] * count), distance - 1)


def span_groups(training: Sequence[Material], listed: ConnectiveList) -> tuple[list[Group], list[Group]]:
    """The choices of Arg2 and of Arg1 inside a sentence, of connectives and of clauses without one."""
    arg2_groups: list[Group] = []
    arg1_groups: list[Group] = []
    for anchor, relation in _tied(training):
        sentence = anchor.sentence
        own = (*relation.arg2.tokens, *range(sentence.start + anchor.start, sentence.start + anchor.end))
        arg2, arg1 = _stretch(sentence, own), _stretch(sentence, relation.arg1.tokens)
        choice = arg2_choice(anchor, listed)
        if arg2 in choice.spans:
            arg2_groups.append(Group(choice, choice.spans.index(arg2)))
        choice = arg1_choice(anchor, arg2, listed)
        if arg1 in choice.spans:
            arg1_groups.append(Group(choice, choice.spans.index(arg1)))
    return arg2_groups, arg1_groups


def _tied(training: Sequence[Material]) -> Iterator[tuple[Anchor, Relation]]:
    for material in training:
        for example in material.examples:
            relation = example.relations[0]
            if sentence_of(example.parsed, relation.arg1.tokens) == example.sentence:
                yield (
                    anchor_connective(example.parsed.sentences[example.sentence], example.candidate),
                    relation,
                )
        for (name, number), begins in material.implicit.items():
            for anchor in clause_candidates(material.documents[name].sentences[number]):
                if anchor.start in begins:
                    yield anchor, begins[anchor.start]


def _stretch(sentence: ParsedSentence, tokens: Sequence[int]) -> Span:
    """The stretch from the first to the last of the tokens that lie in a sentence."""
    inside = [token - sentence.start for token in tokens if 0 <= token - sentence.start < len(sentence)]
    return (min(inside), max(inside) + 1) if inside else (0, 0)


def clause_items(training: Sequence[Material], listed: ConnectiveList) -> Iterator[Answered]:
    """Features of all clauses, and the sense of the implicit relation whose Arg2 begins there, or ''."""
    for material in training:
        for name, parsed in material.documents.items():
            for number, sentence in enumerate(parsed.sentences):
                begins = material.implicit.get((name, number), {})
                stated = [token - sentence.start for token in material.stated[name]]
                stated = [token for token in stated if 0 <= token < len(sentence)]
                for anchor in clause_candidates(sentence):
                    relation = begins.get(anchor.start)
                    item = clause_features(anchor, listed, stated, parsed.style)
                    yield item, level2(relation.senses[0]) if relation else ""


def answer_items(training: Sequence[Material], listed: ConnectiveList) -> Iterator[Answered]:
    for material in training:
        for name, parsed in material.documents.items():
            for number, item in zip(*parsed.answer_items(listed), strict=True):
                yield item, "yes" if (name, number) in material.answers else ""


def _best_connective_threshold(model: LinearModel, material: Material, listed: ConnectiveList) -> float:
    items, answers = _apart(connective_items([material], listed))
    chances = yes_probabilities(model.scores(items))
    by_sentence = [
        listed.candidates(one) for parsed in material.documents.values() for one in parsed.sentences
    ]

    def f1(least: float) -> float:
        found = right = offset = 0
        for candidates in by_sentence:
            here = chances[offset : offset + len(candidates)].tolist()
            for number in without_overlaps(candidates, here, least=least):
                found += 1
                right += answers[offset + number] == "yes"
            offset += len(candidates)
        return 2 * right / (found + len(material.examples))

    return _highest_good(f1)


def _best_clause_threshold(model: LinearModel, material: Material, listed: ConnectiveList) -> float:
    items, senses = _apart(clause_items([material], listed))
    chances = yes_probabilities(model.scores(items))
    wanted = sum(map(len, material.implicit.values()))  # those without an item too
    return _highest_good(lambda least: _f1(chances >= least, senses, wanted))


def offset_answers(model: LinearModel, material: Material, listed: ConnectiveList) -> LinearModel:
    """The model of answers with offsets that make a probability of 0.5 the best threshold by F1.

    There is one offset for answers in a paragraph of their own and one for the others, which are rarer. Of
    thresholds that are nearly the best the lowest is taken.
    """
    items, answers = _apart(answer_items([material], listed))
    weights = model.weights.copy()
    for group in (f"{PARTED} 1|bias", f"{PARTED} 0|bias"):
        chances = yes_probabilities(replace(model, weights=weights).scores(items))
        inside = np.array([group in feature_names(item) for item in items])

        def f1(least: float, chances: Numbers = chances, inside: NDArray[np.bool_] = inside) -> float:
            return _f1(chances >= np.where(inside, least, 0.5), answers, len(material.answers))

        figures = {least: f1(least) for least in THRESHOLDS}
        enough = max(figures.values()) - SPARED_FOR_ANSWERS
        least = min(least for least, figure in figures.items() if figure >= enough)
        weights[model.rows[group]] -= np.log(least / (1 - least))
    return replace(model, weights=weights)


def _f1(chosen: NDArray[np.bool_], answers: Sequence[str], wanted: int) -> float:
    gold = np.array(list(map(bool, answers)), dtype=bool)
    return float(2 * gold[chosen].sum() / max(chosen.sum() + wanted, 1))


def _highest_good(f1: Callable[[float], float]) -> float:
    """The highest threshold that is nearly the best: what is reported is then more often right."""
    figures = {least: f1(least) for least in THRESHOLDS}
    return max(least for least, figure in figures.items() if figure >= max(figures.values()) - SPARED)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--gum", type=Path, required=True, help="folder of a checkout of GUM")
    options.add_argument("--output", type=Path, default=Path("src/disco2/models/parser"))
    given = options.parse_args()
    gold = read_corpus("gum", given.gum)
    with (
        AnnotatorChoice().open(layers=ALL_LAYERS, on_demand=True) as annotators,
        LayerStore(layer_folder()) as store,
    ):
        annotators.store = store
        automatic = with_automatic_layers(gold, annotators, ALL_LAYERS)
    train_parser([gold, automatic], given.output, force=True, progress=print)


if __name__ == "__main__":
    main()
