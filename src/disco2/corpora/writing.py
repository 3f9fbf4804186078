"""Write corpora and predictions in the formats of the CoNLL-16 and DISRPT shared tasks.

A corpus in the form of CoNLL-16 keeps all tokens, tags, trees, dependencies and texts; coreference is lost.
"""

from __future__ import annotations

import json
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from disco2.corpora.conll16 import write_identity
from disco2.corpora.reading import find_character_spans, read_text, split_lines
from disco2.corpora.tasks import CONLL16_SENSES
from disco2.data import WITHOUT_SENSE, Constituents, Corpus, Document, ReadIssues, Relation, RelationKind
from disco2.data.records import find_runs
from disco2.data.senses import TABLES
from disco2.errors import CorpusError, SettingsError
from disco2.files import check_folder_place, folder_in_place, is_file_name, write_text

FORMS = ("conll16", "disrpt")

# Outcomes of running text that are no label in a form: a system that can choose should choose another.
NO_LABELS = {"conll16": frozenset({"NoRel"}), "disrpt": frozenset({"NoRel", "EntRel"})}

# Of CoNLL-16: its validator knows no other types, and refuses NoRel.
_TYPES = {
    RelationKind.EXPLICIT: "Explicit",
    RelationKind.IMPLICIT: "Implicit",
    RelationKind.ALTLEX: "AltLex",
    RelationKind.ALTLEXC: "AltLex",
    RelationKind.ENTREL: "Implicit",  # EntRel only if the prediction says so
}
ENTREL = "EntRel"
NOREL = "NoRel"

# Of DISRPT's tables.
HEADER = (
    "doc\tunit1_toks\tunit2_toks\tunit1_txt\tunit2_txt\tu1_raw\tu2_raw\ts1_toks\ts2_toks"
    "\tunit1_sent\tunit2_sent\tdir\trel_type\torig_label\tlabel"
)
LABEL = "label"
ONLY_IN_2025 = "u1_raw"  # a column, for tables whose labels are hidden
GAP = " <*> "
NOTHING = "_"
LABELS_2025 = frozenset(TABLES["disrpt2025"])
_OF_TYPES = {name: label for label, types in TABLES["disrpt2025"].items() for name in types}

NO_PARSE = "(())"
REST = "rest"  # of the documents, those that belong to no part

_ESCAPES = {"(": "-LRB-", ")": "-RRB-", "[": "-LSB-", "]": "-RSB-", "{": "-LCB-", "}": "-RCB-"}


def write_conll16(corpus: Corpus, folder: Path) -> list[Path]:
    """Write ``relations.json``, ``parses.json`` and ``raw``, in a folder for each part if there are parts.

    Returns the folders, which are called after the corpus and the part. The whole of them is written or
    nothing, into a folder that is new or empty: files of another corpus beside them would be read with them.
    """
    check_folder_place(folder)
    parts = {name: corpus.parts.get(name, REST) for name in corpus.documents}
    parts = {name: part if is_file_name(part) else REST for name, part in parts.items()}
    names = {part: f"{corpus.name}-{part}" if corpus.parts else "" for part in parts.values()}
    with folder_in_place(folder) as fresh:
        for part, name in names.items():
            documents = {one: corpus.documents[one] for one in corpus.documents if parts[one] == part}
            relations = [one for one in corpus.relations if one.document in documents]
            _write_part(documents, relations, fresh / name)
    return [folder / name for name in names.values()]


def _write_part(documents: Mapping[str, Document], relations: Sequence[Relation], folder: Path) -> None:
    # The arguments that each token is part of: "arg1_" or "arg2_" and the relation's id.
    linkers: defaultdict[tuple[str, int], list[str]] = defaultdict(list)
    for one in relations:
        for name, argument in (("arg1", one.arg1), ("arg2", one.arg2)):
            for token in argument.tokens:
                linkers[one.document, token].append(f"{name}_{one.id}")
    files = {f"raw/{name}": one.text for name, one in documents.items() if is_file_name(name)}
    files["parses.json"] = _line({name: _parses(one, linkers) for name, one in documents.items()})
    files["relations.json"] = "".join(_line(_relation(one, documents[one.document])) for one in relations)
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", errors="replace", newline="")


def _line(value: Mapping[str, object]) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"


def _relation(relation: Relation, document: Document) -> dict[str, object]:
    kind = [str(relation.kind)] if relation.kind in WITHOUT_SENSE else []
    return {
        "DocID": relation.document,
        "ID": write_identity(relation.id),
        "Type": str(relation.kind),
        "Sense": list(relation.senses) or kind,
        "Connective": _span(document, relation.connective_tokens, relation.connective),
        "Arg1": _span(document, relation.arg1.tokens, relation.arg1.text),
        "Arg2": _span(document, relation.arg2.tokens, relation.arg2.text),
    }


def _span(document: Document, tokens: tuple[int, ...], text: str) -> dict[str, object]:
    addresses = []
    for number in tokens:
        token, sentence = document.tokens[number], document.sentence_index(number)
        addresses.append(
            [token.start, token.end, number, sentence, number - document.sentences[sentence].start]
        )
    return {
        "CharacterSpanList": [list(span) for span in find_character_spans(document, tokens)],
        "RawText": text,
        "TokenList": addresses,
    }


def _parses(document: Document, linkers: Mapping[tuple[str, int], list[str]]) -> dict[str, object]:
    sentences = []
    for sentence in document.sentences:
        places = range(sentence.start, sentence.end)
        forms = document.words(places)
        words = []
        for place in places:
            token = document.tokens[place]
            properties = {
                "CharacterOffsetBegin": token.start,
                "CharacterOffsetEnd": token.end,
                "Linkers": linkers.get((document.id, place), []),
                "PartOfSpeech": token.tag,
            }
            words.append([token.text, properties])
        arcs = []
        if (parse := sentence.dependencies) is not None:
            for token_number, (head, label) in enumerate(zip(parse.heads, parse.labels, strict=True)):
                governor = "ROOT-0" if head < 0 else f"{forms[head]}-{head + 1}"
                arcs.append([label, governor, f"{forms[token_number]}-{token_number + 1}"])
        tree = NO_PARSE if sentence.constituents is None else write_brackets(sentence.constituents, forms)
        sentences.append({"words": words, "parsetree": tree, "dependencies": arcs})
    return {"sentences": sentences}


def write_brackets(constituents: Constituents, words: Sequence[str]) -> str:
    """Write a sentence's tree as ``( (S (NP (NN Rain)) (VP (VBZ falls))) )``, words and tags escaped."""
    pieces: list[str] = ["("]
    open_ends: list[int] = []
    node = 0
    for place, word in enumerate(words):
        while node < len(constituents.labels) and constituents.starts[node] == place:
            pieces.append(f" ({constituents.labels[node] or 'X'}")
            open_ends.append(constituents.ends[node])
            node += 1
        pieces.append(f" ({_escape(constituents.tags[place]) or 'X'} {_escape(word)})")
        while open_ends and open_ends[-1] == place + 1:
            open_ends.pop()
            pieces.append(")")
    return "".join(pieces) + " )"


def _escape(word: str) -> str:
    """Brackets as the treebank spells them; a space inside a word becomes a no-break space."""
    joined = "".join("\u00a0" if character.isspace() else character for character in word)
    return _ESCAPES.get(word) or joined.replace("(", _ESCAPES["("]).replace(")", _ESCAPES[")"])


@dataclass(frozen=True)
class Exported:
    """How many relations a file labels, and what a user should know about them."""

    relations: int
    notes: tuple[str, ...] = ()


def export_predictions(
    corpus: Corpus, relations: Sequence[Relation], labels: Sequence[str], path: Path, form: str
) -> Exported:
    """Write the labels that a system gave to relations of a corpus, ``labels[i]`` to ``relations[i]``.

    ``conll16`` is the sense classification task's output, one JSON object a line. ``disrpt`` is a ``.rels``
    table; if the corpus was itself read from such a table, it is written line by line with another label
    column, and every relation of the table must have a label.
    """
    sources = {relation.where.rpartition(":")[0] for relation in corpus.relations} - {""}
    if os.path.realpath(path) in map(os.path.realpath, sources):
        raise SettingsError(
            "The predictions would overwrite the corpus.", where=str(path), hint="Choose another file."
        )
    if form == "disrpt" and corpus.name == "disrpt":
        return write_aligned(corpus, relations, labels, path)
    if "tokens" in corpus.automatic:
        raise SettingsError(
            f"Predictions in the form '{form}' count the corpus's own tokens, and these are automatic.",
            hint="Leave tokens out of --automatic.",
        )
    if form == "conll16":
        return write_conll16_predictions(relations, labels, path)
    return write_table(corpus, relations, labels, path)


def write_conll16_predictions(relations: Sequence[Relation], labels: Sequence[str], path: Path) -> Exported:
    """Write the output of the CoNLL-2016 shared task on shallow discourse parsing, supplementary task.

    One JSON object a line: the given relation's ID, document and arguments, with the Sense filled in. Token
    lists number the document's tokens from 0, as ``parses.json`` has them in order. No text of the corpus is
    in the file. Relations that have no type in this form, or NoRel for a label, are left out.
    """
    lines = [
        _line(_record(relation, label))
        for relation, label in zip(relations, labels, strict=True)
        if relation.kind in _TYPES and label != NOREL
    ]
    write_text(path, lines)
    notes = []
    if left_out := len(labels) - len(lines):
        notes.append(
            f"{left_out} relations are {NOREL} or Hypophora, or are labelled {NOREL}, which the shared task "
            "does not have: left out"
        )
    if strange := sorted(set(labels) - set(CONLL16_SENSES) - {NOREL}):
        notes.append(
            f"no senses of the shared task, so that its validator will refuse them: {', '.join(strange)}"
        )
    return Exported(len(lines), tuple(notes))


def _record(relation: Relation, label: str) -> dict[str, object]:
    kind = _TYPES[relation.kind]
    return {
        "ID": write_identity(relation.id),
        "DocID": relation.document,
        "Type": ENTREL if label == ENTREL and kind != "Explicit" else kind,
        "Sense": [label],
        "Connective": {"TokenList": list(relation.connective_tokens)},
        "Arg1": {"TokenList": list(relation.arg1.tokens)},
        "Arg2": {"TokenList": list(relation.arg2.tokens)},
    }


def write_aligned(
    corpus: Corpus, relations: Sequence[Relation], labels: Sequence[str], path: Path
) -> Exported:
    """Write the table of a DISRPT corpus that holds the relations, with new labels.

    The evaluation reads gold and predicted tables side by side: the rows, their order and all other columns
    must be those of the gold table. A row that the reader could not use gets ``_``, which counts as wrong.
    Raises CorpusError if another row has no label, or if the relations are of several tables.
    """
    answers = dict(zip((relation.where for relation in relations), labels, strict=True))
    files = {where.rpartition(":")[0] for where in answers}
    if len(files) != 1 or len(answers) < sum(
        one.where.rpartition(":")[0] in files for one in corpus.relations
    ):
        raise CorpusError(
            f"Predictions in this form are of all rows of one table, and these are {len(answers)} of "
            f"{len(files)} tables.",
            where=str(path),
            hint="Give a single .rels file with --path, and label all of its relations, of every kind.",
        )
    file = Path(files.pop())
    header, *rows = [line.split("\t") for line in split_lines(read_text(file, issues=ReadIssues()))] or [[]]
    columns = [name.strip().lower() for name in header]
    place = columns.index(LABEL)
    known = {row[place] for row in rows if len(row) == len(header)} - {"", NOTHING}
    of_2025 = known <= LABELS_2025 and (bool(known) or ONLY_IN_2025 in columns)
    folded = {label.casefold(): label for label in sorted(known)}
    spelling = {
        label: folded.get(label.casefold()) or (map_to_2025(label) if of_2025 else None)
        for label in set(labels)
    }
    lines, unread = [[name.strip() for name in header]], 0
    for number, row in enumerate(rows, start=2):
        if answer := answers.get(f"{file}:{number}"):
            row[place] = spelling[answer] or answer
        elif any(cell.strip() for cell in row):
            unread += 1
            row[place if len(row) == len(header) else -1] = NOTHING
        lines.append(row)
    write_text(path, ("\t".join(cells) + "\n" for cells in lines))
    notes = [f"{unread} rows could not be read and have '{NOTHING}' for a label"] if unread else []
    if unknown := sorted(label for label, found in spelling.items() if found is None):
        notes.append(f"not among the labels of the tables, written as they are: {', '.join(unknown)}")
    return Exported(len(answers), tuple(notes))


def write_table(corpus: Corpus, relations: Sequence[Relation], labels: Sequence[str], path: Path) -> Exported:
    """Write relations of any corpus as a ``.rels`` table of DISRPT 2025.

    The label column has the predictions, in DISRPT 2025's labels if the senses are PDTB's; all others
    are those of the corpus. Units stand in text order, tokens are numbered from 1 within the document. There
    is no line for NoRel, and no line twice.
    """
    left_out: Counter[str] = Counter()
    written: dict[str, str] = {}  # lines and their labels
    for relation, label in zip(relations, labels, strict=True):
        cells = _cells(relation, corpus.documents[relation.document], map_to_2025(label) or label)
        line = "\t".join(cells)
        if relation.kind is RelationKind.NOREL:
            left_out["are NoRel, which the shared task does not have"] += 1
        elif relation.arg1.tokens[0] == relation.arg2.tokens[0]:
            left_out["have arguments that begin with the same token"] += 1
        elif line in written:
            left_out["repeat a line"] += 1
        else:
            written[line] = label
    write_text(path, (line + "\n" for line in (HEADER, *written)))
    notes = [f"{count} relations {why}: left out" for why, count in sorted(left_out.items())]
    if unknown := sorted({label for label in written.values() if map_to_2025(label) is None}):
        notes.append(f"without a label of DISRPT 2025, written as they are: {', '.join(unknown)}")
    return Exported(len(written), tuple(notes))


def _cells(relation: Relation, document: Document, label: str) -> list[str]:
    units = sorted((relation.arg1.tokens, relation.arg2.tokens))
    sentences = [_sentences_of(document, unit) for unit in units]
    named = relation.kind in (RelationKind.ENTREL, RelationKind.HYPOPHORA)
    annotated = ";".join(relation.senses) or (str(relation.kind) if named else NOTHING)
    cells = [
        relation.document,
        *map(_ranges, units),
        *(_words(document, unit) for unit in units),
        *(_raw(document, unit) for unit in units),
        *map(_ranges, sentences),
        *(_words(document, sentence) for sentence in sentences),
        "1<2" if units[0] == relation.arg1.tokens else "1>2",
        relation.kind.lower(),
        annotated.casefold(),
        label,
    ]
    return [" ".join(cell.split()) or NOTHING for cell in cells]


def _ranges(tokens: Iterable[int]) -> str:
    """2, 3, 4, 8 -> ``3-5,9``."""
    return ",".join(f"{low + 1}-{high}" if high - low > 1 else str(high) for low, high in find_runs(tokens))


def _words(document: Document, tokens: Iterable[int]) -> str:
    return GAP.join(" ".join(document.words(range(low, high))) for low, high in find_runs(tokens))


def _raw(document: Document, tokens: Iterable[int]) -> str:
    return GAP.join(document.text[start:end] for start, end in find_character_spans(document, tokens))


def _sentences_of(document: Document, tokens: Sequence[int]) -> range:
    """All tokens from the sentence in which a unit begins to that in which it ends."""
    first, last = (document.sentences[document.sentence_index(token)] for token in (tokens[0], tokens[-1]))
    return range(first.start, last.end)


def map_to_2025(sense: str) -> str | None:
    """Map a sense of PDTB 2 or 3 to DISRPT 2025's label; None if there is none, as for a bare class."""
    folded = sense.casefold()
    return folded if folded in LABELS_2025 else _OF_TYPES.get(".".join(folded.split(".")[:2]))
