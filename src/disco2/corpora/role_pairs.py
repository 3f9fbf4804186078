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
from typing import Any

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
FILES = ("pairs.jsonl", "trees.ptb", "dependencies.conllu", "coreference.conll")
WORDS = Path(__file__).with_name("role_words.toml")

_LARGEST = 100_000

_COMMA = "(,/punct ,)"
_GLUED = frozenset({",", "."})
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
        return "".join(word if word in _GLUED else f" {word}" for word in self.words).strip()


@dataclass(frozen=True)
class RolePair:
    """Two sentences, and which participant the second one is about."""

    id: str
    part: str
    sentences: tuple[FlatSentence, FlatSentence]
    antecedent: str


def write_role_pairs(directory: Path, *, size: int = 2000, seed: int = 1, force: bool = False) -> Path:
    """Write a corpus with ``size`` training pairs and a fifth as many in dev and in test.

    The same size and seed give the same bytes. For what may be in the folder, and ``force``, see
    ``files.check_folder_place``.
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
    plain = read_pairs(path / FILES[0], inventory_name="pdtb3")
    issues, where = plain.issues, str(path)
    texts = [read_text(path / name, issues=issues) for name in FILES[1:]]
    trees, parses = parse_brackets(texts[0], where=where), parse_conllu(texts[1], where=where)
    chains = parse_coreference(texts[2], where=where, issues=issues)
    count = len(plain.relations)
    fits = (len(trees), len(parses), len(chains)) == (2 * count, 2 * count, count)
    documents: dict[str, Document] = {}
    relations: list[Relation] = []
    for index, relation in enumerate(plain.relations):
        both = slice(2 * index, 2 * index + 2)
        name, text = relation.document, plain.documents[relation.document].text
        document = document_from_trees(name, text, trees[both], where=where, issues=issues)
        if not fits or chains[index].name != name or len(document.sentences) != 2:
            hint = "Write the corpus again."
            raise CorpusError(f"Not all layers fit the {count} pairs.", where=where, hint=hint)
        document = with_dependencies(document, parses[both], where=where, issues=issues)
        documents[name] = with_mentions(document, chains[index], where=where, issues=issues)
        first, second = (tuple(range(one.start, one.end)) for one in document.sentences)
        arg1, arg2 = Argument(first, relation.arg1.text), Argument(second, relation.arg2.text)
        relations.append(replace(relation, arg1=arg1, arg2=arg2))
    return Corpus(NAME, plain.inventory, documents, tuple(relations), plain.parts, issues)


def _pairs(*, size: int, random: Random) -> Iterator[RolePair]:
    for part in PARTS:
        seen: set[tuple[str, str]] = set()
        wanted = size if part == "train" else size // 5
        while 2 * len(seen) < wanted:
            sentences = _two_sentences(part, random)
            texts = sentences[0].text, sentences[1].text
            if texts in seen:
                continue
            seen.add(texts)
            order = (GIVER, RECIPIENT) if random.random() < 0.5 else (RECIPIENT, GIVER)
            for letter, antecedent in zip("ab", order, strict=True):
                yield RolePair(f"{part}-{len(seen):05d}{letter}", part, sentences, antecedent)


def _two_sentences(part: str, random: Random) -> tuple[FlatSentence, FlatSentence]:
    words = _words()
    female = random.random() < 0.5
    giver, recipient = random.sample(words["names"]["female" if female else "male"][part].split(), 2)
    way = "giving" if random.random() < 0.5 else "taking"
    verb = random.choice(words["verbs"][way][part])
    kind = words["kinds"][random.choice(verb.get("kinds") or tuple(words["kinds"]))]
    thing = random.choice(kind["things"].split())
    adjective = random.choice(kind["adjectives"].split()) if random.random() < 0.3 else ""
    # Who gave what to whom, perhaps with a time, a place or a manner.
    properties = {"double": verb.get("double", False), "passive": verb.get("passive", True), "": True}
    frames = [one["tree"] for one in words["frames"][way] if properties[one.get("needs", "")]]
    tree = random.choice(frames)
    before, after = _adjuncts(random)
    manner = random.choice(words["choices"]["manners"]) if random.random() < 0.15 else ""
    event = tree.format(
        giver=giver,
        recipient=recipient,
        past=verb["past"],
        participle=verb["participle"],
        thing=_join("(DT/det the)", f"(JJ/amod {adjective})" if adjective else "", _noun(thing)),
        was=_was(thing),
        before=before,
        after=after,
        manner=f"(ADVP/advmod (RB/head {manner}))" if manner else "",
    )
    need = _need(kind, thing, ("she", "her", "her") if female else ("he", "him", "his"), random)
    day = f"{_day('That', 'day')} {_COMMA}" if random.random() < 0.15 else ""
    return flatten(_sentence(event)), flatten(_sentence(f"{day} {need}"))


@cache
def _words() -> dict[str, Any]:
    return tomllib.loads(WORDS.read_text(encoding="utf-8"))


def _need(kind: dict[str, Any], thing: str, pronouns: tuple[str, str, str], random: Random) -> str:
    """The clause of who is in need; the pronoun may be subject, object or possessive."""
    choices = _words()["choices"]
    optional = ("lacks", "undone", "belongings", "troubles")
    way = random.choice(
        ["was", "was", "felt", "nobody", "wanted", *(name for name in optional if name in kind)]
    )
    subject, pronoun, possessive = pronouns
    filled = {
        "she": f"(NP/nsubj/{PERSON} (PRP/head {subject}))",
        "object": pronoun,
        "possessive": possessive,
        "it": "them" if thing.startswith("+") else "it",
    }
    match way:
        case "was" | "felt":
            states = kind["states"].split()
            state = random.choice(states + kind.get("extremes", "").split())
            graded = state in states and random.random() < 0.4
            degree = f"(RB/advmod {random.choice(choices['degrees'])}) " if graded else ""
            filled["state"] = f"{degree}(JJ/head {state})"
        case "wanted":
            filled["word"] = random.choice(choices["wanted"])
        case "nobody" | "lacks":
            filled["word"] = random.choice(kind["states" if way == "nobody" else way].split())
        case "undone":
            filled["word"], filled["time"] = random.choice(kind["undone"])
        case "belongings":
            belonging, filled["word"] = random.choice(kind["belongings"])
            filled |= {"noun": _noun(belonging), "was": _was(belonging)}
        case _:
            determiner, trouble = random.choice(kind["troubles"])
            filled["determiner"] = f"(DT/det {determiner})" if determiner else ""
            filled |= {"noun": _noun(trouble), "word": random.choice(choices["troubled"])}
    tree: str = _words()["needs"][way].format(**filled)
    return tree


def _noun(word: str) -> str:
    return f"({'NNS' if word.startswith('+') else 'NN'}/head {word.lstrip('+')})"


def _was(word: str) -> str:
    return "were" if word.startswith("+") else "was"


def _adjuncts(random: Random) -> tuple[str, str]:
    """A time or place before the subject or at the end, or neither."""
    words = _words()["choices"]
    chance = random.random()
    if chance < 0.5:
        return "", ""
    at, place = random.choice(words["places"]).split()
    when, moment = random.choice(words["moments"]).split()
    choices = [
        f"(PP/obl (IN/case {at}) (NP/head (DT/det the) (NN/head {place})))",
        f"(PP/obl (IN/case {when}) (NP/head (NN/head {moment})))",
    ]
    if chance < 0.75:
        return "", random.choice(choices)
    choices += ["(NP/obl:tmod (NN/head yesterday))", _day(*random.choice(words["days"]).split())]
    return f"{random.choice(choices)} {_COMMA}", ""


def _day(determiner: str, noun: str) -> str:
    tag = "JJ/amod" if determiner == "Last" else "DT/det"
    return f"(NP/obl:tmod ({tag} {determiner}) (NN/head {noun}))"


def _sentence(clause: str) -> str:
    """The clause with its full stop and without spaces of empty pieces; the first word gets a capital."""
    tree = _join(f"(S/root {clause} (./punct .))").replace(" )", ")")
    return _FIRST_WORD.sub(lambda word: word[0][:1].upper() + word[0][1:], tree, count=1)


def _join(*pieces: str) -> str:
    return " ".join(" ".join(pieces).split())


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


def _json_line(pair: RolePair) -> str:
    arg1, arg2 = (sentence.text for sentence in pair.sentences)
    record = {"id": pair.id, "split": pair.part, "arg1": arg1, "arg2": arg2}
    return json.dumps(record | {"label": SENSES[pair.antecedent]}) + "\n"


def _tree_lines(pair: RolePair) -> str:
    return "".join(f"(ROOT {sentence.brackets})\n" for sentence in pair.sentences)


def _conllu_block(pair: RolePair) -> str:
    """The ten columns of CoNLL-U, without lemmas and features."""
    lines = [f"# newdoc id = {pair.id}"]
    for number, sentence in enumerate(pair.sentences, start=1):
        lines += [f"# sent_id = {pair.id}-{number}", f"# text = {sentence.text}"]
        following = (*sentence.words[1:], "")
        for token, (word, tag) in enumerate(zip(sentence.words, sentence.tags, strict=True)):
            relation, head = sentence.relations[token], str(sentence.heads[token] + 1)
            space = "SpaceAfter=No" if following[token] in _GLUED else "_"
            columns = (word, "_", _universal_tag(word, tag, relation), tag, "_", head, relation, "_", space)
            lines.append("\t".join((str(token + 1), *columns)))
        lines.append("")
    return "".join(f"{line}\n" for line in lines)


def _universal_tag(word: str, tag: str, relation: str) -> str:
    """The tag of Universal Dependencies for the few words that occur here."""
    tags: dict[str, str] = _words()["universal"]
    keys = (word.lower(), f"{tag}/{relation}", relation, tag)
    return next(tags[key] for key in keys if key in tags)


def _coreference_block(pair: RolePair) -> str:
    """Twelve columns as in CoNLL-2012, those for layers that are not here left empty.

    An entity with a single mention has no chain.
    """
    cells: defaultdict[tuple[int, int], list[str]] = defaultdict(list)
    for chain, entities in enumerate(({pair.antecedent, PERSON}, {OBJECT})):
        mentions = [
            (number, start, end - 1)
            for number, sentence in enumerate(pair.sentences)
            for start, end, entity in sentence.mentions
            if entity in entities
        ]
        for number, start, last in mentions if len(mentions) > 1 else ():
            cells[number, start].append(f"({chain})" if start == last else f"({chain}")
            if start != last:
                cells[number, last].append(f"{chain})")
    lines = [f"#begin document ({pair.id}); part 000"]
    for number, sentence in enumerate(pair.sentences):
        for token, (word, tag) in enumerate(zip(sentence.words, sentence.tags, strict=True)):
            cell = "|".join(cells[number, token]) or "-"
            lines.append("\t".join((pair.id, "0", str(token), word, tag, "*", "-", "-", "-", "-", "*", cell)))
        lines.append("")
    return "".join(f"{line}\n" for line in (*lines, "#end document"))
