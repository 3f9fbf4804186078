"""Text files -> a file of pairs whose connective gave their sense.

Paragraphs are filtered by words, annotated where it pays, and split by patterns. A file may be gigabytes of
text in a compressed stream, so a task is a block of text. Its part is named by a hash of the text and of
everything that decides what is found in it, so that a finished part is not made again.
"""

from __future__ import annotations

import gzip
import json
import lzma
import os
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import cached_property
from hashlib import blake2b, sha256
from itertools import accumulate, chain, pairwise, starmap
from pathlib import Path
from typing import IO, Any

from disco2.annotation.annotator import Annotator, Annotators, Layer
from disco2.annotation.cache import fingerprint
from disco2.annotation.english.annotators import english_annotators
from disco2.annotation.text import LINE_END, paragraphs, tokenise
from disco2.bulk.documents import FilePatterns, show_name
from disco2.corpora.catalogue import HeldOutSentences, sentence_texts
from disco2.data import Document, Sentence
from disco2.engines import Engine, Task
from disco2.errors import Disco2Error, InputError
from disco2.files import FileLock, check_file_place, remove_scratch, write_text
from disco2.mining.clauses import MinedPair, find_neighbour_pair, find_pairs, may_hold_pair, may_link
from disco2.threads import single_threaded
from disco2.version import VERSION

MOST_WORDS, LEAST_WORDS = 22, 3  # of an argument
LAYERS = frozenset({Layer.TAGS, Layer.DEPENDENCIES})
BATCH = 100_000  # characters of text whose sentences are annotated together
_MARKS = 8  # tokens of a sentence in addition to the words of two arguments: connective, commas, quotes

# The sentences of a paragraph to annotate, the numbers of those that may be linked to the sentence before,
# and of those that may hold a pair.
Candidates = tuple[Document, set[int], set[int]]


@dataclass(frozen=True)
class Miner:
    """Finds the pairs of paragraphs; ``annotator`` makes tags and dependencies."""

    annotator: Annotator
    held_out: HeldOutSentences
    most_words: int = MOST_WORDS
    least_words: int = LEAST_WORDS

    def pairs(self, paragraphs: Sequence[str]) -> Iterator[MinedPair]:
        """The pairs, in the order of the text."""
        waiting: list[Candidates] = []
        size = 0
        for paragraph in paragraphs:
            found = self._candidates(paragraph)
            size += len(paragraph)
            if found[0].sentences:
                waiting.append(found)
            if size > BATCH:
                yield from self._annotated(waiting)
                waiting, size = [], 0
        yield from self._annotated(waiting)

    def _candidates(self, paragraph: str) -> Candidates:
        most, sentences = self.most_words, tokenise(paragraph)
        links: list[int] = []
        holds: list[int] = []
        for number, tokens in enumerate(sentences):
            if len(tokens) > 2 * most + _MARKS or not any(token.text == "." for token in tokens[-3:]):
                continue
            text = paragraph[tokens[0].start : tokens[-1].end]
            if may_hold_pair(text):
                holds.append(number)
            if number and may_link(text) and len(sentences[number - 1]) <= most + _MARKS:
                links.append(number)
        wanted = sorted({*holds, *links, *(number - 1 for number in links)})
        chosen = tuple(chain.from_iterable(sentences[number] for number in wanted))
        ends = list(accumulate((len(sentences[number]) for number in wanted), initial=0))
        document = Document("", paragraph, chosen, tuple(starmap(Sentence, pairwise(ends))))
        index = {number: order for order, number in enumerate(wanted)}
        return document, {index[number] for number in links}, {index[number] for number in holds}

    def _annotated(self, waiting: Sequence[Candidates]) -> Iterator[MinedPair]:
        if not waiting:
            return
        with single_threaded():
            documents = self.annotator.annotate([document for document, _, _ in waiting], layers=LAYERS)
        for (_, links, holds), document in zip(waiting, documents, strict=True):
            for number, sentence in enumerate(document.sentences):
                if number in links:
                    before = document.sentences[number - 1]
                    pair = find_neighbour_pair(document, before, sentence)
                    if pair is not None and self._is_wanted(pair, document, before, sentence):
                        yield pair
                if number in holds:
                    for pair in find_pairs(document, sentence):
                        if self._is_wanted(pair, document, sentence):
                            yield pair

    def _is_wanted(self, pair: MinedPair, document: Document, *around: Sentence) -> bool:
        words = [len(text.split()) for text in (pair.arg1, pair.arg2)]
        if min(words) < self.least_words or max(words) > self.most_words:
            return False
        texts = (pair.arg1, pair.arg2, *sentence_texts(document, around))
        return not any(map(self.held_out.holds, texts))


ATTEMPTS = 3  # deaths of processes on one block
BLOCK = 500_000  # characters; a quarter of a minute of work
_LONGEST_LINE = 1 << 16  # characters; a longer one is read in pieces
_PART = re.compile(r"[0-9a-f]{32}\.jsonl")
_OPENERS: dict[str, Callable[..., IO[Any]]] = {".gz": gzip.open, ".xz": lzma.open}

Record = Mapping[str, Any]
Kind = tuple[str, str]  # sense, connective


@dataclass(slots=True)
class Mined:
    """How far a run is, and what it found; ``words`` and ``found`` are of this run alone."""

    blocks: int = 0
    kept_blocks: int = 0  # made by an earlier run
    words: int = 0
    found: int = 0  # pairs, before duplicates were dropped
    senses: Counter[str] = field(default_factory=Counter)  # of the pairs that were written
    unread: list[Disco2Error] = field(default_factory=list)


def mine_files(
    patterns: Sequence[str],
    output: Path,
    *,
    engine: Engine,
    most_words: int = MOST_WORDS,
    held_out: HeldOutSentences | None = None,
    per_sense: int = 0,
    encoding: str = "utf-8",
    by_line: bool = False,
    report: Callable[[Mined], None] = lambda mined: None,
    notice: Callable[[str], None] = lambda text: None,
) -> Mined:
    """Mine the files that match and write their pairs to ``output``, a JSON object a line.

    Parts are kept in a folder beside the output until it is written; after a kill, the same call continues. A
    file that can't be read is skipped from that place on and added to ``unread``.
    """
    files = FilePatterns(patterns)
    check_file_place(output)
    output = output.absolute()
    parts = output.with_name(f"{output.name}.parts")
    work = MiningWork(parts, most_words, held_out or HeldOutSentences(), by_line)
    identity = work.identity
    mined, names = Mined(), dict[str, None]()  # the parts, in the order of the text

    def tasks() -> Iterator[Task]:
        for found in files.walk(without=parts):
            path, source = Path(files.root, os.fsdecode(found.name)), show_name(found.name)
            try:
                for text in read_blocks(path, encoding=encoding, by_line=by_line) if path != output else ():
                    content = "\0".join((identity, source, text)).encode("utf-8", "replace")
                    name = sha256(content).hexdigest()[:32]
                    is_new = name not in names
                    names[name] = None
                    if is_new and work.part(name).is_file():
                        mined.kept_blocks += 1
                    elif is_new:
                        yield Task(name, (name, source, text))
            except InputError as error:
                mined.unread.append(error)

    lock = FileLock(parts / "lock")
    if not lock.take():
        hint = "Wait for it, or choose another --output."
        raise InputError("Another run is writing this output.", where=str(output), hint=hint)
    try:
        remove_scratch(parts)
        lost: list[str] = []  # how processes ended
        with engine.session(work, attempts=ATTEMPTS, notice=notice) as session:
            for outcome in session.run(tasks()):
                if outcome.died:
                    lost.append(outcome.died)
                    continue
                mined.blocks = len(names)
                mined.words += outcome.result["words"]
                mined.found += outcome.result["pairs"]
                report(mined)
        if lost:
            what = f"{len(lost)} blocks are missing: processes ended on them, the last ones {lost[-1]}."
            raise InputError(what, hint="Is there enough memory? Run the same command to resume.")
        if not names and not mined.unread:
            hint = "Check the pattern, and put it in quotes."
            raise InputError("No text matches.", where=", ".join(patterns), hint=hint)
        mined.blocks = len(names)
        write_text(output, _selected_lines(work, names, per_sense, mined))
        for part in parts.iterdir():
            if _PART.fullmatch(part.name):
                part.unlink()
    finally:
        lock.give_up()
        with suppress(OSError):
            parts.rmdir()
    return mined


def load_syntax() -> Annotator:
    """The built-in annotator of tags and dependencies."""
    return english_annotators(layers=LAYERS)[0]


@dataclass
class MiningWork:
    """Called with a source and a block of its text, it writes the block's part and returns what is in it."""

    parts: Path
    most_words: int
    held_out: HeldOutSentences
    by_line: bool

    @cached_property
    def _miner(self) -> Miner:
        return Miner(load_syntax(), self.held_out, self.most_words)

    @property
    def identity(self) -> str:
        """Everything that decides what is found in a text: version, weights, settings."""
        makers = fingerprint(Annotators(english_annotators(layers=LAYERS, on_demand=True)), LAYERS)
        return json.dumps([VERSION, makers, self.most_words, self.held_out.digest, self.by_line])

    def part(self, name: str) -> Path:
        return self.parts / f"{name}.jsonl"

    def __call__(self, given: tuple[str, str, str]) -> dict[str, int]:
        name, source, text = given
        texts = LINE_END.split(text) if self.by_line else [paragraph for _, paragraph in paragraphs(text)]
        lines = [
            json.dumps({**asdict(pair), "source": source}, ensure_ascii=False) + "\n"
            for pair in self._miner.pairs(texts)
        ]
        write_text(self.part(name), lines)
        return {"words": len(text.split()), "pairs": len(lines)}


def _selected_lines(work: MiningWork, names: Iterable[str], per_sense: int, mined: Mined) -> Iterator[str]:
    def records() -> Iterator[Record]:
        for name in names:
            with work.part(name).open(encoding="utf-8") as stream:
                yield from map(json.loads, stream)

    for record in select(records, per_sense=per_sense):
        mined.senses[record["label"]] += 1
        yield json.dumps(record, ensure_ascii=False) + "\n"


def read_blocks(
    path: Path, *, size: int = BLOCK, encoding: str = "utf-8", by_line: bool = False
) -> Iterator[str]:
    """Read a text file, plain or compressed (.gz, .xz), in blocks of about ``size`` characters.

    Blocks end at blank lines, or with ``by_line`` at any line end: memory stays flat.
    A paragraph that is larger than a block is cut at a line end. InputError if the file can't be read.
    """
    lines: list[str] = []
    total = 0
    try:
        with _OPENERS.get(path.suffix.lower(), open)(path, "rt", encoding=encoding) as stream:
            while line := stream.readline(_LONGEST_LINE):
                lines.append(line)
                total += len(line)
                if (total >= size and (by_line or not line.strip())) or total >= 2 * size:
                    yield "".join(lines)
                    lines, total = [], 0
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        what = f"It can't be read: {getattr(error, 'strerror', None) or error}."
        hint = "Is the file whole, and compressed as its name says?"
        raise InputError(what, where=str(path), hint=hint) from error
    except UnicodeError as error:
        what = f"The text is not {encoding}: {error}."
        raise InputError(what, where=str(path), hint="Give another --encoding.") from error
    if total:
        yield "".join(lines)


def pair_hash(record: Record) -> int:
    """Hash the two arguments; case and spaces don't count."""
    text = "\n".join(" ".join(str(record[name]).lower().split()) for name in ("arg1", "arg2"))
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=8).digest())


def select(records: Callable[[], Iterable[Record]], *, per_sense: int = 0) -> Iterator[Record]:
    """Select the records without duplicates, at most ``per_sense`` of each sense (0: all).

    Within a sense every connective gets a share in proportion to the square root of its number, so that "but"
    does not crowd out "yet". The hashes of its pairs decide which of them are kept, not their order.

    ``records`` gives them in the same order each time it is called; they are read twice. Of a pair that
    occurs with two senses the first one counts. What is held in memory is a number for each pair.
    """
    limits: dict[Kind, int] = {}
    if per_sense:
        hashes: dict[Kind, list[int]] = defaultdict(list)
        for kind, number, _ in _unique(records()):
            hashes[kind].append(number)
        for kind, quota in share_out({kind: len(found) for kind, found in hashes.items()}, per_sense).items():
            limits[kind] = sorted(hashes[kind])[quota - 1] if quota else -1
    for kind, number, record in _unique(records()):
        if not per_sense or number <= limits[kind]:
            yield record


def share_out(counts: Mapping[Kind, int], per_sense: int) -> dict[Kind, int]:
    """Share out each sense among its connectives by square roots: none above its count, at least one each."""
    found: dict[Kind, int] = {}
    of_sense: dict[str, list[Kind]] = defaultdict(list)
    for kind in counts:
        of_sense[kind[0]].append(kind)
    for kinds in of_sense.values():
        left = per_sense
        # The rarest first: what they can't fill goes to the others.
        rarest_first = sorted(kinds, key=lambda kind: (counts[kind], kind))
        for place, kind in enumerate(rarest_first):
            share = counts[kind] ** 0.5 / sum(counts[other] ** 0.5 for other in rarest_first[place:])
            found[kind] = min(counts[kind], left, max(1, round(left * share)))
            left -= found[kind]
    return found


def _unique(records: Iterable[Record]) -> Iterator[tuple[Kind, int, Record]]:
    seen: set[int] = set()
    for record in records:
        number = pair_hash(record)
        if number not in seen:
            seen.add(number)
            yield (str(record["label"]), str(record["connective"])), number, record
