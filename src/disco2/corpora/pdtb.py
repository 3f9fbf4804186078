"""The Penn Discourse Treebanks 2.0 and 3.0: relations that count characters, and raw text.

PDTB 3 has ``gold/SS/wsj_SSNN`` with 34 fields a relation and ``raw/SS/wsj_SSNN``; GUM's discourse relations
have the same fields. PDTB 2 has a native encoding, in blocks of lines, and a pipe encoding of 48 fields a
relation: ``docs/how-to/pdtb2.md`` has the grammar of the one and the fields of the other.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from disco2.corpora import reading
from disco2.corpora.wsj import (
    BARE,
    RawRelation,
    Spans,
    WsjLayers,
    find_files,
    make_corpus,
    parse_spans,
    read_sources,
)
from disco2.data import Corpus, ReadIssues
from disco2.errors import CorpusError, SettingsError

OFFSETS = ("auto", "inclusive", "exclusive")
FILES_3 = (BARE, ".txt", ".pdtb", ".pipe")
FIELDS_3 = 34
RARE = 0.1  # below this share of all spans, those for inclusive ends are slips of exclusive ones
FILES_2 = (".pdtb", ".pipe")  # if a document has both, the native file is read
FIELDS_2 = 48  # of the pipe encoding
RAW = (BARE, ".txt", ".raw")
TEXT, TEXT_END, FEATURES = "#### Text ####", "##############", "#### Features ####"
ANCHORED = ("Explicit", "AltLex")  # these have spans of their own
PARTS = ("Arg1", "Arg2", "Sup1", "Sup2")

Selection = tuple[Spans, str]  # characters, ends exclusive, and their text
_Entry = TypeVar("_Entry")

_RULE = re.compile(r"_{20,}\s*")
_HEADING = re.compile(r"____([A-Za-z0-9]+)____\s*")


def parse_pdtb3(text: str, *, where: str, issues: ReadIssues) -> list[RawRelation]:
    """The relations of a file, numbered by their lines; bad lines are reported and skipped."""
    return _parse_all(_rows(reading.split_lines(text)), _parse_pdtb3_row, where, issues)


def _rows(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    return ((number, line) for number, line in enumerate(lines, start=1) if line.strip())


def _fields(row: str, count: int) -> list[str]:
    fields = [field.strip() for field in row.split("|")]
    if len(fields) != count:
        raise CorpusError(f"It has {len(fields)} fields between pipes instead of {count}.")
    return fields


def _parse_pdtb3_row(row: str, number: int, line: int) -> RawRelation:
    fields = _fields(row, FIELDS_3)
    return RawRelation(
        number=line,
        line=line,
        kind=fields[0],
        connectives=tuple(fields[i] for i in (7, 10) if fields[i] not in ("", "_")),
        senses=tuple(fields[i] for i in (8, 9, 11, 12) if fields[i] not in ("", "_")),
        connective_spans=parse_spans(fields[1]),
        arg1_spans=parse_spans(fields[14]),
        arg2_spans=parse_spans(fields[20]),
    )


def read_pdtb3(
    path: Path,
    *,
    trees: Path | None = None,
    coreference: Path | None = None,
    dependencies: Path | None = None,
    offsets: str = "auto",
) -> Corpus:
    """Read ``gold`` (relations) and ``raw`` (texts), two folders in ``path`` or in its ``data``.

    ``offsets`` says whether the ends of spans are inclusive; ``auto`` decides for the whole corpus from the
    texts. ``trees``, ``coreference`` and ``dependencies`` are folders in which a document's file may be
    anywhere; without trees, tokens and sentences are split by rule.
    """
    if offsets not in OFFSETS:
        raise SettingsError(f"Unknown offsets '{offsets}'.", hint=f"Use one of: {', '.join(OFFSETS)}.")
    root = reading.check_folder(path, holds="the folders 'gold' and 'raw' of PDTB 3")
    if not (root / "gold").is_dir() and (root / "data" / "gold").is_dir():
        root = root / "data"
    gold = reading.check_folder(root / "gold", holds="PDTB 3's relations (gold/SS/wsj_SSNN)")
    raw = reading.check_folder(root / "raw", holds="PDTB 3's texts (raw/SS/wsj_SSNN)")
    files, texts = find_files(gold, endings=FILES_3), find_files(raw, endings=FILES_3)
    issues = ReadIssues()
    sources = list(read_sources(files, texts, parse_pdtb3, issues=issues))
    if not sources:
        raise CorpusError(
            f"None of {len(files)} files in {gold} has its text in {raw}.",
            where=str(path),
            hint="Give a folder with gold/SS/wsj_SSNN and raw/SS/wsj_SSNN.",
        )
    ends: Counter[str] = Counter()
    for source in sources:
        ends.update(which_end(source.text, *span) for one in source.relations for span in one.spans)
    layers = WsjLayers(trees=trees, coreference=coreference, dependencies=dependencies, issues=issues)
    suggested = choose_convention(ends)
    convention = suggested if offsets == "auto" else offsets
    if convention == "inclusive":
        sources = [replace(one, relations=[*map(with_exclusive_ends, one.relations)]) for one in sources]
    corpus = make_corpus("pdtb3", sources, layers, issues=issues)
    note = (
        f"Span ends were read as {convention}, {'by the text' if offsets == 'auto' else 'as asked'}: "
        f"{ends['inclusive']} spans make sense only with inclusive ends, {ends['exclusive']} only with "
        f"exclusive ones, {ends['']} with both or neither."
    )
    if convention != suggested:
        note += f" The text itself suggests {suggested} ends."
    return replace(corpus, notes=(note, *corpus.notes))


def which_end(text: str, start: int, end: int) -> str:
    """``inclusive`` or ``exclusive`` if only this reading of a span's end makes sense; else empty.

    LDC's PDTB 3 is mostly read with inclusive ends, GDTB has exclusive ones, and nothing in the files says
    so. A span should end with a word's last character: read the wrong way, it cuts a word short or includes
    the space after it.
    """
    inclusive, exclusive = _ends_well(text, start, end + 1), _ends_well(text, start, end)
    return "" if inclusive == exclusive else "inclusive" if inclusive else "exclusive"


def choose_convention(ends: Mapping[str, int]) -> str:
    """How the ends of a corpus are best read, from the counts of ``which_end``.

    Before a full stop both readings make sense. Such spans are frequent if ends are exclusive, since
    arguments seldom include the full stop, and rare if ends are inclusive.
    """
    inclusive = ends.get("inclusive", 0)
    is_inclusive = inclusive > ends.get("exclusive", 0) and inclusive >= RARE * sum(ends.values())
    return "inclusive" if is_inclusive else "exclusive"


def with_exclusive_ends(raw: RawRelation) -> RawRelation:
    """A relation whose spans have inclusive ends, with exclusive ones."""
    connective, arg1, arg2 = (
        tuple((start, end + 1) for start, end in spans)
        for spans in (raw.connective_spans, raw.arg1_spans, raw.arg2_spans)
    )
    return replace(raw, connective_spans=connective, arg1_spans=arg1, arg2_spans=arg2)


def _ends_well(text: str, start: int, end: int) -> bool:
    cuts_word = text[end - 1 : end].isalnum() and text[end : end + 1].isalnum()
    return start < end <= len(text) and not text[end - 1].isspace() and not cuts_word


def read_pdtb2(
    path: Path,
    *,
    trees: Path | None = None,
    coreference: Path | None = None,
    dependencies: Path | None = None,
    raw: Path | None = None,
) -> Corpus:
    """Read the relations below ``path`` with their documents.

    Relation files end in ``.pdtb`` or ``.pipe``; their content decides which encoding they have. Raw text is
    searched in ``raw``, or in a folder of that name below or beside ``path``. ``trees``, ``coreference`` and
    ``dependencies`` are folders in which a document's file may be anywhere; without trees, tokens and
    sentences are split by rule.
    """
    names = " or ".join(FILES_2)
    files = find_files(reading.check_folder(path, holds=f"PDTB 2 relations ({names} files)"), endings=FILES_2)
    issues = ReadIssues()
    layers = WsjLayers(trees=trees, coreference=coreference, dependencies=dependencies, issues=issues)
    sources = list(read_sources(files, _raw_files(path, raw), parse_relations, issues=issues))
    if not sources:
        raise CorpusError(
            f"None of {len(files)} relation files ({names}) has raw text.",
            where=str(path),
            hint=f"It was searched in {raw or f'a folder raw below or beside {path}'}. The Penn Treebank has"
            " it in raw/wsj; name that folder with --raw.",
        )
    return make_corpus("pdtb2", sources, layers, issues=issues)


def _raw_files(path: Path, raw: Path | None) -> dict[str, Path]:
    if raw is not None:
        return find_files(reading.check_folder(raw, holds="raw text"), endings=RAW)
    beside = path.absolute().parent / "raw"
    folders = [path] if path.name == "raw" else [*sorted(path.rglob("raw")), beside]
    files: dict[str, Path] = {}
    for folder in filter(Path.is_dir, folders):
        files = find_files(folder, endings=RAW) | files
    return files


def parse_relations(text: str, *, where: str, issues: ReadIssues) -> list[RawRelation]:
    """The relations of a file of PDTB 2 in either encoding; those that break its grammar are findings."""
    lines = reading.split_lines(text)
    if "|" in next(filter(str.strip, lines), ""):
        return _parse_all(_rows(lines), _parse_row, where, issues)
    found = _parse_all(_blocks(lines), _parse_block, where, issues)
    # Every relation stands between two rules of one length.
    tail, rule = list(filter(str.strip, lines))[-2:], next(filter(_RULE.fullmatch, lines), "")
    if rule and (tail[-1].strip() != rule.strip() or _RULE.fullmatch(tail[0])):
        detail = "There is no rule behind its last relation; those that followed are missing."
        issues.add("file cut off", f"{where}:{len(lines)}", detail)
    return found


def _parse_all(
    entries: Iterable[tuple[int, _Entry]],
    parse: Callable[[_Entry, int, int], RawRelation],
    where: str,
    issues: ReadIssues,
) -> list[RawRelation]:
    """The relations of all entries, given with their lines; those that can't be parsed are findings."""
    found = []
    for number, (line, entry) in enumerate(entries, start=1):
        try:
            found.append(parse(entry, number, line))
        except CorpusError as error:
            issues.add("bad relation", f"{where}:{line}", f"Number {number}: {error.what} It was skipped.")
    return found


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
    # Others have a string position and a sentence number.
    rest = _without_features([row for row in rest if not row.isdecimal()])
    labels = [[piece.strip() for piece in row.split(",")] for row in rest if row]
    if kind == "AltLex":
        labels = [[anchor[1], *(sense for label in labels for sense in label)]]
    found = {part: _selection(section)[0] for part, section in parts}
    if not {"Arg1", "Arg2"} <= found.keys():
        raise CorpusError("It has no Arg1 or no Arg2.")
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
    words = " ".join(rows[text + 1 : end]).split()
    return (parse_spans(rows[0]), " ".join(words)), rows[end + 1 :]


def _without_features(rows: list[str]) -> list[str]:
    """The rows without features at their beginning, which are an attribution and perhaps a selection."""
    if rows[:1] != [FEATURES]:
        return rows
    return _selection(rows[2:])[1] if TEXT in rows else rows[2:]


def _parse_row(row: str, number: int, line: int) -> RawRelation:
    """Parse one relation's line of the pipe encoding."""
    fields = _fields(row, FIELDS_2)
    return RawRelation(
        number=number,
        line=line,
        kind=fields[0],
        connectives=tuple(filter(None, fields[5:6] if fields[0] == "AltLex" else fields[8:11])),
        senses=tuple(filter(None, fields[11:15])),
        connective_spans=parse_spans(fields[3]),
        arg1_spans=parse_spans(fields[22]),
        arg2_spans=parse_spans(fields[32]),
        arg1_text=fields[24],
        arg2_text=fields[34],
    )
