"""Write corpora and predictions in the formats of the CoNLL-16 and DISRPT shared tasks.

A corpus in the form of CoNLL-16 keeps all tokens, tags, trees, dependencies and texts; coreference is lost.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from disco2.corpora.conll16 import write_identity
from disco2.corpora.reading import read_text, split_lines
from disco2.corpora.relations import find_character_spans
from disco2.corpora.tasks import CONLL16_SENSES
from disco2.data import Constituents, Corpus, Document, ReadIssues, Relation, RelationKind, Sentence
from disco2.data.records import find_runs
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
LABEL = "label"
NO_ANSWER = "_"
ONLY_IN_2025 = "u1_raw"  # a column, for tables whose labels are hidden
COLUMNS = (
    "doc",
    "unit1_toks",
    "unit2_toks",
    "unit1_txt",
    "unit2_txt",
    "u1_raw",
    "u2_raw",
    "s1_toks",
    "s2_toks",
    "unit1_sent",
    "unit2_sent",
    "dir",
    "rel_type",
    "orig_label",
    "label",
)
GAP = " <*> "
NOTHING = "_"

# The 17 labels of DISRPT 2025, to which it maps those of all frameworks, with types of PDTB 2 and 3 after the
# shared task's own table (utils/mapping_disrpt25.json). The table lacks the pragmatic types of PDTB 2, which
# have the label of what PDTB 3 made of them, and has a bare list.
_TYPES_OF = {
    "alternation": "expansion.alternative, expansion.disjunction",
    "attribution": "",
    "causal": "contingency.cause, contingency.negative-cause",
    "comment": "",
    "concession": "comparison.concession, comparison.concession+speechact, comparison.pragmatic concession",
    "condition": "contingency.condition, contingency.condition+speechact, contingency.negative-condition, "
    "contingency.negative-condition+speechact, contingency.pragmatic condition",
    "conjunction": "expansion.conjunction, expansion.list",
    "contrast": "comparison.contrast, comparison.pragmatic contrast, expansion.exception, "
    "expansion.substitution",
    "elaboration": "expansion.instantiation, expansion.level-of-detail",
    "explanation": "contingency.cause+belief, contingency.cause+speechact, contingency.pragmatic cause",
    "frame": "",
    "mode": "comparison.similarity, expansion.manner",
    "organization": "",
    "purpose": "contingency.purpose",
    "query": "hypophora",
    "reformulation": "expansion.equivalence, expansion.restatement",
    "temporal": "temporal.asynchronous, temporal.synchronous, temporal.synchrony",
}
LABELS_2025 = frozenset(_TYPES_OF)
_OF_TYPES = {name: label for label, types in _TYPES_OF.items() for name in types.split(", ") if name}

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
    linkers = _linkers(relations)
    files = {f"raw/{name}": [one.text] for name, one in documents.items() if is_file_name(name)}
    parses = {name: _parses(document, linkers) for name, document in documents.items()}
    files["parses.json"] = [_line(parses)]
    files["relations.json"] = [_line(_relation(one, documents[one.document])) for one in relations]
    for name, pieces in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(pieces), encoding="utf-8", errors="replace", newline="")


def _line(value: Mapping[str, object]) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"


def _relation(relation: Relation, document: Document) -> dict[str, object]:
    return {
        "DocID": relation.document,
        "ID": write_identity(relation.id),
        "Type": str(relation.kind),
        "Sense": list(relation.senses)
        or ([str(relation.kind)] if relation.kind in ("EntRel", "NoRel") else []),
        "Connective": _span(document, relation.connective_tokens, relation.connective),
        "Arg1": _span(document, relation.arg1.tokens, relation.arg1.text),
        "Arg2": _span(document, relation.arg2.tokens, relation.arg2.text),
    }


def _span(document: Document, tokens: tuple[int, ...], text: str) -> dict[str, object]:
    return {
        "CharacterSpanList": [list(span) for span in find_character_spans(document, tokens)],
        "RawText": text,
        "TokenList": [_address(document, token) for token in tokens],
    }


def _address(document: Document, token: int) -> list[int]:
    sentence = document.sentence_index(token)
    place = token - document.sentences[sentence].start
    return [document.tokens[token].start, document.tokens[token].end, token, sentence, place]


def _linkers(relations: Iterable[Relation]) -> dict[tuple[str, int], list[str]]:
    """For each token that is part of an argument, which: ``arg1_`` or ``arg2_`` and the relation's id."""
    linkers: dict[tuple[str, int], list[str]] = {}
    for relation in relations:
        for name, argument in (("arg1", relation.arg1), ("arg2", relation.arg2)):
            for token in argument.tokens:
                linkers.setdefault((relation.document, token), []).append(f"{name}_{relation.id}")
    return linkers


def _parses(document: Document, linkers: Mapping[tuple[str, int], list[str]]) -> dict[str, object]:
    sentences = []
    for sentence in document.sentences:
        words = []
        for place, token in enumerate(document.tokens[sentence.start : sentence.end], start=sentence.start):
            properties = {
                "CharacterOffsetBegin": token.start,
                "CharacterOffsetEnd": token.end,
                "Linkers": linkers.get((document.id, place), []),
                "PartOfSpeech": token.tag,
            }
            words.append([token.text, properties])
        forms = document.words(range(sentence.start, sentence.end))
        tree = NO_PARSE if sentence.constituents is None else write_brackets(sentence.constituents, forms)
        arcs = list(_arcs(sentence, forms))
        sentences.append({"words": words, "parsetree": tree, "dependencies": arcs})
    return {"sentences": sentences}


def _arcs(sentence: Sentence, forms: list[str]) -> Iterator[list[str]]:
    if (parse := sentence.dependencies) is None:
        return
    for token, (head, label) in enumerate(zip(parse.heads, parse.labels, strict=True)):
        governor = "ROOT-0" if head < 0 else f"{forms[head]}-{head + 1}"
        yield [label, governor, f"{forms[token]}-{token + 1}"]


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
    """Brackets as the treebank spells them; a space inside a word becomes one that does not part words."""
    if word in _ESCAPES:
        return _ESCAPES[word]
    joined = "".join("\u00a0" if character.isspace() else character for character in word)
    return joined.replace("(", _ESCAPES["("]).replace(")", _ESCAPES[")"])


@dataclass(frozen=True)
class Exported:
    """The files that were written, how many relations they label, and what a user should know about them."""

    files: tuple[Path, ...]
    relations: int
    notes: tuple[str, ...] = ()


def export_predictions(
    corpus: Corpus, relations: Sequence[Relation], labels: Sequence[str], path: Path, form: str
) -> Exported:
    """Write the labels that a system gave to relations of a corpus, ``labels[i]`` to ``relations[i]``.

    ``conll16`` is the sense classification task's output, one JSON object a line. ``disrpt`` is a ``.rels``
    table; if the corpus was itself read from such tables, these are written line by line with another label
    column, and every relation of a table must have a label.
    """
    if form not in FORMS:
        raise SettingsError(f"Unknown form '{form}' of predictions.", hint=f"Known: {', '.join(FORMS)}.")
    if len(relations) != len(labels):
        raise SettingsError(f"{len(labels)} labels for {len(relations)} relations.")
    sources = {relation.where.rpartition(":")[0] for relation in corpus.relations}
    if os.path.realpath(path) in {os.path.realpath(source) for source in sources if source}:
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
    left_out: Counter[str] = Counter()
    lines = []
    for relation, label in zip(relations, labels, strict=True):
        if relation.kind not in _TYPES:
            left_out[f"are {relation.kind}"] += 1
        elif label == NOREL:
            left_out[f"are labelled {NOREL}"] += 1
        else:
            lines.append(_line(_record(relation, label)))
    write_text(path, lines)
    notes = [
        f"{count} relations {why}, which the shared task does not have: left out"
        for why, count in sorted(left_out.items())
    ]
    if strange := sorted(set(labels) - set(CONLL16_SENSES) - {NOREL}):
        notes.append(
            f"no senses of the shared task, so that its validator will refuse them: {', '.join(strange)}"
        )
    return Exported((path,), len(lines), tuple(notes))


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
    """Write the tables of a DISRPT corpus that hold the relations, with new labels.

    The evaluation reads gold and predicted tables side by side: the rows, their order and all other columns
    must be those of the gold table.

    One table is written to ``path``; several into a folder of that name, called as they are. A row that the
    reader could not use gets ``_``, which counts as wrong. Raises CorpusError if another row has no label.
    """
    answers = dict(zip((relation.where for relation in relations), labels, strict=True))
    expected = {relation.where for relation in corpus.relations}
    files = list(dict.fromkeys(Path(where.rpartition(":")[0]) for where in answers))
    if not files:
        raise CorpusError("There is no relation to write.", where=str(path))
    tables = {file: _read_cells(file) for file in files}
    spelling = _spell_labels(set(labels), list(tables.values()))
    spelled = {where: spelling[label] or label for where, label in answers.items()}
    unread: Counter[Path] = Counter()
    written = {file: _fill_labels(file, tables[file], spelled, expected, unread) for file in files}
    if len(files) == 1:
        write_text(path, written[files[0]])
        places: tuple[Path, ...] = (path,)
    else:
        places = _write_folder(path, written)
    notes = []
    if unread:
        notes.append(f"{unread.total()} rows could not be read and have '{NO_ANSWER}' for a label")
    if unknown := sorted(label for label, found in spelling.items() if found is None):
        notes.append(f"not among the labels of the tables, written as they are: {', '.join(unknown)}")
    return Exported(places, len(answers), tuple(notes))


def _read_cells(file: Path) -> list[list[str]]:
    """The header and the rows of a ``.rels`` file."""
    header, *rows = [line.split("\t") for line in split_lines(read_text(file, issues=ReadIssues()))] or [[]]
    header = [name.strip() for name in header]
    if LABEL not in header:
        raise CorpusError("The table has no label column any more.", where=str(file))
    return [header, *rows]


def _fill_labels(
    file: Path,
    table: Sequence[Sequence[str]],
    answers: Mapping[str, str],
    expected: Collection[str],
    unread: Counter[Path],
) -> list[str]:
    """The lines of a table with other labels; counts the rows that the reader could not use."""
    header = table[0]
    lines, missing = ["\t".join(header) + "\n"], []
    for number, row in enumerate(table[1:], start=2):
        where, cells = f"{file}:{number}", list(row)
        column = header.index(LABEL) if len(cells) == len(header) else -1
        if where in answers:
            cells[column] = answers[where]
        elif where in expected:
            missing.append(number)
        elif any(cell.strip() for cell in cells):
            unread[file] += 1
            cells[column] = NO_ANSWER
        lines.append("\t".join(cells) + "\n")
    if missing:
        raise CorpusError(
            f"{len(missing)} rows have no prediction, such as line {missing[0]}: "
            "the shared task wants a label for every row of a table.",
            where=str(file),
            hint="Label all relations of the table, of every kind; a protocol that divides tables, such as "
            "folds over documents, can't be used.",
        )
    return lines


def _spell_labels(labels: Iterable[str], tables: Sequence[Sequence[Sequence[str]]]) -> dict[str, str | None]:
    """Each label as the tables spell it, or as DISRPT 2025; None if the tables have nothing like it."""
    vocabulary: set[str] = set()
    for header, *rows in tables:
        vocabulary |= {row[header.index(LABEL)] for row in rows if len(row) == len(header)}
    vocabulary -= {"", NO_ANSWER}
    hidden_2025 = not vocabulary and any(ONLY_IN_2025 in header for header, *_ in tables)
    of_2025 = hidden_2025 or (bool(vocabulary) and vocabulary <= LABELS_2025)
    by_folding = {label.casefold(): label for label in sorted(vocabulary)}
    return {
        label: by_folding.get(label.casefold()) or (map_to_2025(label) if of_2025 else None)
        for label in labels
    }


def _write_folder(path: Path, written: Mapping[Path, list[str]]) -> tuple[Path, ...]:
    root = os.path.commonpath([file.absolute().parent for file in written])
    names = {file: file.absolute().relative_to(root) for file in written}
    with folder_in_place(path) as fresh:
        for file, lines in written.items():
            write_text(fresh / names[file], lines)
    return tuple(path / name for name in names.values())


def write_table(corpus: Corpus, relations: Sequence[Relation], labels: Sequence[str], path: Path) -> Exported:
    """Write relations of any corpus as a ``.rels`` table of DISRPT 2025.

    The label column has the predictions, in DISRPT 2025's labels if the senses are PDTB's; all others
    are those of the corpus. Units stand in text order, tokens are numbered from 1 within the document. There
    is no line for NoRel, and no line twice.
    """
    left_out: Counter[str] = Counter()
    lines: dict[str, None] = {}
    as_they_are: set[str] = set()
    for relation, label in zip(relations, labels, strict=True):
        first, second = sorted((relation.arg1.tokens, relation.arg2.tokens))
        if relation.kind is RelationKind.NOREL:
            left_out["are NoRel, which the shared task does not have"] += 1
            continue
        if first[0] == second[0]:
            left_out["have arguments that begin with the same token"] += 1
            continue
        mapped = map_to_2025(label)
        if mapped is None:
            as_they_are.add(label)
        line = "\t".join(_cells(relation, corpus.documents[relation.document], mapped or label))
        if line in lines:
            left_out["repeat a line"] += 1
        lines[line] = None
    write_text(path, (line + "\n" for line in ("\t".join(COLUMNS), *lines)))
    notes = [f"{count} relations {why}: left out" for why, count in sorted(left_out.items())]
    if as_they_are:
        notes.append(f"without a label of DISRPT 2025, written as they are: {', '.join(sorted(as_they_are))}")
    return Exported((path,), len(lines), tuple(notes))


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


def _ranges(tokens: Sequence[int]) -> str:
    """2, 3, 4, 8 -> ``3-5,9``."""
    return ",".join(f"{low + 1}-{high}" if high - low > 1 else str(high) for low, high in find_runs(tokens))


def _words(document: Document, tokens: Sequence[int]) -> str:
    return GAP.join(" ".join(document.words(range(low, high))) for low, high in find_runs(tokens))


def _raw(document: Document, tokens: Sequence[int]) -> str:
    return GAP.join(document.text[start:end] for start, end in find_character_spans(document, tokens))


def _sentences_of(document: Document, tokens: Sequence[int]) -> range:
    """All tokens from the sentence in which a unit begins to that in which it ends."""
    first, last = (document.sentences[document.sentence_index(token)] for token in (tokens[0], tokens[-1]))
    return range(first.start, last.end)


def map_to_2025(sense: str) -> str | None:
    """Map a sense of PDTB 2 or 3 to DISRPT 2025's label; None if there is none, as for a bare class."""
    folded = sense.casefold()
    return folded if folded in LABELS_2025 else _OF_TYPES.get(".".join(folded.split(".")[:2]))
