"""Pairs whose sense depends only on the roles of a shared entity: a test of the paper's central claim.

"Tina gave Anna the burger. She was hungry." The giving is explained if she is the one who got the burger
(``Contingency.Cause.Reason``), and surprising if she is the one who gave it
(``Comparison.Concession.Arg2-as-denier``). Both women may be meant, so every pair of sentences occurs twice
in its part, word for word, once with either sense; the coreference chain is all that differs. A model that
does not look at the entities can't do better than one half.

A corpus is a folder: ``pairs.jsonl``, ``trees.ptb``, ``dependencies.conllu`` and ``coreference.conll``, one
document a pair, in the same order. Trees, dependencies and chains are made with the sentences, not by a
parser. Neither the names nor the verbs of transfer of one part occur in another.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from disco2.annotation.coreference import parse_coreference
from disco2.annotation.layers import document_from_trees, with_dependencies, with_mentions
from disco2.annotation.treebanks import parse_brackets, parse_conllu
from disco2.corpora.pairs import read_pairs
from disco2.corpora.reading import check_folder, read_text
from disco2.data import Argument, Corpus, Document, Relation
from disco2.errors import CorpusError
from disco2.files import HIDDEN_LIST, check_folder_place, folder_in_place

NAME = "role-pairs"
PARTS = ("train", "dev", "test")
# Entities of the two sentences; the pronoun of the second one is the person: the giver or the recipient.
GIVER, RECIPIENT, OBJECT, PERSON = "giver", "recipient", "object", "person"
SENSES = {RECIPIENT: "Contingency.Cause.Reason", GIVER: "Comparison.Concession.Arg2-as-denier"}
PAIRS, TREES, DEPENDENCIES, COREFERENCE = FILES = (
    "pairs.jsonl",
    "trees.ptb",
    "dependencies.conllu",
    "coreference.conll",
)
WORDS = Path(__file__).with_name("role_words.toml")
DEGREES = ("very", "quite", "really", "terribly")
MANNERS = ("quietly", "quickly", "gladly", "finally", "suddenly")
TROUBLED = ("bothered", "troubled", "worried")
WANTED = ("needed", "wanted")
PLACES = ("at station", "in park", "in kitchen", "near school", "at market", "outside office")
MOMENTS = ("after lunch", "before dinner", "after work", "after school", "at noon")
DAYS = ("That morning", "That evening", "Last week", "Last night")

_LARGEST = 100_000
_AGAIN = "Write the corpus again."
_GLUED = frozenset({",", "."})
_UNIVERSAL = {
    "DT": "DET",
    "IN": "ADP",
    "JJ": "ADJ",
    "NN": "NOUN",
    "NNP": "PROPN",
    "NNS": "NOUN",
    "PRP": "PRON",
    "PRP$": "PRON",
    "RB": "ADV",
    "RBR": "ADV",
    "TO": "ADP",
    "VB": "VERB",
    "VBD": "VERB",
    "VBN": "VERB",
    ",": "PUNCT",
    ".": "PUNCT",
}
# A tree as brackets whose labels have the dependency and perhaps an entity: (NP/nsubj/giver (NNP/head Tina)).
# The dependency is that of the node's head on the head of its parent; the head child has "head".
_PIECE = re.compile(r"\(([^\s/()]+)/([^\s/()]+)(?:/(\w+))?|([^\s()]+)|\)")
_FIRST_WORD = re.compile(r"(?<= )[^\s()/]+(?=\))")


@dataclass(frozen=True)
class FlatSentence:
    """A tree, read off: ``heads`` count from 0, -1 for the root; ``mentions`` are (start, end, entity)."""

    words: tuple[str, ...]
    tags: tuple[str, ...]
    heads: tuple[int, ...]
    relations: tuple[str, ...]
    brackets: str
    mentions: tuple[tuple[int, int, str], ...]

    @property
    def text(self) -> str:
        pieces = [word if word in _GLUED else f" {word}" for word in self.words]
        return "".join(pieces).strip()

    def conllu_lines(self) -> list[str]:
        """The ten columns of each token."""
        lines = []
        for token, (word, tag) in enumerate(zip(self.words, self.tags, strict=True)):
            relation = self.relations[token]
            glued = token + 1 < len(self.words) and self.words[token + 1] in _GLUED
            universal, space = _universal_tag(word, tag, relation), "SpaceAfter=No" if glued else "_"
            head = str(self.heads[token] + 1)
            lines.append(
                "\t".join((str(token + 1), word, "_", universal, tag, "_", head, relation, "_", space))
            )
        return lines


@dataclass(frozen=True)
class RolePair:
    """Two sentences, and which of the two participants the second one is about."""

    id: str
    part: str
    first: FlatSentence
    second: FlatSentence
    antecedent: str


def write_role_pairs(directory: Path, *, size: int = 2000, seed: int = 1, force: bool = False) -> Path:
    """Write a corpus with ``size`` training pairs and a fifth as many in dev and in test.

    The same size and seed give the same bytes. A corpus that is already there is replaced;
    ``files.check_folder_place`` says what else may be there, and what ``force`` does.
    """
    if size < 10 or size % 10 or size > _LARGEST:
        raise CorpusError(
            f"A role-pair corpus can't have {size} training pairs.",
            hint=f"Choose a multiple of 10, at most {_LARGEST}; dev and test get a fifth of it each.",
        )
    check_folder_place(directory, HIDDEN_LIST, force=force)
    pairs = list(_pairs(size=size, random=Random(seed)))  # noqa: S311
    writers = (_json_line, _tree_lines, _conllu_block, _coreference_block)
    with folder_in_place(directory, HIDDEN_LIST, force=force) as folder:
        for name, write in zip(FILES, writers, strict=True):
            (folder / name).write_text("".join(map(write, pairs)), encoding="utf-8", newline="\n")
    return directory


def read_role_pairs(path: Path) -> Corpus:
    """The corpus in a folder, with trees, dependencies and coreference on every document."""
    check_folder(path, holds=f"a corpus of role pairs ({', '.join(FILES)})")
    plain = read_pairs(path / PAIRS, inventory_name="pdtb3")
    issues = plain.issues
    places = {name: str(path / name) for name in FILES}
    trees = parse_brackets(read_text(path / TREES, issues=issues), where=places[TREES])
    parses = parse_conllu(read_text(path / DEPENDENCIES, issues=issues), where=places[DEPENDENCIES])
    chains = parse_coreference(
        read_text(path / COREFERENCE, issues=issues), where=places[COREFERENCE], issues=issues
    )
    count = len(plain.relations)
    if (len(trees), len(parses), len(chains)) != (2 * count, 2 * count, count):
        raise CorpusError(
            f"{count} pairs, {len(trees)} trees, {len(parses)} parses and {len(chains)} documents with "
            "coreference don't fit together.",
            where=str(path),
            hint=_AGAIN,
        )
    documents: dict[str, Document] = {}
    relations: list[Relation] = []
    for index, relation in enumerate(plain.relations):
        both = slice(2 * index, 2 * index + 2)
        name, text = relation.document, plain.documents[relation.document].text
        document = document_from_trees(name, text, trees[both], where=places[TREES], issues=issues)
        if chains[index].name != name or len(document.sentences) != 2:
            raise CorpusError(f"The layers of '{name}' don't fit its pair.", where=str(path), hint=_AGAIN)
        document = with_dependencies(document, parses[both], where=places[DEPENDENCIES], issues=issues)
        document = with_mentions(document, chains[index], where=places[COREFERENCE], issues=issues)
        documents[name] = document
        first, second = (tuple(range(one.start, one.end)) for one in document.sentences)
        arg1, arg2 = Argument(first, relation.arg1.text), Argument(second, relation.arg2.text)
        relations.append(replace(relation, arg1=arg1, arg2=arg2))
    return Corpus(NAME, plain.inventory, documents, tuple(relations), plain.parts, issues)


def _pairs(*, size: int, random: Random) -> Iterator[RolePair]:
    for part in PARTS:
        seen: set[tuple[str, str]] = set()
        wanted = size if part == "train" else size // 5
        while 2 * len(seen) < wanted:
            first, second = _two_sentences(part, random)
            if (first.text, second.text) in seen:
                continue
            seen.add((first.text, second.text))
            order = (GIVER, RECIPIENT) if random.random() < 0.5 else (RECIPIENT, GIVER)
            for letter, antecedent in zip("ab", order, strict=True):
                yield RolePair(f"{part}-{len(seen):05d}{letter}", part, first, second, antecedent)


def _two_sentences(part: str, random: Random) -> tuple[FlatSentence, FlatSentence]:
    words = _words()
    female = random.random() < 0.5
    giver, recipient = random.sample(words["names"]["female" if female else "male"][part].split(), 2)
    gives = random.random() < 0.5
    verb = random.choice(words["verbs"]["giving" if gives else "taking"][part])
    kind = words["kinds"][random.choice(verb.get("kinds") or tuple(words["kinds"]))]
    thing = random.choice(kind["things"].split())
    adjective = random.choice(kind["adjectives"].split()) if random.random() < 0.3 else ""
    event = Event(giver, recipient, thing, adjective, verb)
    first = flatten(_event_sentence(event, gives=gives, random=random))
    second = flatten(_need_sentence(kind, thing, SHE if female else HE, random=random))
    return first, second


@cache
def _words() -> dict[str, Any]:
    return tomllib.loads(WORDS.read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Event:
    """A transfer: who, to whom, what; ``verb`` has past, participle and perhaps double, passive, kinds."""

    giver: str
    recipient: str
    thing: str
    adjective: str  # "" for none
    verb: dict[str, Any]

    def person(self, entity: str, relation: str = "head") -> str:
        name = self.giver if entity == GIVER else self.recipient
        return f"(NP/{relation}/{entity} (NNP/head {name}))"

    def object(self, relation: str) -> str:
        adjective = f"(JJ/amod {self.adjective}) " if self.adjective else ""
        return f"(NP/{relation}/{OBJECT} (DT/det the) {adjective}{_noun(self.thing)})"

    def frames(self, *, gives: bool) -> list[tuple[str, str, str]]:
        """The possible clauses: what precedes the verb, "was" or "were" of a passive, the complements."""
        was = "were" if self.thing.startswith("+") else "was"
        if gives:
            to = _preposition("to", self.person(RECIPIENT), "obl")
            by = _preposition("by", self.person(GIVER), "obl:agent")
            active = (self.person(GIVER, "nsubj"), "", f"{self.object('obj')} {to}")
            passive = (self.object("nsubj:pass"), was, f"{to} {by}")
            if not self.verb.get("double"):
                return [active, passive]
            both = f"{self.person(RECIPIENT, 'iobj')} {self.object('obj')}"
            given = (self.person(RECIPIENT, "nsubj:pass"), "was", f"{self.object('obj')} {by}")
            return [(self.person(GIVER, "nsubj"), "", both), active, given, passive]
        giver = _preposition("from", self.person(GIVER), "obl")
        by = _preposition("by", self.person(RECIPIENT), "obl:agent")
        subject = self.person(RECIPIENT, "nsubj")
        takes = (subject, "", f"{self.object('obj')} {giver}")
        fronted = (f"{giver} (,/punct ,) {subject}", "", self.object("obj"))
        taken = (self.object("nsubj:pass"), was, f"{giver} {by}")
        return [takes, takes, fronted, *([taken] if self.verb.get("passive", True) else [])]


class Pronouns(NamedTuple):
    subject: str
    object: str
    possessive: str


SHE, HE = Pronouns("she", "her", "her"), Pronouns("he", "him", "his")


def _event_sentence(event: Event, *, gives: bool, random: Random) -> str:
    """Who gave what to whom, perhaps with a time, a place or a manner."""
    subject, was, complements = random.choice(event.frames(gives=gives))
    before, after = _adjuncts(random)
    manner = random.choice(MANNERS) if random.random() < 0.15 else ""
    middle = f"(ADVP/advmod (RB/head {manner}))" if manner else ""
    if was:  # was quietly handed ... at the station
        participle = _join(f"(VBN/head {event.verb['participle']})", complements, after)
        verb = _join(f"(VBD/aux:pass {was})", middle, f"(VP/head {participle})")
        return _sentence(before, subject, f"(VP/head {verb})")
    verb = _join(f"(VBD/head {event.verb['past']})", complements, after)
    return _sentence(before, subject, middle, f"(VP/head {verb})")


def _need_sentence(kind: dict[str, Any], thing: str, pronouns: Pronouns, *, random: Random) -> str:
    """Who is in need; the pronoun may be subject, object or possessive."""
    optional = ("lacks", "undone", "belongings", "troubles")
    way = random.choice(
        ["was", "was", "felt", "nobody", "wanted", *(name for name in optional if name in kind)]
    )
    clause = _clause(way, kind, thing, pronouns, random)
    return _sentence(_fronted(_day("That", "day")) if random.random() < 0.15 else "", clause)


def _clause(way: str, kind: dict[str, Any], thing: str, pronouns: Pronouns, random: Random) -> str:
    subject = f"(NP/nsubj/{PERSON} (PRP/head {pronouns.subject}))"
    match way:
        case "was":
            return f"{subject} (VP/head (VBD/cop was) {_state(kind, random, 'head')})"
        case "felt":
            return f"{subject} (VP/head (VBD/head felt) {_state(kind, random, 'xcomp')})"
        case "nobody":
            than = f"(SBAR/advcl (IN/mark than) (S/head {subject} (VP/head (VBD/head was))))"
            more = f"(ADJP/head (RBR/advmod more) (JJ/head {random.choice(kind['states'].split())}))"
            return f"(NP/nsubj (NN/head nobody)) (VP/head (VBD/cop was) (ADJP/head {more} {than}))"
        case "wanted":
            it = f"(NP/obj/{OBJECT} (PRP/head {'them' if thing.startswith('+') else 'it'}))"
            verb = f"(VBD/head {random.choice(WANTED)})"
            return f"{subject} (VP/head {verb} {it} (ADVP/advmod (RB/head badly)))"
        case "lacks":
            verb = f"(VP/head (TO/mark to) (VP/head (VB/head {random.choice(kind['lacks'].split())})))"
            lack = f"(NP/obj (NP/head (NN/head nothing)) (SBAR/acl (S/head {verb})))"
            return f"{subject} (VP/head (VBD/head had) {lack})"
        case "undone":
            participle, time = random.choice(kind["undone"])
            all_day = f"(NP/obl:tmod (DT/det all) (NN/head {time}))"
            inner = f"(VP/head (VBN/head {participle}) {all_day})"
            return f"{subject} (VP/head (VBD/aux had) (RB/advmod not) {inner})"
        case "belongings":
            belonging, state = random.choice(kind["belongings"])
            owner = f"(PRP$/nmod:poss/{PERSON} {pronouns.possessive})"
            verb = f"(VBD/cop {'were' if belonging.startswith('+') else 'was'})"
            return f"(NP/nsubj {owner} {_noun(belonging)}) (VP/head {verb} (ADJP/head (JJ/head {state})))"
        case _:
            determiner, trouble = random.choice(kind["troubles"])
            first = f"(DT/det {determiner}) " if determiner else ""
            her = f"(NP/obj/{PERSON} (PRP/head {pronouns.object}))"
            verb = f"(VBD/head {random.choice(TROUBLED)})"
            return f"(NP/nsubj {first}{_noun(trouble)}) (VP/head {verb} {her})"


def _state(kind: dict[str, Any], random: Random, relation: str) -> str:
    states = kind["states"].split()
    state = random.choice(states + kind.get("extremes", "").split())
    graded = state in states and random.random() < 0.4
    degree = f"(RB/advmod {random.choice(DEGREES)}) " if graded else ""
    return f"(ADJP/{relation} {degree}(JJ/head {state}))"


def _noun(word: str) -> str:
    return f"({'NNS' if word.startswith('+') else 'NN'}/head {word.lstrip('+')})"


def _preposition(word: str, complement: str, relation: str) -> str:
    return f"(PP/{relation} ({'TO' if word == 'to' else 'IN'}/case {word}) {complement})"


def _adjuncts(random: Random) -> tuple[str, str]:
    """A time or place before the subject or at the end, or neither."""
    chance = random.random()
    if chance < 0.5:
        return "", ""
    preposition, place = random.choice(PLACES).split()
    moment, meal = random.choice(MOMENTS).split()
    choices = [
        _preposition(preposition, f"(NP/head (DT/det the) (NN/head {place}))", "obl"),
        _preposition(moment, f"(NP/head (NN/head {meal}))", "obl"),
    ]
    if chance < 0.75:
        return "", random.choice(choices)
    choices += ["(NP/obl:tmod (NN/head yesterday))", _day(*random.choice(DAYS).split())]
    return _fronted(random.choice(choices)), ""


def _day(determiner: str, noun: str) -> str:
    tag = "JJ/amod" if determiner == "Last" else "DT/det"
    return f"(NP/obl:tmod ({tag} {determiner}) (NN/head {noun}))"


def _fronted(adjunct: str) -> str:
    return f"{adjunct} (,/punct ,)"


def _sentence(*pieces: str) -> str:
    """The clause with its full stop; the first word gets a capital."""
    tree = f"(S/root {_join(*pieces, '(./punct .)')})"
    return _FIRST_WORD.sub(lambda word: word[0][:1].upper() + word[0][1:], tree, count=1)


def _join(*pieces: str) -> str:
    return " ".join(filter(None, pieces))


@dataclass
class _Node:
    label: str
    relation: str
    entity: str
    parent: int
    start: int
    end: int = 0
    leaf: int = -1  # the token that is its head


def flatten(tree: str) -> FlatSentence:
    """Read words, phrases, dependencies and mentions off a tree."""
    nodes: list[_Node] = []
    path: list[int] = []
    words: list[str] = []
    tags: list[str] = []
    for piece in _PIECE.finditer(tree):
        label, relation, entity, word = piece.groups(default="")
        if label:
            nodes.append(_Node(label, relation, entity, path[-1] if path else -1, len(words)))
            path.append(len(nodes) - 1)
        elif word:
            nodes[path[-1]].leaf = len(words)
            words.append(word)
            tags.append(nodes[path[-1]].label)
        else:
            nodes[path.pop()].end = len(words)
    for node in reversed(nodes):  # children come after their parents
        if node.relation == "head":
            nodes[node.parent].leaf = node.leaf
    heads, relations = [-1] * len(words), ["root"] * len(words)
    for node in nodes[1:]:
        if node.relation != "head":
            heads[node.leaf], relations[node.leaf] = nodes[node.parent].leaf, node.relation
    mentions = tuple((node.start, node.end, node.entity) for node in nodes if node.entity)
    brackets = re.sub(r"/[^\s()]+", "", tree)
    return FlatSentence(tuple(words), tuple(tags), tuple(heads), tuple(relations), brackets, mentions)


def _universal_tag(word: str, tag: str, relation: str) -> str:
    """The tag of Universal Dependencies for the few words that occur here."""
    if word.lower() in ("nobody", "nothing"):
        return "PRON"
    if word == "not":
        return "PART"
    if relation == "mark":
        return "PART" if tag == "TO" else "SCONJ"
    if relation == "aux" or word in ("was", "were"):
        return "AUX"
    return _UNIVERSAL[tag]


def _json_line(pair: RolePair) -> str:
    record = {
        "id": pair.id,
        "split": pair.part,
        "arg1": pair.first.text,
        "arg2": pair.second.text,
        "label": SENSES[pair.antecedent],
    }
    return json.dumps(record) + "\n"


def _tree_lines(pair: RolePair) -> str:
    return "".join(f"(ROOT {sentence.brackets})\n" for sentence in (pair.first, pair.second))


def _conllu_block(pair: RolePair) -> str:
    lines = [f"# newdoc id = {pair.id}"]
    for number, sentence in enumerate((pair.first, pair.second), start=1):
        lines += [f"# sent_id = {pair.id}-{number}", f"# text = {sentence.text}"]
        lines += [*sentence.conllu_lines(), ""]
    return "".join(f"{line}\n" for line in lines)


def _coreference_block(pair: RolePair) -> str:
    """Twelve columns as in CoNLL-2012, those for layers that are not here left empty."""
    cells = _coreference_cells(pair)
    lines = [f"#begin document ({pair.id}); part 000"]
    for number, sentence in enumerate((pair.first, pair.second)):
        for token, (word, tag) in enumerate(zip(sentence.words, sentence.tags, strict=True)):
            cell = "|".join(cells[number, token]) or "-"
            lines.append("\t".join((pair.id, "0", str(token), word, tag, "*", "-", "-", "-", "-", "*", cell)))
        lines.append("")
    lines.append("#end document")
    return "".join(f"{line}\n" for line in lines)


def _coreference_cells(pair: RolePair) -> defaultdict[tuple[int, int], list[str]]:
    """The brackets of the chains by sentence and token; an entity with a single mention has no chain."""
    cells: defaultdict[tuple[int, int], list[str]] = defaultdict(list)
    chain = 0
    for entities in ({pair.antecedent, PERSON}, {OBJECT}):
        mentions = [
            (number, start, end - 1)
            for number, sentence in enumerate((pair.first, pair.second))
            for start, end, entity in sentence.mentions
            if entity in entities
        ]
        if len(mentions) > 1:
            for number, start, last in mentions:
                cells[number, start].append(f"({chain})" if start == last else f"({chain}")
                if start != last:
                    cells[number, last].append(f"{chain})")
            chain += 1
    return cells
