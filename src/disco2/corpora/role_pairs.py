"""Pairs in which only the roles of a shared entity tell the sense: the paper's central claim, tested.

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
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from disco2.annotation.coreference import parse_coreference
from disco2.annotation.layers import document_from_trees, with_dependencies, with_mentions
from disco2.annotation.treebanks import parse_brackets, parse_conllu
from disco2.corpora.pairs import read_pairs
from disco2.corpora.reading import existing_folder, read_text
from disco2.corpora.role_sentences import (
    GIVER,
    HE,
    OBJECT,
    PERSON,
    RECIPIENT,
    SHE,
    Event,
    FlatSentence,
    event_sentence,
    flatten,
    need_sentence,
)
from disco2.corpora.role_words import FEMALE_NAMES, GIVING, KINDS, MALE_NAMES, PARTS, TAKING
from disco2.data import Argument, Corpus, Document, Relation
from disco2.errors import CorpusError
from disco2.files import HIDDEN_LIST, check_folder_place, folder_in_place

NAME = "role-pairs"
SENSES = {RECIPIENT: "Contingency.Cause.Reason", GIVER: "Comparison.Concession.Arg2-as-denier"}
PAIRS, TREES, DEPENDENCIES, COREFERENCE = FILES = (
    "pairs.jsonl",
    "trees.ptb",
    "dependencies.conllu",
    "coreference.conll",
)
_LARGEST = 100_000
_AGAIN = "Write the corpus again."


@dataclass(frozen=True)
class RolePair:
    """Two sentences, and which of the two participants the second one speaks of."""

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
    existing_folder(path, holds=f"a corpus of role pairs ({', '.join(FILES)})")
    plain = read_pairs(path / PAIRS, inventory_name="pdtb3")
    dirt = plain.dirt
    places = {name: str(path / name) for name in FILES}
    trees = parse_brackets(read_text(path / TREES, dirt=dirt), where=places[TREES])
    parses = parse_conllu(read_text(path / DEPENDENCIES, dirt=dirt), where=places[DEPENDENCIES])
    chains = parse_coreference(read_text(path / COREFERENCE, dirt=dirt), where=places[COREFERENCE], dirt=dirt)
    count = len(plain.relations)
    for name, found, expected in (
        (TREES, len(trees), 2 * count),
        (DEPENDENCIES, len(parses), 2 * count),
        (COREFERENCE, len(chains), count),
    ):
        if found != expected:
            raise CorpusError(
                f"{found} entries where {count} pairs ask for {expected}.",
                where=places[name],
                hint=_AGAIN,
            )
    documents: dict[str, Document] = {}
    relations: list[Relation] = []
    for index, relation in enumerate(plain.relations):
        if chains[index].name != relation.document:
            raise CorpusError(
                f"Document {index + 1} is '{chains[index].name}' where '{relation.document}' was expected.",
                where=places[COREFERENCE],
                hint=_AGAIN,
            )
        both = slice(2 * index, 2 * index + 2)
        text = plain.documents[relation.document].text
        document = document_from_trees(relation.document, text, trees[both], where=places[TREES], dirt=dirt)
        document = with_dependencies(document, parses[both], where=places[DEPENDENCIES], dirt=dirt)
        document = with_mentions(document, chains[index], where=places[COREFERENCE], dirt=dirt)
        documents[document.id] = document
        relations.append(_with_arguments(relation, document, where=places[TREES]))
    return Corpus(NAME, plain.inventory, documents, tuple(relations), plain.parts, dirt)


def _with_arguments(relation: Relation, document: Document, *, where: str) -> Relation:
    """The relation with the tokens of the trees: the first sentence is Arg1, the second one Arg2."""
    if len(document.sentences) != 2:
        raise CorpusError(
            f"The trees of '{relation.id}' do not fit its two sentences.",
            where=where,
            hint=_AGAIN,
        )
    first, second = document.sentences
    return replace(
        relation,
        arg1=Argument(tuple(range(first.start, first.end)), relation.arg1.text),
        arg2=Argument(tuple(range(second.start, second.end)), relation.arg2.text),
    )


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
    female = random.random() < 0.5
    giver, recipient = random.sample((FEMALE_NAMES if female else MALE_NAMES)[part], 2)
    gives = random.random() < 0.5
    verb = random.choice((GIVING if gives else TAKING)[part])
    kind = KINDS[random.choice(verb.kinds or tuple(KINDS))]
    thing = random.choice(kind.things)
    adjective = random.choice(kind.adjectives) if random.random() < 0.3 else ""
    event = Event(giver, recipient, thing, adjective, verb)
    first = flatten(event_sentence(event, gives=gives, random=random))
    second = flatten(need_sentence(kind, thing, SHE if female else HE, random=random))
    return first, second


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
        lines += [
            f"# sent_id = {pair.id}-{number}",
            f"# text = {sentence.text}",
            *sentence.conllu_lines(),
            "",
        ]
    return "".join(f"{line}\n" for line in lines)


def _coreference_block(pair: RolePair) -> str:
    """Twelve columns as in CoNLL-2012, those for layers that are not here left empty."""
    chains = _chains(pair)
    lines = [f"#begin document ({pair.id}); part 000"]
    for number, sentence in enumerate((pair.first, pair.second)):
        for token, (word, tag) in enumerate(zip(sentence.words, sentence.tags, strict=True)):
            cell = _coreference_cell(chains, number, token)
            lines.append("\t".join((pair.id, "0", str(token), word, tag, "*", "-", "-", "-", "-", "*", cell)))
        lines.append("")
    lines.append("#end document")
    return "".join(f"{line}\n" for line in lines)


def _chains(pair: RolePair) -> list[list[tuple[int, int, int]]]:
    """Mentions by chain, as (sentence, start, end); an entity with a single mention has no chain."""
    members = {PERSON: {pair.antecedent, PERSON}, OBJECT: {OBJECT}}
    chains = []
    for entities in members.values():
        mentions = [
            (number, start, end)
            for number, sentence in enumerate((pair.first, pair.second))
            for start, end, entity in sentence.mentions
            if entity in entities
        ]
        if len(mentions) > 1:
            chains.append(mentions)
    return chains


def _coreference_cell(chains: list[list[tuple[int, int, int]]], sentence: int, token: int) -> str:
    marks = []
    for chain, mentions in enumerate(chains):
        for place, start, end in mentions:
            if place != sentence:
                continue
            opens, closes = token == start, token == end - 1
            if opens or closes:
                marks.append(f"{'(' if opens else ''}{chain}{')' if closes else ''}")
    return "|".join(marks) or "-"
