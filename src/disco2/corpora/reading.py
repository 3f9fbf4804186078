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
from functools import cached_property
from itertools import chain
from pathlib import Path
from reprlib import Repr
from typing import Any, Self

from disco2.data import WITHOUT_SENSE, Argument, Corpus, Document, ReadIssues, Relation, RelationKind
from disco2.data.records import find_runs
from disco2.data.senses import SenseInventory, inventory, senses_2_to_3, senses_3_to_2
from disco2.errors import CorpusError
from disco2.files import TwinKeyError, without_twins

BYTE_ORDER_MARK = "\ufeff"
NOT_UTF8 = "not UTF-8"
WRONG_COLUMNS = "wrong number of columns"  # a finding; the row is skipped
DELIMITERS = ",;\t"
UTF16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}  # by their byte order marks

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
# Escapes of a valid JSON text one by one: a surrogate pair, an unpaired surrogate (in a group), any other.
_ESCAPE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\.",
    re.DOTALL,
)
_SHORT = Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 80


def read_text(path: Path, *, issues: ReadIssues, encoding: str = "auto") -> str:
    """Read a file with its line ends and byte order mark, since character offsets count them.

    ``auto`` reads UTF-16 if the file has its byte order mark, else UTF-8, else latin-1 (which fits any bytes)
    with a finding. An encoding given by name must fit.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        reason = "no such file" if isinstance(error, FileNotFoundError) else error.strerror or str(error)
        raise CorpusError(
            f"The file can't be read ({reason}).", where=str(path), hint="Check the path and its permissions."
        ) from None
    chosen = UTF16.get(data[:2], "utf-8") if encoding == "auto" else encoding
    try:
        return data.decode(chosen)
    except LookupError:
        raise CorpusError(
            f"Unknown encoding '{encoding}'.", where=str(path), hint="Try utf-8, latin-1 or auto."
        ) from None
    except UnicodeError as error:
        start = error.start if isinstance(error, UnicodeDecodeError) else 0
        line = data.count(b"\n", 0, start) + 1
        where = f"{path}:{line}"
        if chosen == "utf-8" and encoding == "auto":
            detail = f"byte {data[start]:#04x} is not UTF-8; the file was read as latin-1"
            issues.add(NOT_UTF8, where, detail)
            return data.decode("latin-1")
        what = f"The file is not {chosen}: {getattr(error, 'reason', error)}."
        raise CorpusError(what, where=where, hint="Try the encoding auto.") from None


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

    def __init__(self, reason: str, line: int) -> None:
        self.reason = reason
        self.line = line
        super().__init__(reason)


def parse_json(text: str) -> object:
    """Parse a JSON text; raise BrokenJsonError, also for a repeated key or an unpaired surrogate."""
    try:
        value: object = json.loads(text, object_pairs_hook=without_twins)
    except json.JSONDecodeError as error:
        raise BrokenJsonError(f"{error.msg} at column {error.colno}", error.lineno) from None
    except TwinKeyError as error:
        raise BrokenJsonError(f"The key {shorten(error.key)} occurs twice in one object", 1) from None
    except ValueError:
        raise BrokenJsonError("A number has too many digits", 1) from None
    except RecursionError:
        raise BrokenJsonError("It is nested too deeply", 1) from None
    if _SURROGATE.search(text):  # the parser takes an unpaired one, and writing it fails much later
        unpaired = next((escape for escape in _ESCAPE.finditer(text) if escape[1]), None)
        if unpaired is not None:
            line = text.count("\n", 0, unpaired.start()) + 1
            raise BrokenJsonError("A string contains an unpaired surrogate", line)
    return value


def read_json_lines(text: str, *, path: Path, issues: ReadIssues) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the number and object of every line; a line that is no JSON object is a finding."""
    for number, line in enumerate(split_lines(text), start=1):
        if not line.strip():
            continue
        try:
            record = parse_json(line)
        except BrokenJsonError as error:
            issues.add("broken line", f"{path}:{number}", f"Not JSON: {error.reason}; skipped.")
            continue
        if isinstance(record, dict):
            yield number, record
        else:
            issues.add("broken line", f"{path}:{number}", "Not an object in braces; skipped.")


def read_table(
    text: str, *, path: Path, required: Collection[str], known: Collection[str] = (), issues: ReadIssues
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the first line and the cells of every row of a table with commas, semicolons or tabs.

    Names of columns are in lower case. A row of another length is a finding. Raises CorpusError if the header
    lacks a required column, or has one of the ``known`` columns twice.
    """
    lines = io.StringIO(text.removeprefix(BYTE_ORDER_MARK), newline="").readlines()
    delimiter, header, place = _read_header(lines, path=path, required=required, known=known)
    eaten = 0  # up to this line, quoting over several lines was found to be broken
    while place < len(lines):
        where = f"{path}:{place + 1}"
        row, taken = _read_row(lines, place, delimiter, alone=place < eaten)
        if row is None or len(row) != len(header):
            # A quotation mark that never closes takes the lines after it: read this line without quoting.
            eaten = max(eaten, place + taken - 1)
            row, taken = lines[place].rstrip("\r\n").split(delimiter), 1
            if len(row) == len(header):
                issues.add("stray quotation mark", where, "The line was read without quoting.")
        if len(row) == len(header) and any(cell.strip() for cell in row):
            yield place + 1, dict(zip(header, row, strict=True))
        elif any(cell.strip() for cell in row):
            columns = f"{len(row)} columns where the header has {len(header)}"
            issues.add(WRONG_COLUMNS, where, f"{columns}; skipped.")
        place += taken


def find_double(columns: Sequence[str], known: Collection[str]) -> str | None:
    """The first of the known columns that occurs twice."""
    return next((name for name in known if columns.count(name) > 1), None)


def _read_row(
    lines: Sequence[str], place: int, delimiter: str, *, alone: bool = False
) -> tuple[list[str] | None, int]:
    """The row that begins on a line and the number of lines read; None if its quoting is broken."""
    end = place + 1 if alone else len(lines)
    rows = csv.reader((lines[at] for at in range(place, end)), delimiter=delimiter, strict=True)
    try:
        return next(rows), rows.line_num
    except csv.Error:
        return None, rows.line_num


def _read_header(
    lines: Sequence[str], *, path: Path, required: Collection[str], known: Collection[str]
) -> tuple[str, list[str], int]:
    """The delimiter under which the first row has the required columns, that row, and its number of lines."""
    for delimiter in DELIMITERS if lines else ():
        row, taken = _read_row(lines, 0, delimiter)
        header = [cell.strip().lower() for cell in row or ()]
        if set(required) <= set(header):
            if twice := find_double(header, known):
                raise CorpusError(
                    f"The column '{twice}' occurs twice.", where=f"{path}:1", hint="Rename one of the two."
                )
            return delimiter, header, taken
    raise CorpusError(
        f"The first line does not name the columns {' and '.join(required)}.",
        where=f"{path}:1",
        hint=f"Begin the file with a header such as: {','.join(required)},label",
    )


def shorten(value: object) -> str:
    """A value of a JSON text for a message, cut short."""
    return _SHORT.repr(value)


def quote_first_fault(issues: ReadIssues, kinds: Collection[str] = ()) -> str:
    """Quote the first finding, of these kinds or else not about the encoding, for an error message."""
    for finding in issues.findings:
        if finding.kind in kinds if kinds else finding.kind != NOT_UTF8:
            return f" The first fault: {finding.where}: {finding.detail}"
    return ""


def check_folder(path: Path, *, holds: str) -> Path:
    """Return the folder; raise CorpusError, saying what it should hold, if there is none."""
    if not path.is_dir():
        problem = "This is a file, not a folder" if path.exists() else "There is no such folder"
        raise CorpusError(f"{problem}; {holds} should be there.", where=str(path), hint="Check the path.")
    return path


def list_files(folder: Path) -> Iterator[Path]:
    """The files below a folder in order, without hidden ones; OSError if a folder can't be read."""
    paths = [
        Path(inside, name)
        for inside, _, names in os.walk(folder, onerror=_raise)
        for name in names
        if not name.startswith(".")
    ]
    return (path for path in sorted(paths) if path.is_file())


def _raise(error: OSError) -> None:
    """By default ``os.walk`` skips a folder without permissions, and the corpus would silently lose it."""
    if not isinstance(error, FileNotFoundError | NotADirectoryError):
        raise error


@contextmanager
def gc_disabled() -> Iterator[None]:
    """Switch the search for reference cycles off.

    The millions of records that readers make have no cycles; looking for them takes a fifth of the time to
    read a corpus.
    """
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
    """The kind of relation of that name, in upper or lower case; None for other names."""
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


def drop_doubles(
    relations: Iterable[Relation], *, issues: ReadIssues, keep: bool = False
) -> Iterator[Relation]:
    """Leave out, or ``keep``, relations that repeat one of their document; a finding reports each."""
    seen: dict[tuple[object, ...], str] = {}
    for one in relations:
        arguments = one.arg1.tokens, one.arg2.tokens, one.connective_tokens, one.connective
        key = one.document, one.kind, one.senses, arguments
        if key in seen:
            what = "both count" if keep else "it was left out"
            issues.add("relation twice", one.where, f"{one.id} repeats the relation at {seen[key]}; {what}.")
            if not keep:
                continue
        seen.setdefault(key, one.where)
        yield one


def compare_text(words: Sequence[str], stated: str, name: str, *, where: str, issues: ReadIssues) -> None:
    """Report an argument whose words are not those of the text that the file states for it."""
    found, expected = keep_letters("".join(words)).casefold(), keep_letters(stated).casefold()
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


def keep_letters(text: str) -> str:
    """The letters and digits of a text: spaces, quotes and brackets differ from corpus to corpus."""
    return "".join(filter(str.isalnum, text))


class TokenSpans:
    """Looks up tokens by character offsets, ends exclusive; both starts and ends of the tokens ascend.

    Limits how often arguments may repeat the text: a line of a hundred bytes can name a whole document as an
    argument, and a file has thousands of lines. Raises CorpusError beyond that limit.
    """

    def __init__(self, text: str, tokens: Sequence[tuple[int, int]], *, document: str = "") -> None:
        self._text = text
        self._document = document
        self._starts = [start for start, _ in tokens]
        self._ends = [end for _, end in tokens]
        self._left = max(ALWAYS, MOST_TIMES * len(text))

    @classmethod
    def of(cls, document: Document) -> Self:
        places = [(token.start, token.end) for token in document.tokens]
        return cls(document.text, places, document=document.id)

    def under(self, spans: Iterable[tuple[int, int]]) -> tuple[tuple[int, ...], bool]:
        """The tokens that share a character with some spans, in order, and whether the spans cut no token.

        Spaces at the edges of a span don't matter. Raises CorpusError for a span beyond the text.
        """
        found: list[tuple[int, int]] = []
        exact = True
        for start, end in spans:
            if end > len(self._text):
                raise CorpusError(
                    f"The span {start}..{end} ends beyond the text of {len(self._text)} characters."
                )
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
        pieces = (self._text[start:end] for start, end in join_intervals(spans))
        return Argument(tokens, " ".join(pieces)), exact

    def tokens(self, runs: Sequence[tuple[int, int]]) -> tuple[int, ...]:
        """The tokens of runs that are in order and don't overlap; CorpusError as in ``count``."""
        self.count(sum(self._ends[last - 1] - self._starts[first] for first, last in runs))
        return tuple(chain.from_iterable(self._numbers[first:last] for first, last in runs))

    def count(self, characters: int) -> None:
        """Raise CorpusError once the arguments are together much longer than any annotator's."""
        if characters > self._left:
            raise CorpusError(
                f"The arguments in {self._document or 'a document'} are together more than {MOST_TIMES} times"
                " as long as its text.",
                hint="The relations are damaged, or belong to another text.",
            )
        self._left -= characters

    @cached_property
    def _numbers(self) -> tuple[int, ...]:
        """All token numbers, once: arguments share these objects, which saves memory."""
        return tuple(range(len(self._starts)))


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
