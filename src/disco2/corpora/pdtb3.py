"""The Penn Discourse Treebank 3.0: ``gold/SS/wsj_SSNN`` with 34 fields a relation, ``raw/SS/wsj_SSNN``.

GUM's discourse relations have the same fields. PDTB 2 has other files, and its relations are found in the
text in the same way.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from disco2.corpora.reading import check_folder, read_text, split_lines
from disco2.corpora.relations import TokenSpans, compare_text, drop_doubles, read_kind_and_senses
from disco2.corpora.wsj import BARE, WsjLayers, find_files
from disco2.data import Corpus, Document, ReadIssues, Relation
from disco2.data.senses import SenseInventory, inventory
from disco2.errors import CorpusError, SettingsError

OFFSETS = ("auto", "inclusive", "exclusive")
FILES = (BARE, ".txt", ".pdtb", ".pipe")
FIELDS = 34
CLEAR = 0.95  # the share of telling spans that must agree before the evidence counts as clear
RARE = 0.1  # below this share of all spans, those for inclusive ends are slips of exclusive ones

Convention = Literal["inclusive", "exclusive"]
Spans = tuple[tuple[int, int], ...]

_SPAN = re.compile(r"(\d{1,9})\.\.(\d{1,9})")


@dataclass(frozen=True, slots=True)
class RawRelation:
    """One relation as its file has it: spans are pairs of character offsets, senses are not yet checked.

    Whether the ends are inclusive (LDC's PDTB 3) or exclusive (PDTB 2, GDTB) depends on the corpus.
    ``number`` counts the relations of the file from 1, and ``line`` is where this one begins.
    """

    number: int
    line: int
    kind: str
    connectives: tuple[str, ...]  # one, or two of an implicit relation
    senses: tuple[str, ...]
    connective_spans: Spans  # of an explicit connective or an AltLex
    arg1_spans: Spans
    arg2_spans: Spans
    arg1_text: str = ""  # in PDTB 2, which repeats the text of the spans
    arg2_text: str = ""

    @property
    def spans(self) -> Spans:
        return (*self.connective_spans, *self.arg1_spans, *self.arg2_spans)


def parse_spans(field: str) -> Spans:
    """Parse ``"3..7;9..12"`` to ``((3, 7), (9, 12))``; an empty field has no spans."""
    if not field:
        return ()
    spans = []
    for piece in field.split(";"):
        span = _SPAN.fullmatch(piece)
        if span is None:
            raise CorpusError(f"'{piece:.80}' is not a span of the form 12..34.")
        start, end = int(span[1]), int(span[2])
        if end < start:
            raise CorpusError(f"The span '{piece}' ends before it starts.")
        spans.append((start, end))
    return tuple(spans)


def parse_pdtb3_line(fields: Sequence[str], line: int) -> RawRelation:
    """Parse the relation in one line's fields; raise CorpusError, without a place, if there is none."""
    if len(fields) != FIELDS:
        raise CorpusError(f"{len(fields)} fields between pipes where PDTB 3 has {FIELDS}.")
    fields = list(map(str.strip, fields))
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


def parse_pdtb3(text: str, *, where: str, issues: ReadIssues) -> list[RawRelation]:
    """The relations of a file; bad lines are reported and skipped."""
    relations = []
    for number, line in enumerate(split_lines(text), start=1):
        if not line.strip():
            continue
        try:
            relations.append(parse_pdtb3_line(line.split("|"), number))
        except CorpusError as error:
            issues.add("bad relation line", f"{where}:{number}", f"{error.what} The line was skipped.")
    return relations


def read_pdtb3(
    path: Path,
    *,
    trees: Path | None = None,
    coreference: Path | None = None,
    dependencies: Path | None = None,
    offsets: Literal["auto", "inclusive", "exclusive"] = "auto",
    encoding: str = "auto",
) -> Corpus:
    """Read ``gold`` (relations) and ``raw`` (texts), two folders in ``path`` or in its ``data``.

    ``offsets`` says whether the ends of spans are inclusive; ``auto`` decides for the whole corpus from the
    texts. ``trees``, ``coreference`` and ``dependencies`` are folders in which a document's file may be
    anywhere; without trees, tokens and sentences are split by rule. ``encoding`` is that of gold and raw.
    """
    if offsets not in OFFSETS:
        raise SettingsError(f"Unknown offsets '{offsets}'.", hint=f"Use one of: {', '.join(OFFSETS)}.")
    root = check_folder(path, holds="the folders 'gold' and 'raw' of PDTB 3")
    if not (root / "gold").is_dir() and (root / "data" / "gold").is_dir():
        root = root / "data"
    gold = check_folder(root / "gold", holds="PDTB 3's relations (gold/SS/wsj_SSNN)")
    raw = check_folder(root / "raw", holds="PDTB 3's texts (raw/SS/wsj_SSNN)")
    files = find_files(gold, endings=FILES)
    issues = ReadIssues()
    texts = find_files(raw, endings=FILES)
    sources = list(read_sources(files, texts, parse_pdtb3, encoding=encoding, issues=issues))
    if not sources:
        raise CorpusError(
            f"None of {len(files)} files in {gold} has its text in {raw}.",
            where=str(path),
            hint="Give a folder with gold/SS/wsj_SSNN and raw/SS/wsj_SSNN.",
        )
    evidence = OffsetEvidence()
    for source in sources:
        for one in source.relations:
            evidence.add(source.text, one.spans)
    convention: Convention = evidence.convention if offsets == "auto" else offsets
    chosen = "by the text" if offsets == "auto" else "as asked"
    notes = [f"Span ends were read as {convention}, {chosen}: {evidence.describe()}."]
    if offsets != "auto" and evidence.inclusive + evidence.exclusive and convention != evidence.convention:
        notes.append(f"The text itself suggests {evidence.convention} ends.")
    layers = WsjLayers(files, trees=trees, coreference=coreference, dependencies=dependencies, issues=issues)
    corpus = make_corpus("pdtb3", sources, layers, convention=convention, issues=issues)
    return replace(corpus, notes=(*notes, *corpus.notes))


@dataclass(frozen=True, slots=True)
class Source:
    """One document's text and relations as its files have them."""

    id: str
    file: Path
    text: str
    relations: Sequence[RawRelation]


def read_sources(
    files: Mapping[str, Path],
    texts: Mapping[str, Path],
    parse: Callable[..., list[RawRelation]],
    *,
    encoding: str,
    issues: ReadIssues,
) -> Iterator[Source]:
    """Read the relations and the raw text of each document; one without text is left out with a finding."""
    for name, file in files.items():
        content = read_text(file, issues=issues, encoding=encoding)
        relations = parse(content, where=str(file), issues=issues)
        if not content.strip():
            issues.add("empty file", str(file), "There are no relations in it.")
        if name not in texts:
            detail = f"{name} has no raw text; it and its {len(relations)} relations were left out."
            issues.add("document without text", str(file), detail)
            continue
        text = read_text(texts[name], issues=issues, encoding=encoding)
        starts = [start for one in relations for start, _ in one.spans]
        yield Source(name, file, choose_text(text, starts, where=str(texts[name]), issues=issues), relations)


def make_corpus(
    name: str,
    sources: Iterable[Source],
    layers: WsjLayers,
    *,
    convention: Convention = "exclusive",
    issues: ReadIssues,
) -> Corpus:
    """The documents with their layers, and the relations that can be found in them.

    The inventory of senses has the name of the corpus.
    """
    documents: dict[str, Document] = {}
    relations: list[Relation] = []
    ways: Counter[str] = Counter()
    for source in sources:
        document, has_trees = layers.document(source.id, source.text)
        ways["have tokens from trees" if has_trees else "have no trees; tokens were split by rule"] += 1
        documents[document.id] = document
        found = _relations(source, document, convention, inventory(name), issues=issues)
        relations.extend(drop_doubles(found, issues=issues))
    notes = tuple(f"{count} documents {way}." for way, count in sorted(ways.items()))
    return Corpus(name, name, documents, tuple(relations), issues=issues, notes=notes)


def _relations(
    source: Source, document: Document, convention: Convention, known: SenseInventory, *, issues: ReadIssues
) -> Iterator[Relation]:
    tokens = TokenSpans.of(document)
    for raw in source.relations:
        name, where = f"{source.id}:{raw.number}", f"{source.file}:{raw.line}"
        label = read_kind_and_senses(raw.kind, raw.senses, known, where=where, issues=issues)
        if label is None:
            continue
        try:
            arg1, exact1 = tokens.argument(make_exclusive(raw.arg1_spans, convention))
            arg2, exact2 = tokens.argument(make_exclusive(raw.arg2_spans, convention))
            connective, _ = tokens.under(make_exclusive(raw.connective_spans, convention))
            if not arg1.tokens or not arg2.tokens:
                raise CorpusError(f"{'Arg2' if arg1.tokens else 'Arg1'} of {name} has no token.")
        except CorpusError as error:
            issues.add("bad relation", where, f"{error.what} The relation was skipped.")
            continue
        if not (exact1 and exact2):
            issues.add("span cuts a token", where, f"A span of {name} cuts a token, which was taken whole.")
        compare_text(arg1.text.split(), raw.arg1_text, f"Arg1 of {name}", where=where, issues=issues)
        compare_text(arg2.text.split(), raw.arg2_text, f"Arg2 of {name}", where=where, issues=issues)
        yield Relation(
            id=name,
            document=source.id,
            kind=label[0],
            arg1=replace(arg1, text=" ".join(arg1.text.split())),
            arg2=replace(arg2, text=" ".join(arg2.text.split())),
            senses=label[1],
            connective=raw.connectives[0] if raw.connectives else "",
            connective_tokens=connective,
            where=where,
        )


@dataclass(slots=True)
class OffsetEvidence:
    """How many spans make sense with inclusive ends only, with exclusive ends only, with both or neither.

    LDC's PDTB 3 is mostly read with inclusive ends, GDTB has exclusive ones, and nothing in the files says
    so. A span should end with a word's last character: read the wrong way, it cuts a word short or includes
    the space after it. Before a full stop both readings make sense. Such spans are frequent if ends are
    exclusive, since arguments seldom include the full stop, and rare if ends are inclusive.
    """

    inclusive: int = 0
    exclusive: int = 0
    silent: int = 0

    def add(self, text: str, spans: Iterable[tuple[int, int]]) -> None:
        for start, end in spans:
            inclusive, exclusive = _ends_well(text, start, end + 1), _ends_well(text, start, end)
            if inclusive == exclusive:
                self.silent += 1
            elif inclusive:
                self.inclusive += 1
            else:
                self.exclusive += 1

    @property
    def convention(self) -> Convention:
        total = self.inclusive + self.exclusive + self.silent
        if self.inclusive > self.exclusive and self.inclusive >= RARE * total:
            return "inclusive"
        return "exclusive"

    def describe(self) -> str:
        """How clear the evidence is, in words."""
        telling = self.inclusive + self.exclusive
        if not telling:
            return f"no span says which, of {self.silent}; check some arguments, or set the offsets yourself"
        share = max(self.inclusive, self.exclusive) / telling
        verdict = "clear" if share >= CLEAR else "mixed; check some arguments, or set the offsets yourself"
        return (
            f"{self.inclusive} spans make sense only with inclusive ends, {self.exclusive} only with"
            f" exclusive ones, {self.silent} with both or neither: the evidence is {verdict}"
        )


def make_exclusive(spans: Spans, convention: Convention) -> Spans:
    """The spans with exclusive ends."""
    return spans if convention == "exclusive" else tuple((start, end + 1) for start, end in spans)


def choose_text(text: str, starts: Sequence[int], *, where: str, issues: ReadIssues) -> str:
    r"""The text, or the text with ``\n`` for ``\r\n`` if the spans were counted that way.

    Offsets count both characters of a Windows line end if the annotators' file had them. If only this copy
    has them, spans begin in the middle of words.
    """
    plain = text.replace("\r\n", "\n")
    if _good_starts(plain, starts) <= _good_starts(text, starts):
        return text
    detail = "The file has Windows line ends and its spans don't count them; it was read with plain ones."
    issues.add("line ends not in the offsets", where, detail)
    return plain


def _good_starts(text: str, starts: Iterable[int]) -> int:
    return sum(
        start < len(text) and not text[start].isspace() and not _inside_word(text, start) for start in starts
    )


def _ends_well(text: str, start: int, end: int) -> bool:
    return start < end <= len(text) and not text[end - 1].isspace() and not _inside_word(text, end)


def _inside_word(text: str, offset: int) -> bool:
    return 0 < offset < len(text) and text[offset - 1].isalnum() and text[offset].isalnum()
