"""DiscoGeM 1.0: implicit relations between sentences, each labelled by ten crowd workers.

Scholman et al. (2022), DiscoGeM: A Crowdsourced Corpus of Genre-Mixed Implicit Discourse Relations. The
folder is as published: ``DiscoGeMcorpus_annotations_nonwide.csv``, or the wide file, which has the votes;
``DiscoGeMcorpus_datasplits.csv``, the official parts; and, if it is there, ``QADiscourse_annotations`` with
votes on 900 items. Files are known by their columns, not by their names.

Every item becomes a document of its two arguments, of one sentence each. Items are excerpts of a source, and
neighbouring items of a source share sentences, but the official parts ignore sources: ``Corpus.groups`` has
the source of every item, by which the protocol ``documents`` splits.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from disco2.annotation.text import tokenise
from disco2.corpora import reading
from disco2.corpora.pairs import SPLIT_NAMES, pair_document
from disco2.data import Corpus, Document, ReadIssues, Relation, RelationKind
from disco2.data.senses import SenseInventory, inventory
from disco2.errors import CorpusError

NAME = "discogem"
QUESTIONS = "QADiscourse_annotations"
NO_RELATION = "norel"

# What the columns of the two forms of the items are called, letter case aside.
_WIDE = ("majoritylabel_sampled", "arg1", "arg2")
_NARROW = ("semclass", "arg1_rawtext", "arg2_rawtext")
_VOTES = ("majority_softlabel", "majority_softlabel_qa")

# A quotation mark between spaces behind the end of a sentence, as in: He left. " She stayed.
_LOOSE_QUOTE = re.compile(
    r"""(?<=[.!?\u2026]) (["'\u201d\u2019]) (?=["'\u201c\u2018(\[]? ?[A-Z\u00c0-\u00d6\u00d8-\u00de])"""
)
_LIST_NUMBER = re.compile(r"\A\d{1,2}\. (?=\S)")
_HAS_LETTER = re.compile(r"[^\W_]")
_NEIGHBOURS = 3  # items before and behind that may begin inside an argument
_OPENING = 40  # characters by which the beginning of a neighbour is found
_SHORTEST_OPENING = 15

Row = Mapping[str, str]
Table = list[tuple[int, dict[str, str]]]  # lines and rows
Votes = tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class _Item:
    id: str
    source: str
    label: str
    arg1: str  # with the sentences before it
    arg2: str  # with the sentences behind it
    votes: str
    where: str


def read_discogem(path: Path) -> Corpus:
    """Read the corpus in a folder. Rows that can't be used are findings; CorpusError if no row can."""
    issues, known = ReadIssues(), inventory("pdtb3")
    reading.check_folder(path, holds="DiscoGeM")
    tables = _read_tables(path, "*.csv", issues)
    items = _find_items(path, tables, issues)
    questions: dict[str, str] = {}
    if not any(item.votes for item in items):
        for rows in _read_tables(path / QUESTIONS, "*_qa_wide.tsv", issues).values():
            questions |= {row["itemid"].strip(): _votes_of(row) for _, row in rows}
    documents: dict[str, Document] = {}
    relations: list[Relation] = []
    for item, (first, second) in zip(items, choose_arguments(items), strict=True):
        document, arg1, arg2 = pair_document(item.id, first, second)
        if not arg1.tokens or not arg2.tokens:
            issues.add("empty argument", item.where, f"{item.id} lacks an argument; skipped.")
            continue
        documents[item.id] = document
        senses = _senses(item, known, issues)
        kind = RelationKind.NOREL if item.label == NO_RELATION else RelationKind.IMPLICIT
        votes = read_votes(item.votes or questions.get(item.id, ""), known)
        relations.append(Relation(item.id, item.id, kind, arg1, arg2, senses, where=item.where, votes=votes))
    if not relations:
        raise CorpusError("No item can be used.", where=str(path), hint="See: disco2 corpus stats --json")
    parts = _find_parts(tables, documents, issues)
    return Corpus(
        NAME,
        known.name,
        documents,
        tuple(relations),
        parts,
        issues,
        groups={item.id: item.source for item in items if item.id in documents},
    )


def split_sentences(text: str) -> list[str]:
    """The sentences of a text as DiscoGeM cuts them.

    Quotation marks with spaces around them don't hide the end of a sentence, and signs without a letter, such
    as dots or a closing quotation mark, belong to the sentence before.
    """
    text = " ".join(text.split())
    starts = {sentence[0].start for sentence in tokenise(text) if sentence}
    for quote in _LOOSE_QUOTE.finditer(text):
        opens = quote[1] in "\"'" and text.find(quote[1], quote.end()) >= 0
        starts.discard(quote.start(1))
        starts.add(quote.start(1) if opens else quote.end())
    borders = [0, *sorted(starts - {0}), len(text)]
    sentences: list[str] = []
    for start, end in pairwise(borders):
        piece = text[start:end].strip()
        if sentences and (not _HAS_LETTER.search(piece) or piece[0] in ".…"):
            sentences[-1] = f"{sentences[-1]} {piece}"
        elif piece:
            sentences.append(piece)
    return sentences


def read_votes(text: str, known: SenseInventory) -> Votes:
    """Votes as DiscoGeM writes them, ``result:0.7; reason:0.3``, as senses whose shares add up to 1.

    Votes for a connective of no known sense are left out, and votes against any relation are for NoRel.
    """
    shares: dict[str, float] = {}
    for vote in text.split(";"):
        label, _, number = vote.rpartition(":")
        sense = RelationKind.NOREL.value if label.strip() == NO_RELATION else known.by_last_step(label)
        try:
            share = float(number)
        except ValueError:
            continue
        if sense is not None and 0 < share < math.inf:
            shares[sense] = shares.get(sense, 0.0) + share
    return reading.normalise_votes(shares)


def _senses(item: _Item, known: SenseInventory, issues: ReadIssues) -> tuple[str, ...]:
    if item.label in ("", NO_RELATION):
        return ()
    sense = known.by_last_step(item.label)
    if sense is None:
        detail = f"'{item.label}' is no sense of {known.name}; {item.id} has no label."
        issues.add("no sense", item.where, detail)
    return () if sense is None else (sense,)


def choose_arguments(items: Sequence[_Item]) -> list[tuple[str, str]]:
    """The sentences between which each relation holds: the last of arg1 and the first of arg2.

    The beginning of a neighbour's second argument is a border between sentences, too: annotators cut at
    colons and semicolons, and the rules don't.
    """
    cut = [(_chosen(item.arg1, -1), _chosen(item.arg2, 0)) for item in items]
    found = []
    for place, (item, (first, second)) in enumerate(zip(items, cut, strict=True)):
        for near in range(max(0, place - _NEIGHBOURS), min(len(items), place + _NEIGHBOURS + 1)):
            opening = cut[near][1][:_OPENING]
            if items[near].source == item.source and len(opening) >= _SHORTEST_OPENING:
                first = first[max(0, first.find(opening)) :]
                if (border := second.find(opening)) > 0:
                    second = second[:border].rstrip()
        found.append((first, second))
    return found


def _chosen(text: str, place: int) -> str:
    """A sentence of a text, without the number of a list's item."""
    return _LIST_NUMBER.sub("", (split_sentences(text) or [""])[place], count=1)


def _read_tables(folder: Path, pattern: str, issues: ReadIssues) -> dict[Path, Table]:
    """The tables that have the ids of items, by their files; others are passed over."""
    tables: dict[Path, Table] = {}
    for file in sorted(filter(Path.is_file, folder.glob(pattern))):
        text = reading.read_text(file, issues=issues)
        with suppress(CorpusError):
            tables[file] = list(reading.read_table(text, path=file, required={"itemid"}, issues=issues))
    return tables


def _find_items(folder: Path, tables: Mapping[Path, Table], issues: ReadIssues) -> list[_Item]:
    """The items of the wide table, else of the narrow one."""
    for columns in (_WIDE, _NARROW):
        for file, rows in tables.items():
            if rows and {"datasource", *columns} <= rows[0][1].keys():
                items: dict[str, _Item] = {}
                for line, row in rows:
                    name, source, where = row["itemid"].strip(), row["datasource"].strip(), f"{file}:{line}"
                    if not name or name in items:
                        issues.add("no id of its own", where, f"The id is '{name}'; skipped.")
                        continue
                    cells = (row[column].strip() for column in columns)
                    label, arg1, arg2 = ("" if cell == "NA" else cell for cell in cells)
                    votes = _votes_of(row)
                    items[name] = _Item(name, source or name, label.lower(), arg1, arg2, votes, where)
                return list(items.values())
    raise CorpusError(
        "No .csv file in this folder has rows with the columns of DiscoGeM's annotations."
        f"{reading.quote_first_fault(issues)}",
        where=str(folder),
        hint="The usual name is DiscoGeMcorpus_annotations_nonwide.csv, with the columns Itemid, "
        "Datasource, SemClass, Arg1_RawText and Arg2_RawText.",
    )


def _find_parts(tables: Mapping[Path, Table], documents: Iterable[str], issues: ReadIssues) -> dict[str, str]:
    """The official part of every item; empty if there is no table of them."""
    for file, rows in tables.items():
        if rows and "split" in rows[0][1]:
            split = {row["itemid"].strip(): row["split"].strip().lower() for _, row in rows}
            lost = [name for name in documents if not split.get(name)]
            if lost:
                detail = f"{len(lost)} items have no part, such as {lost[0]}; they are left to train."
                issues.add("item without a part", str(file), detail)
            found = {name: split.get(name) or "train" for name in documents}
            return {name: SPLIT_NAMES.get(part, part) for name, part in found.items()}
    return {}


def _votes_of(row: Row) -> str:
    return next((row[name] for name in _VOTES if row.get(name, "").strip() not in ("", "NA")), "")
