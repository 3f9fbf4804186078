"""Shared by all readers: files, lines, JSON and tables; kinds, senses, spans and arguments."""

from __future__ import annotations

import codecs
import csv
import gc
import io
import json
import os
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from reprlib import Repr
from typing import Any

from disco2.data import WITHOUT_SENSE, Argument, Corpus, Document, ReadIssues, Relation, RelationKind
from disco2.data.records import find_runs
from disco2.data.senses import SenseInventory, inventory, senses_2_to_3, senses_3_to_2
from disco2.errors import CorpusError
from disco2.files import TwinKeyError, without_twins

BYTE_ORDER_MARK = "\ufeff"
WRONG_COLUMNS = "wrong number of columns"  # a finding; the row is skipped
DELIMITERS = ",;\t"
LONGEST_ROW = 100  # lines of a table; a quotation mark that takes more is a stray one
UTF16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}  # by their byte order marks

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_SHORT = Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 80


def read_text(path: Path, *, issues: ReadIssues) -> str:
    r"""Read a file with its line ends and byte order mark, since character offsets count them.

    If lines end with ``\r`` alone, as on old Macs, they end with ``\n`` in the text.
    It is UTF-16 if it has that byte order mark, else UTF-8; if it is not, it is read as latin-1, which fits
    any bytes, with a finding.
    """
    data = path.read_bytes()
    encoding = UTF16.get(data[:2], "utf-8")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        detail = f"{error.reason}; the file was read as latin-1"
        issues.add(f"not {encoding.upper()}", f"{path}:{line}", detail)
        text = data.decode("latin-1")
    return text if "\n" in text else text.replace("\r", "\n")


def split_lines(text: str) -> list[str]:
    """Split a table or JSON lines into lines, without their ends and without a byte order mark.

    Lines end with ``\\n`` or ``\\r\\n``, or with ``\\r`` if there is no other line end. Other characters that
    ``str.splitlines`` splits at, such as U+2028, stay inside their line.
    """
    lines = text.removeprefix(BYTE_ORDER_MARK).split("\n" if "\n" in text else "\r")
    if lines and not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


class BrokenJsonError(ValueError):
    """Text that is not JSON, or JSON that no program could write out again; ``line`` counts from 1."""

    def __init__(self, reason: str, line: int = 1) -> None:
        self.reason = reason
        self.line = line
        super().__init__(reason)


def parse_json(text: str) -> object:
    """Parse a JSON text; raise BrokenJsonError, also for a repeated key or an unpaired surrogate."""
    try:
        value: object = json.loads(text, object_pairs_hook=without_twins)
        if _SURROGATE.search(text):  # the parser takes an unpaired one, and writing it fails much later
            json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        raise BrokenJsonError(f"{error.msg} at column {error.colno}", error.lineno) from None
    except TwinKeyError as error:
        raise BrokenJsonError(f"The key {shorten(error.key)} occurs twice in one object") from None
    except UnicodeEncodeError:
        raise BrokenJsonError("A string contains an unpaired surrogate") from None
    except ValueError:
        raise BrokenJsonError("A number has too many digits") from None
    except RecursionError:
        raise BrokenJsonError("It is nested too deeply") from None
    return value


def read_json_lines(text: str, *, path: Path, issues: ReadIssues) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the number and object of every line; a line that is no JSON object is a finding."""
    for number, line in enumerate(split_lines(text), start=1):
        if not line.strip():
            continue
        try:
            record = parse_json(line)
            if not isinstance(record, dict):
                raise BrokenJsonError("It is no object in braces")
        except BrokenJsonError as error:
            issues.add("broken line", f"{path}:{number}", f"Not JSON: {error.reason}; skipped.")
            continue
        yield number, record


def read_table(
    text: str, *, path: Path, required: Collection[str], quoted: bool = True, issues: ReadIssues
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the first line and the cells of every row of a table with commas, semicolons or tabs.

    Cells may be ``quoted``. Names of columns are in lower case. A row of another length is a finding. Raises
    CorpusError if the header lacks a required column, or has a column twice.
    """
    plain = text.removeprefix(BYTE_ORDER_MARK)
    lines = io.StringIO(plain, newline="").readlines() if quoted else split_lines(text)
    delimiter, header, place = _read_header(lines, path=path, required=required)
    while place < len(lines):
        where = f"{path}:{place + 1}"
        row, taken = _read_row(lines, place, delimiter) if quoted else ([], 1)
        if len(row) != len(header):
            # A quotation mark that never closes takes the lines after it: read this line without quoting.
            row, taken = lines[place].rstrip("\r\n").split(delimiter), 1
            if quoted and len(row) == len(header):
                issues.add("stray quotation mark", where, "The line was read without quoting.")
        if len(row) == len(header) and any(cell.strip() for cell in row):
            yield place + 1, dict(zip(header, row, strict=True))
        elif any(cell.strip() for cell in row):
            columns = f"{len(row)} columns where the header has {len(header)}"
            issues.add(WRONG_COLUMNS, where, f"{columns}; skipped.")
        place += taken


def _read_row(lines: Sequence[str], place: int, delimiter: str) -> tuple[list[str], int]:
    """The row that begins on a line and the number of its lines; no cells if its quoting is broken."""
    rows = csv.reader(lines[place : place + LONGEST_ROW], delimiter=delimiter, strict=True)
    try:
        return next(rows), rows.line_num
    except csv.Error:
        return [], 1


def _read_header(
    lines: Sequence[str], *, path: Path, required: Collection[str]
) -> tuple[str, list[str], int]:
    """The delimiter under which the first row has the required columns, that row, and its number of lines."""
    for delimiter in DELIMITERS if lines else ():
        row, taken = _read_row(lines, 0, delimiter)
        header = [cell.strip().lower() for cell in row]
        if set(required) <= set(header):
            if twice := next((name for name in header if name and header.count(name) > 1), ""):
                raise CorpusError(
                    f"The column '{twice}' occurs twice.", where=f"{path}:1", hint="Rename one of the two."
                )
            return delimiter, header, taken
    raise CorpusError(
        f"The first line does not name the columns {' and '.join(required)}.",
        where=f"{path}:1",
        hint="Begin the file with the names of its columns, separated by commas, semicolons or tabs.",
    )


def shorten(value: object) -> str:
    """A value of a JSON text for a message, cut short."""
    return _SHORT.repr(value)


def quote_first_fault(issues: ReadIssues) -> str:
    """Quote the first finding of weight for an error message."""
    faults = (one for one in issues.findings if one.kind not in ("not UTF-8", "no parse"))
    return next((f" The first fault: {one.where}: {one.detail}" for one in faults), "")


def check_folder(path: Path, *, holds: str) -> Path:
    """Return the folder; raise CorpusError, saying what it should hold, if there is none."""
    if not path.is_dir():
        problem = "This is a file, not a folder" if path.exists() else "There is no such folder"
        raise CorpusError(f"{problem}; {holds} should be there.", where=str(path), hint="Check the path.")
    return path


def list_files(folder: Path) -> list[Path]:
    """The files below a folder in order, without hidden ones; OSError if a folder can't be read."""

    def refuse(error: OSError) -> None:  # by default ``os.walk`` would skip the folder
        raise error

    paths = [
        Path(inside, name)
        for inside, _, names in os.walk(folder, onerror=refuse)
        for name in names
        if not name.startswith(".")
    ]
    return [path for path in sorted(paths) if path.is_file()]


@contextmanager
def gc_disabled() -> Iterator[None]:
    """Switch the search for reference cycles off: it takes a fifth of the time to read a corpus."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


MOST_TIMES = 100  # a word of a treebank is in a handful of arguments, in a deep tree of units in some dozens
ALWAYS = 1_000_000  # characters of arguments that a short document may have

_KINDS = {kind.lower(): kind for kind in RelationKind}
_WITHOUT_SENSE = {
    kind.lower(): kind for kind in (RelationKind.ENTREL, RelationKind.NOREL, RelationKind.HYPOPHORA)
}
_MAPPINGS: dict[tuple[str, str], Callable[[str], str | None]] = {
    ("pdtb2", "pdtb3"): senses_2_to_3,
    ("pdtb3", "pdtb2"): senses_3_to_2,
    ("gdtb", "pdtb2"): senses_3_to_2,
    ("gdtb", "pdtb3"): lambda sense: sense,  # GDTB's senses are PDTB 3's
}


def read_kind(label: str) -> RelationKind | None:
    """The kind of relation of that name, in upper or lower case."""
    return _KINDS.get(label.strip().lower())


def read_kind_without_sense(label: str) -> RelationKind | None:
    """EntRel, NoRel and Hypophora have no sense; many corpora repeat the kind in the sense column."""
    return _WITHOUT_SENSE.get(label.strip().lower())


def read_senses(
    labels: Iterable[str],
    known: SenseInventory,
    *,
    kind: RelationKind = RelationKind.IMPLICIT,
    where: str,
    issues: ReadIssues,
) -> tuple[str, ...]:
    """The canonical senses, each once. Kinds are skipped; an unknown label is a finding.

    So is a sense of a kind that has none.
    """
    senses: list[str] = []
    for label in labels:
        if not label.strip() or (not known.is_free and read_kind_without_sense(label)):
            continue
        sense = known.resolve(label)
        if sense is None:
            issues.add("unknown sense", where, f"'{label:.80}' is no sense of {known.name}; left out.")
        else:
            senses.append(sense)
    if senses and kind in WITHOUT_SENSE and not known.is_free:
        issues.add("sense of a kind without", where, f"{kind} has no sense; {senses[0]} was left out.")
        return ()
    return tuple(dict.fromkeys(senses))


def choose_inventory(labels: Iterable[str], *, known: Sequence[str]) -> SenseInventory:
    """The inventory that has the most of the labels, and more than half of them; else the free one.

    The first wins a tie; kinds in the place of a sense don't count.
    """
    counts = Counter(label for label in labels if label.strip() and not read_kind_without_sense(label))
    found = {
        one: sum(count for label, count in counts.items() if inventory(one).resolve(label)) for one in known
    }
    best = max(known, key=lambda one: found[one])
    return inventory(best if 2 * found[best] > counts.total() or not counts else "free")


def normalise_votes(votes: Mapping[str, float]) -> tuple[tuple[str, float], ...]:
    """The votes for each sense as shares that add up to 1."""
    total = sum(votes.values())
    return tuple((sense, vote / total) for sense, vote in votes.items())


def drop_doubles(relations: Iterable[Relation], *, issues: ReadIssues) -> Iterator[Relation]:
    """Leave out relations that repeat one of their document; a finding reports each."""
    seen: dict[tuple[object, ...], str] = {}
    for one in relations:
        arguments = one.arg1.tokens, one.arg2.tokens, one.connective_tokens, one.connective
        key = one.document, one.kind, one.senses, arguments
        if key in seen:
            detail = f"{one.id} repeats the relation at {seen[key]}; it was left out."
            issues.add("relation twice", one.where, detail)
            continue
        seen[key] = one.where
        yield one


def compare_text(words: Sequence[str], stated: str, name: str, *, where: str, issues: ReadIssues) -> None:
    """Report an argument whose letters and digits are not those of the text that the file states for it."""
    found, expected = ("".join(filter(str.isalnum, text)).casefold() for text in ("".join(words), stated))
    if found and expected and found != expected:
        by_place, by_text = " ".join(words[:12])[:60], " ".join(stated[:200].split())[:60]
        detail = f"{name} is '{by_place}' by its place and '{by_text}' by its text; the place was taken."
        issues.add("argument differs from its text", where, detail)


def with_senses_of(corpus: Corpus, name: str) -> Corpus:
    """Map the senses to another inventory; those without a counterpart are left out, with a finding."""
    if corpus.inventory == name:
        return corpus
    mapping = _MAPPINGS.get((corpus.inventory, name))
    if mapping is None:
        raise CorpusError(
            f"Senses of '{corpus.inventory}' can't be turned into those of '{name}'.",
            where=corpus.name,
            hint="Known: pdtb2 to pdtb3, pdtb3 or gdtb to pdtb2.",
        )

    def mapped(relation: Relation) -> Relation:
        senses = {sense: mapping(sense) for sense in relation.senses}
        for sense in [sense for sense, found in senses.items() if found is None]:
            detail = f"'{sense}' has none in {name}; left out."
            corpus.issues.add("sense without a counterpart", relation.where, detail)
        votes: dict[str, float] = {}
        for sense, share in relation.votes:
            if found := mapping(sense):
                votes[found] = votes.get(found, 0.0) + share
        kept = tuple(dict.fromkeys(filter(None, senses.values())))
        return replace(relation, senses=kept, votes=normalise_votes(votes))

    return replace(corpus, inventory=name, relations=tuple(map(mapped, corpus.relations)))


def find_character_spans(document: Document, tokens: Iterable[int]) -> list[tuple[int, int]]:
    """The places of stretches of tokens in the document's text, ends exclusive."""
    return [
        (document.tokens[first].start, document.tokens[last - 1].end) for first, last in find_runs(tokens)
    ]


def argument_from_tokens(document: Document, tokens: Iterable[int]) -> Argument:
    """An argument of some tokens of a document; its pieces are joined by a space."""
    chosen = tuple(sorted(set(tokens)))
    pieces = [document.text[start:end] for start, end in find_character_spans(document, chosen)]
    return Argument(chosen, " ".join(pieces))


class TokenSpans:
    """Looks up tokens by character offsets, ends exclusive; both starts and ends of the tokens ascend.

    Limits how often arguments may repeat the text: a line of a hundred bytes can name a whole document as an
    argument, and a file has thousands of lines. Raises CorpusError beyond that limit.
    """

    def __init__(self, document: Document) -> None:
        self._document = document
        self._starts = [token.start for token in document.tokens]
        self._ends = [token.end for token in document.tokens]
        self._left = max(ALWAYS, MOST_TIMES * len(document.text))

    def under(self, spans: Iterable[tuple[int, int]]) -> tuple[tuple[int, ...], bool]:
        """The tokens that share a character with some spans, in order, and whether the spans cut no token.

        Spaces at the edges of a span don't matter. Raises CorpusError for a span beyond the text.
        """
        found: list[tuple[int, int]] = []
        exact, length = True, len(self._document.text)
        for start, end in spans:
            if end > length:
                raise CorpusError(f"The span {start}..{end} ends beyond the text of {length} characters.")
            first = bisect_right(self._ends, start)
            last = bisect_left(self._starts, end)
            exact &= first < last and start <= self._starts[first] and self._ends[last - 1] <= end
            if start < end:
                found.append((first, last))
        return self.tokens(join_intervals(found)), exact

    def argument(self, spans: Iterable[tuple[int, int]]) -> tuple[Argument, bool]:
        """The argument under the spans, its pieces joined by a space, and whether the spans cut no token."""
        spans = tuple(spans)
        tokens, exact = self.under(spans)
        pieces = (self._document.text[start:end] for start, end in join_intervals(spans))
        return Argument(tokens, " ".join(pieces)), exact

    def tokens(self, runs: Sequence[tuple[int, int]]) -> tuple[int, ...]:
        """The tokens of runs that are in order and don't overlap.

        Raises CorpusError once the arguments are together much longer than any annotator's.
        """
        characters = sum(self._ends[last - 1] - self._starts[first] for first, last in runs)
        if characters > self._left:
            raise CorpusError(
                f"The arguments in {self._document.id} are together more than {MOST_TIMES} times as long as "
                "its text."
            )
        self._left -= characters
        return tuple(token for run in runs for token in range(*run))


def join_intervals(intervals: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Sort intervals (ends exclusive), merge those that overlap, and leave out empty ones.

    A list that names the same stretch a thousand times is then no longer than the stretch. Intervals that
    only touch stay apart.
    """
    found: list[tuple[int, int]] = []
    for start, end in sorted(intervals):
        if start >= end:
            continue
        if found and start < found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found
