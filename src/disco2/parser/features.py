"""Features and log-linear models of the parser: connectives, their senses, clauses, questions and answers.

Those of connectives follow Pitler & Nenkova (2009) and Lin, Ng & Kan (2014): the connective, its neighbours,
its phrase with parent and siblings, the path to the root; dependencies add who governs it and what the
clauses look like.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from disco2.data import Document
from disco2.errors import BundleError
from disco2.files import HIDDEN_LIST, folder_in_place, read_listed_files
from disco2.parser.arguments import Anchor, ParsedSentence, anchor_clause
from disco2.parser.connectives import ConnectiveCandidate, ConnectiveList


def connective_features(
    sentence: ParsedSentence,
    candidate: ConnectiveCandidate,
    listed: ConnectiveList,
    *,
    style: Iterable[str] = (),
) -> Item:
    """Features of a candidate: names of what holds. ``style`` describes the document."""
    words, tags, links, heads = sentence.words, sentence.tags, sentence.links, sentence.heads
    name = candidate.name
    start, end = candidate.parts[0]
    length = len(words)
    own_tags = "+".join(tags[token] for token in candidate.tokens[:3])
    before_tag, before = (tags[start - 1], listed.word(words[start - 1])) if start else ("^", "^")
    behind_tag, behind = (tags[end], listed.word(words[end])) if end < length else ("$", "$")
    after_tag = tags[end + 1] if end + 1 < length else "$"
    place = "first" if start == 0 else "behind mark" if before_tag in (",", ":", ".") else "inside"

    node, exact = sentence.phrase_over(start, end)
    label = sentence.labels[node] if exact else own_tags
    parent = sentence.parents[node] if exact else node
    outer = sentence.labels[parent] if parent >= 0 else "none"
    before_label, behind_label, behind_verb = _siblings(sentence, parent, start, end)
    above = _path(sentence, parent)

    head = sentence.head_of(range(start, end))
    link, governor = links[head], heads[head]
    upper = heads[governor] if governor >= 0 else -1
    governor_tag, governor_link, subject, governor_word = _governor(sentence, governor, listed)
    upper_tag, _, first_subject, upper_word = _governor(sentence, upper, listed)
    side = "right" if governor > head else "left"
    rest = any(tag.startswith(("V", "M")) for tag in tags[end:])

    alone = [
        f"tags {own_tags}",
        f"before {before}",
        f"before tag {before_tag}",
        f"behind {behind}",
        f"behind tag {behind_tag}",
        f"behind tags {behind_tag} {after_tag}",
        f"around tags {before_tag} {behind_tag}",
        f"place {place}",
        f"phrase {label}",
        f"parent {outer}",
        f"left {before_label}",
        f"right {behind_label}",
        f"right verb {behind_verb}",
        f"path {above}",
        f"phrase parent {label} {outer}",
        f"siblings {before_label} {behind_label}",
        f"parent siblings {outer} {before_label} {behind_label}",
        f"link {link} {side}",
        f"governor {governor_tag}",
        f"governor link {link} {governor_link}",
        f"governor subject {link} {governor_tag} {subject:d}",
        f"clauses {governor_tag} {subject:d} {upper_tag} {first_subject:d} {governor_link}",
        f"governor word {governor_word}",
        f"upper word {upper_word}",
        f"verb behind {rest:d}",
        *style,
    ]
    return [("", ["bias", name, *alone]), (name, alone)]


def _governor(sentence: ParsedSentence, token: int, listed: ConnectiveList) -> tuple[str, str, bool, str]:
    """Tag and link of a token, whether it has a subject, and its word; -1 is what stands over the root."""
    if token < 0:
        return "root", "root", False, "?"
    word = listed.word(sentence.words[token])
    return sentence.tags[token], sentence.links[token], sentence.has_subject(token), word


def _siblings(sentence: ParsedSentence, parent: int, start: int, end: int) -> tuple[str, str, bool]:
    """Labels of what stands before and behind a phrase under its parent; whether a verb phrase is behind."""
    if parent < 0:
        return "none", "none", False
    before = sentence.tags[start - 1] if start > sentence.starts[parent] else "none"
    behind = sentence.tags[end] if end < sentence.ends[parent] else "none"
    verb = False
    for child in sentence.children[parent]:
        if sentence.ends[child] == start and sentence.starts[child] < start:
            before = sentence.labels[child]
        elif sentence.starts[child] == end:
            behind = sentence.labels[child]
            below = {sentence.labels[one] for one in sentence.children[child]}
            verb = behind == "VP" or not below.isdisjoint(("VP", "S"))
    return before, behind, verb


def _path(sentence: ParsedSentence, node: int, *, most: int = 5) -> str:
    labels: list[str] = []
    while node >= 0 and len(labels) < most:
        if not labels or labels[-1] != sentence.labels[node]:
            labels.append(sentence.labels[node])
        node = sentence.parents[node]
    return ">".join(labels)


_CLAUSE_WORDS = frozenset(
    {"not", "n't", "no", "never", "will", "would", "can", "could", "may", "might", "should", "must"}
)


def sense_features(sentence: ParsedSentence, candidate: ConnectiveCandidate, listed: ConnectiveList) -> Item:
    """Features of a connective's sense beside ``connective_features``: what its two clauses look like."""
    name = candidate.name
    start, end = candidate.parts[0]
    head = sentence.head_of(range(start, end))
    second = sentence.heads[head]
    first = sentence.heads[second] if second >= 0 else -1
    alone = []
    described = []
    for number, clause in (("second", second), ("first", first)):
        if clause < 0:
            described.append("none")
            continue
        described.append(describe_tense(sentence, clause))
        alone.append(f"{number} tense {described[-1]}")
        for child in sentence.dependents[clause]:
            word = sentence.words[child]
            if word in _CLAUSE_WORDS:
                alone.append(f"{number} has {word}")
            if sentence.links[child] in ("nsubj", "nsubj:pass"):
                alone.append(f"{number} subject {listed.word(word)}")
            elif sentence.links[child] == "advmod" and child not in candidate.tokens:
                alone.append(f"{number} adverb {listed.word(word)}")
    alone.append(f"tenses {' '.join(described)}")
    alone.append(f"order {second >= 0 and first >= 0 and first < second:d}")
    return [("", alone), (name, alone)]


def describe_tense(sentence: ParsedSentence, clause: int) -> str:
    """The tag of a clause's verb with the tag of its first auxiliary."""
    return "+".join(sentence.tags[token] for token in (clause, *_auxiliaries(sentence, clause)[:1]))


def describe_style(sentences: Sequence[ParsedSentence]) -> list[str]:
    """Features of a whole document that hint at its genre: talk, narrative or instructions."""
    tags = [tag for sentence in sentences for tag in sentence.tags]
    verbs = [tag for tag in tags if tag.startswith("VB")]
    if len(verbs) < 20:
        return ["style short"]
    past = round(4 * sum(tag in ("VBD", "VBN") for tag in verbs) / len(verbs))
    talk = min(3, int(60 * sum(tag == "UH" for tag in tags) / len(tags)))
    orders = sum(
        link == "root" and sentence.tags[token] == "VB" and not sentence.has_subject(token)
        for sentence in sentences
        for token, link in enumerate(sentence.links)
    )
    return [f"past {past}", f"talk {talk}", f"orders {min(3, int(6 * orders / len(sentences)))}"]


# Implicit relations inside a sentence: Arg2 is a purpose infinitive, a participle, a further conjunct, or a
# clause set beside another, without a connective. A candidate is a boundary where such a clause begins.
_CLAUSE_LINKS = "advcl conj parataxis xcomp acl ccomp dep obl acl:relcl advcl:relcl csubj root nmod list"
CLAUSE_STARTS = frozenset(_CLAUSE_LINKS.split())
_CLAUSE_PARTS = frozenset({"obj", "cop", "aux", "advmod", "nsubj", "conj", "advcl", "expl"})
MOST_CLAUSES = 60  # of one sentence: bounds the time, whatever the text


def clause_candidates(sentence: ParsedSentence) -> list[Anchor]:
    """Places inside a sentence where a clause begins that may relate to another one."""
    if len(sentence.boundaries) <= 2:
        return []
    found = [
        place
        for place in sentence.boundaries
        if (token := sentence.openers.get(place)) is not None
        and sentence.links[token] in CLAUSE_STARTS
        and (sentence.tags[token].startswith("VB") or _auxiliaries(sentence, token))
    ]
    return [anchor_clause(sentence, place) for place in found[:MOST_CLAUSES]]


def _auxiliaries(sentence: ParsedSentence, token: int) -> list[int]:
    return [
        child for child in sentence.dependents[token] if sentence.links[child] in ("aux", "aux:pass", "cop")
    ]


def clause_features(
    anchor: Anchor, listed: ConnectiveList, connectives: Collection[int], style: Collection[str]
) -> Item:
    """Features of a place where a clause begins. ``connectives`` are the tokens of those in the sentence."""
    sentence, place, token = anchor.sentence, anchor.start, anchor.second
    words, tags, links = sentence.words, sentence.tags, sentence.links
    first = anchor.first
    link, tag = links[token], tags[token]
    opening = listed.word(words[place] if place < token else "-")
    kinds = {links[child] for child in sentence.dependents[token]}
    introduced = "cc" if "cc" in kinds else "mark" if "mark" in kinds else "none"
    stated = any(place <= other <= token for other in connectives)
    stated_before = any(other < place for other in connectives)
    mark = tags[place - 1] if place and sentence.closing[place - 1] else "none" if place else "^"
    first_tag = tags[first] if first >= 0 else "none"
    side = "left" if first < token else "right"
    subject = sentence.has_subject(token)
    first_subject = first >= 0 and sentence.has_subject(first)
    second_tense = describe_tense(sentence, token)
    first_tense = describe_tense(sentence, first) if first >= 0 else "none"
    kind = f"{link} {introduced} {tag}"
    distance = min(4, sum(min(first, place) < other < max(first, place) for other in anchor.boundaries))
    alone = [
        f"link {link} {side}",
        f"opening {opening}",
        f"opening tag {tags[place]}",
        f"kind {kind} {side}",
        f"stated {stated:d}",
        f"stated before {stated_before:d}",
        f"mark {mark}",
        f"first {first_tag}",
        f"first link {links[first] if first >= 0 else 'none'}",
        f"subjects {subject:d} {first_subject:d}",
        f"tenses {first_tense} {second_tense}",
        f"clause {sentence.clauses.get(place, 'none')}",
        f"upper {anchor.upper_ends.get(len(sentence), 'none')}",
        f"verb {listed.word(words[token])}",
        f"first verb {listed.word(words[first]) if first >= 0 else 'none'}",
        f"distance {distance}",
        f"place {'first' if place == 0 else 'inside'}",
        *[f"has {name}" for name in sorted(kinds & _CLAUSE_PARTS)],
        *style,
    ]
    head = f"{link} {introduced} {stated:d}"
    return [("", ["bias", *alone]), (head, alone), (kind, alone[4:12])]


# Hypophora: whether a sentence answers the question in the sentence before it.
REPLIES = frozenset({"yes", "no", "yeah", "nope", "yep", "yup", "sure", "okay", "well", "mhm", "uh", "right"})
WH_TAGS = frozenset({"WP", "WP$", "WRB", "WDT"})
PARTED = "parted"  # name of a feature: whether a line break stands between question and answer
WH_PLACES = 4  # tokens at the beginning of a question among which its wh-word stands


def has_question_mark(sentence: ParsedSentence) -> bool:
    return "?" in sentence.words[-2:]


def is_question(sentence: ParsedSentence) -> bool:
    """Whether a sentence ends in a question mark, or has the phrase structure of a question."""
    return has_question_mark(sentence) or any(label in ("SBARQ", "SQ") for label in sentence.labels[:2])


def answer_features(
    document: Document, question: ParsedSentence, answer: ParsedSentence, listed: ConnectiveList
) -> Item:
    """Features of two neighbouring sentences, the first of which is a question.

    The kind of question and whether a line break is between the two (as where speakers take turns) decide
    how the rest counts, so every feature is combined with both.
    """
    tokens = document.tokens
    gap = document.text[tokens[question.start + len(question) - 1].end : tokens[answer.start].start]
    parted = "\n" in gap
    opening = zip(question.words[:WH_PLACES], question.tags, strict=False)
    wh = next((word for word, tag in opening if tag in WH_TAGS), "")
    inverted = any(label in ("SQ", "SINV") for label in question.labels)
    kind = "wh" if wh else "inverted" if inverted else "plain"
    alone = [
        "bias",
        f"wh {wh}",
        f"mark {has_question_mark(question):d}",
        f"size {question.size}",
        f"answer {listed.word(answer.words[0])}",
        f"answer tag {answer.tags[0]}",
        f"answer size {answer.size}",
        f"reply {answer.words[0] in REPLIES:d}",
        f"asks {is_question(answer):d}",
    ]
    heads = (kind, f"{PARTED} {parted:d}", f"{kind} {PARTED} {parted:d}")
    return [(head, alone) for head in ("", *heads)]


# The families of features, by the first word of a feature's name.
_FAMILIES = {
    "words around the connective": "tags before behind around place verb",
    "phrases around the connective": "phrase parent left right path siblings",
    "dependencies of the connective": "link governor clauses upper",
    "the two clauses": "second first tenses order",
    "style of the text": "style past talk orders",
    "the question": "wh mark size bias",
    "the answer": "answer reply asks",
}
_FAMILY_OF = {word: family for family, words in _FAMILIES.items() for word in words.split()}


def feature_family(name: str) -> str:
    """The family of a feature of a connective or an answer, in words for people."""
    if name == "bias":
        return name
    return _FAMILY_OF.get(name.rpartition("|")[2].split(" ")[0], "the connective itself")


Scores = NDArray[np.float32]
# Heads with names of features: ``("if", ["x", "y"])`` stands for "if|x" and "if|y", and ``("", ["x"])`` for
# "x". Few heads occur in a model, so that most such names need not be made or looked up.
Item = Sequence[tuple[str, Sequence[str]]]
MODEL_FILE, WEIGHTS_FILE = "model.json", "weights.safetensors"
FORMAT = 1


@dataclass(frozen=True)
class LinearModel:
    """Scores ``s = Σ_f W[f]`` of classes, f running over the features of an item that the model knows.

    ``weights`` is [features, classes]. One class means a yes-no question or a ranking.
    """

    classes: tuple[str, ...]
    rows: Mapping[str, int]
    weights: Scores

    @cached_property
    def _rows_by_head(self) -> dict[str, dict[str, int]]:
        found: dict[str, dict[str, int]] = {"": dict(self.rows)}
        for name, row in self.rows.items():
            head, bar, rest = name.partition("|")
            if bar:
                found.setdefault(head, {})[rest] = row
        return found

    def scores(self, items: Sequence[Item]) -> Scores:
        """[items, classes]; all items at once, because one gather is quicker than many."""
        result = np.zeros((len(items), self.weights.shape[1]), dtype=np.float32)
        by_head = self._rows_by_head
        rows: list[int] = []
        ends = []
        for item in items:
            for head, names in item:
                below = by_head.get(head)
                if below:
                    rows += [below[name] for name in names if name in below]
            ends.append(len(rows))
        begins = np.array([0, *ends[:-1]])
        filled = np.flatnonzero(begins < ends)
        if len(filled):
            gathered = self.weights[np.array(rows, dtype=np.intp)]
            result[filled] = np.add.reduceat(gathered, begins[filled], axis=0)
        return result

    def terms(self, item: Item) -> list[tuple[str, NDArray[np.float64]]]:
        """The features of one item that are known, with their parts in the scores, [classes]."""
        known = [name for name in feature_names(item) if name in self.rows]
        return [(name, self.weights[self.rows[name]].astype(np.float64)) for name in known]


def feature_names(item: Item) -> list[str]:
    """All names of an item's features, each with its head."""
    return [f"{head}|{name}" if head else name for head, names in item for name in names]


def probabilities(scores: Scores) -> NDArray[np.float64]:
    """Softmax over the last axis, ``p_i = exp(s_i) / Σ_j exp(s_j)``."""
    shifted = np.exp(scores.astype(np.float64) - scores.max(axis=-1, keepdims=True))
    result: NDArray[np.float64] = shifted / shifted.sum(axis=-1, keepdims=True)
    return result


def yes_probabilities(scores: Scores) -> NDArray[np.float64]:
    """``1 / (1 + exp(-s))`` of a yes-no question's only score."""
    result: NDArray[np.float64] = 1 / (1 + np.exp(-scores[:, 0].astype(np.float64)))
    return result


def write_models(
    folder: Path, models: Mapping[str, LinearModel], settings: Mapping[str, Any], *, force: bool = False
) -> None:
    """Write models and settings: names as JSON, weights as safetensors in half precision, hashes."""
    described = {
        name: {"classes": list(model.classes), "features": "\n".join(model.rows)}
        for name, model in models.items()
    }
    content = {"format": FORMAT, "settings": dict(settings), "models": described}
    weights = {name: model.weights.astype(np.float16) for name, model in models.items()}
    with folder_in_place(folder, HIDDEN_LIST, force=force) as place:
        text = json.dumps(content, ensure_ascii=False, indent=1)
        (place / MODEL_FILE).write_text(text + "\n", encoding="utf-8")
        (place / WEIGHTS_FILE).write_bytes(save(weights))


def read_models(folder: Path) -> tuple[dict[str, LinearModel], dict[str, Any], str]:
    """Models, settings and a hash of both; BundleError if they are missing, damaged or of another format."""
    files = read_listed_files(folder)
    try:
        content = json.loads(files[MODEL_FILE])
        if content["format"] != FORMAT:
            raise ValueError(f"it has format {content['format']}; this version reads {FORMAT}")
        arrays = load(files[WEIGHTS_FILE])
        models = {}
        for name, described in content["models"].items():
            features = described["features"].split("\n") if described["features"] else []
            weights = arrays[name].astype(np.float32)
            if weights.shape != (len(features), len(described["classes"])):
                raise ValueError(f"{name} has {weights.shape} weights")
            rows = {feature: row for row, feature in enumerate(features)}
            models[name] = LinearModel(tuple(described["classes"]), rows, weights)
        hashes = [sha256(files[name]).hexdigest() for name in (MODEL_FILE, WEIGHTS_FILE)]
        return models, dict(content["settings"]), sha256("".join(hashes).encode()).hexdigest()
    except (ValueError, LookupError, TypeError, AttributeError, SafetensorError) as error:
        raise BundleError(f"The parser's model can't be read: {error}.", where=str(folder)) from error
