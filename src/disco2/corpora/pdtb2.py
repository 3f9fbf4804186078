"""The Penn Discourse Treebank 2.0: relations in the native or pipe encoding, and raw text.

LDC ships the corpus in the native encoding. One line a row; text in quotes is literal::

    file       = relation*
    relation   = rule, (explicit | altlex | implicit | entrel | norel), rule
    rule       = "________________________________________________________"

    explicit   = "____Explicit____", selection, features, connective, arguments
    altlex     = "____AltLex____", selection, features, senses, arguments
    implicit   = "____Implicit____", site, features, connective, [connective], arguments
    entrel     = "____EntRel____", site, bare1, bare2
    norel      = "____NoRel____", site, bare1, bare2

    arguments  = ["____Sup1____", selection], "____Arg1____", selection, features,
                 "____Arg2____", selection, features, ["____Sup2____", selection]
    bare1      = "____Arg1____", selection          (bare2 alike)
    selection  = spans, gorn, "#### Text ####", any line*, "##############"
    site       = string position, sentence number
    features   = "#### Features ####", attribution, [selection]

    spans      : 12..34;40..51                      characters, ends exclusive
    gorn       : 0,1,2;3                            nodes of trees, not used; the line may be empty
    attribution: Wr, Comm, Null, Null               source, type, polarity, determinacy
    connective : because, Contingency.Cause.Reason  and a second sense after another comma
    senses     : Contingency.Cause.Result           and a second sense after a comma

The selection inside ``features`` is the text of the attribution; it and the supplements are not used.

In the pipe encoding, PDTB's converter writes one relation a line, with 48 fields between pipes. It loses the
second sense of an AltLex and the line ends inside texts.

| fields, from 0 | meaning |
| --- | --- |
| 0 / 1 / 2 | type / section / file number |
| 3, 4, 5 | connective or AltLex: spans, Gorn addresses, text |
| 6 / 7 | string position / sentence number (Implicit, EntRel, NoRel) |
| 8 / 9 / 10 | head of an explicit connective / first / second inserted connective |
| 11, 12 / 13, 14 | senses of the head, the AltLex or the first connective / of the second |
| 22, 23, 24 / 32, 33, 34 | Arg1: spans, Gorn addresses, text / Arg2 alike |
| others | attributions and supplements |
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from disco2.corpora.pdtb3 import RawRelation, Spans, make_corpus, parse_spans, read_sources
from disco2.corpora.reading import check_folder, split_lines
from disco2.corpora.wsj import BARE, WsjLayers, find_files
from disco2.data import Corpus, ReadIssues, RelationKind
from disco2.errors import CorpusError

RELATIONS = (".pdtb", ".pipe")  # if a document has both, the native file is read
RAW = (BARE, ".txt", ".raw")
TEXT, TEXT_END, FEATURES = "#### Text ####", "##############", "#### Features ####"
ANCHORED = ("Explicit", "AltLex")
UNANCHORED = ("Implicit", "EntRel", "NoRel")
PARTS = ("Arg1", "Arg2", "Sup1", "Sup2")
FIELDS = 48  # of the pipe encoding

Selection = tuple[Spans, str]  # characters, ends exclusive, and their text
_Entry = TypeVar("_Entry")

_RULE = re.compile(r"_{20,}\s*")
_HEADING = re.compile(r"____([A-Za-z0-9]+)____\s*")
_SPANS = re.compile(r"\d+\.\.\d+")


def read_pdtb2(
    path: Path,
    *,
    trees: Path | None = None,
    coreference: Path | None = None,
    dependencies: Path | None = None,
    raw: Path | None = None,
    encoding: str = "auto",
) -> Corpus:
    """Read the relations below ``path`` with their documents.

    Relation files end in ``.pdtb`` or ``.pipe``; their content decides which encoding they have. Raw text is
    searched in ``raw``, or in a folder of that name below or beside ``path``. ``trees``, ``coreference`` and
    ``dependencies`` are folders in which a document's file may be anywhere; without trees, tokens and
    sentences are split by rule. ``encoding`` is that of relations and raw text.
    """
    check_folder(path, holds="PDTB 2 relations (.pdtb or .pipe files)")
    files = find_files(path, endings=RELATIONS)
    if not files:
        raise CorpusError(
            "There is no .pdtb or .pipe file below this folder.",
            where=str(path),
            hint="Give the folder of the PDTB 2 relations, such as LDC2008T05's data.",
        )
    issues = ReadIssues()
    layers = WsjLayers(files, trees=trees, coreference=coreference, dependencies=dependencies, issues=issues)
    texts = _raw_files(path, raw)
    sources = list(read_sources(files, texts, parse_relations, encoding=encoding, issues=issues))
    if not sources:
        raise CorpusError(
            f"None of {len(files)} relation files has raw text.",
            where=str(path),
            hint=f"It was searched in {raw or f'a folder raw below or beside {path}'}. The Penn Treebank has"
            " it in raw/wsj; name that folder with --raw.",
        )
    return make_corpus("pdtb2", sources, layers, issues=issues)


def _raw_files(path: Path, raw: Path | None) -> dict[str, Path]:
    if raw is not None:
        return find_files(check_folder(raw, holds="raw text"), endings=RAW)
    folders = [path] if path.name == "raw" else [one for one in sorted(path.rglob("raw")) if one.is_dir()]
    files: dict[str, Path] = {}
    for folder in folders or [path.absolute().parent / "raw"]:
        files = find_files(folder, endings=RAW) | files
    return files


def parse_relations(text: str, *, where: str, issues: ReadIssues) -> list[RawRelation]:
    """The relations of a file in either encoding; those that break its grammar are findings.

    Raises CorpusError for a file of another kind.
    """
    lines = split_lines(text)
    number, first = next(((number, line) for number, line in enumerate(lines, 1) if line.strip()), (0, ""))
    kind, pipe, _ = first.partition("|")
    if not first:
        return []
    if _RULE.fullmatch(first) or _HEADING.fullmatch(first):
        if not _RULE.fullmatch(next(filter(str.strip, reversed(lines)))):
            detail = "The last line is not the rule of a relation's end."
            issues.add("file cut off", f"{where}:{len(lines)}", detail)
        return _parse_all(_blocks(lines), _parse_block, "bad relation block", where, issues)
    if pipe and (kind.strip() in set(RelationKind) or first.count("|") >= FIELDS // 4):
        rows = ((line, row) for line, row in enumerate(lines, start=1) if row.strip())
        return _parse_all(rows, _parse_row, "bad relation line", where, issues)
    raise CorpusError(
        "This is neither PDTB 2's native encoding nor its pipe encoding.",
        where=f"{where}:{number}",
        hint="Remove files with other content from the folder.",
    )


def _parse_all(
    entries: Iterable[tuple[int, _Entry]],
    parse: Callable[[_Entry, int, int], RawRelation],
    fault: str,
    where: str,
    issues: ReadIssues,
) -> list[RawRelation]:
    """The relations of all entries, given with their lines; those that can't be parsed are findings."""
    found = []
    for number, (line, entry) in enumerate(entries, start=1):
        try:
            found.append(parse(entry, number, line))
        except CorpusError as error:
            issues.add(fault, f"{where}:{line}", f"relation {number}: {error.what} It was skipped.")
    return found


def parse_selection(spans: str, text: str) -> Selection:
    """Parse the spans and the text of a selection; raise CorpusError, without a place, for bad spans."""
    return parse_spans(spans.strip()), " ".join(text.split())


def _blocks(lines: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Each relation's first line number and its lines from the heading on, rules left out."""
    opened, rows = 0, list[str]()
    inside_text = False
    for number, line in enumerate(lines, start=1):
        heading = _HEADING.fullmatch(line)
        opens = heading is not None and heading.group(1) not in PARTS
        if opens or (not inside_text and _RULE.fullmatch(line)):
            if rows:
                yield opened, rows
            opened, rows, inside_text = number, [line] if opens else [], False
            continue
        if line.rstrip() in (TEXT, TEXT_END):
            inside_text = line.rstrip() == TEXT
        if rows or line.strip():
            opened = opened if rows else number
            rows.append(line)
    if rows:
        yield opened, rows


def _parse_block(rows: Sequence[str], number: int, line: int) -> RawRelation:
    """Parse one relation's lines of the native encoding."""
    (kind, rest), *parts = _sections(rows)
    anchor: Selection = (), ""
    if kind in ANCHORED:
        anchor, rest = _selection(rest)
    elif kind not in UNANCHORED:
        raise CorpusError(f"'{kind or rows[0].strip()}' is no type of relation.")
    elif len(rest) < 2 or not all(row.isdecimal() for row in rest[:2]):
        raise CorpusError("It has no string position or no sentence number.")
    else:
        rest = rest[2:]
    rest = _without_features(rest)
    labels = [[piece.strip() for piece in row.split(",")] for row in rest if row]
    if kind == "AltLex":
        labels = [[anchor[1], *(sense for label in labels for sense in label)]]
    found: dict[str, Selection] = {}
    for part, section in parts:
        if part not in PARTS:
            raise CorpusError(f"'{part}' stands where an argument or supplement should.")
        found[part], rest = _selection(section)
        stray = next(filter(None, _without_features(rest)), None)
        if stray is not None:
            raise CorpusError(f"'{stray:.80}' stands behind {part}, where nothing should.")
    for part in ("Arg1", "Arg2"):
        if part not in found:
            raise CorpusError(f"It has no {part}.")
    return RawRelation(
        number=number,
        line=line,
        kind=kind,
        connectives=tuple(label[0] for label in labels if label[0]),
        senses=tuple(sense for label in labels for sense in label[1:] if sense),
        connective_spans=anchor[0],
        arg1_spans=found["Arg1"][0],
        arg2_spans=found["Arg2"][0],
        arg1_text=found["Arg1"][1],
        arg2_text=found["Arg2"][1],
    )


def _sections(rows: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Headings with the rows below them; the first has no heading if the block begins with other rows."""
    found: list[tuple[str, list[str]]] = []
    for row in rows:
        heading = _HEADING.fullmatch(row)
        if heading or not found:
            found.append((heading[1] if heading else "", []))
        else:
            found[-1][1].append(row.strip())
    return found


def _selection(rows: list[str]) -> tuple[Selection, list[str]]:
    """The selection at the beginning of some rows, and the rows behind it."""
    try:
        text = rows.index(TEXT, 1, 3)
        end = rows.index(TEXT_END, text)
    except ValueError:
        raise CorpusError(f"It has no spans with '{TEXT}' and '{TEXT_END}' behind them.") from None
    return parse_selection(rows[0], " ".join(rows[text + 1 : end])), rows[end + 1 :]


def _without_features(rows: list[str]) -> list[str]:
    """The rows without features at their beginning, which are an attribution and perhaps a selection."""
    if rows[:1] != [FEATURES]:
        return rows
    rest = rows[2:]
    if rest and _SPANS.match(rest[0]):
        rest = _selection(rest)[1]
    return rest


def _parse_row(row: str, number: int, line: int) -> RawRelation:
    """Parse one relation's line of the pipe encoding."""
    fields = [field.strip() for field in row.split("|")]
    if len(fields) != FIELDS:
        raise CorpusError(f"{len(fields)} fields between pipes where PDTB 2 has {FIELDS}.")
    anchor, arg1, arg2 = (parse_selection(fields[place], fields[place + 2]) for place in (3, 22, 32))
    connectives = [anchor[1]] if fields[0] == RelationKind.ALTLEX else fields[8:11]
    return RawRelation(
        number=number,
        line=line,
        kind=fields[0],
        connectives=tuple(filter(None, connectives)),
        senses=tuple(filter(None, fields[11:15])),
        connective_spans=anchor[0],
        arg1_spans=arg1[0],
        arg2_spans=arg2[0],
        arg1_text=arg1[1],
        arg2_text=arg2[1],
    )
