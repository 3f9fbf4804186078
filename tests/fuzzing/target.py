"""A reader as something to throw bytes at, and what must hold whatever the bytes are.

Every file ``*_targets.py`` beside this one has a tuple ``TARGETS``; ``all_targets`` has them all by name.
``hold`` gives bytes to a target: it may take them or raise a Disco2Error, within limits of memory and time.
"""

from __future__ import annotations

import json
import re
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import FrameType

from disco2.annotation.cache import document_to_json, parse_annotated
from disco2.data import WITHOUT_SENSE, Corpus, Document
from disco2.data.senses import inventory
from disco2.errors import Disco2Error

SECONDS = 10.0  # of processor time for one input; generous, and no measure of speed
SPARE_MEMORY = 512 << 20  # beside what the process has already, whatever the input
MEMORY_A_BYTE = 1024  # Python objects made of one byte of input, with room to spare
NEXT_FILE = b"\n%%next file%%\n"  # between the files of one input
SOME, MANY = 50, 10_000  # documents, and tokens of one, that are checked in full

# Signs and values that every format gets, beside the words of its own seeds.
ODD = (
    *(b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\r\n", b"\n\n", b"\t", b" ", b"\xed\xa0\x80", b"\xff" * 4),
    *b"0 -1 2.5 NaN Infinity 1e999 007 1_000 99999999 2147483648 9223372036854775808 0x10".split(),
    *b'null true {} [] [[[[ { } "" "0" ( ) () (( )) | ; .. _ - < > , : 0..999999999 5..3 1-9 9-1'.split(),
    *(b"\\ud800", b"\\u0000", b"1" + b"0" * 12, b"9" * 5000, b"[" * 2000, b'{"a":' * 2000),
    *map(str.encode, "\u00a0\x1c\u2028\x85\u0662\u00b2\u201c\u2014\u2026\u00ad\U0001f600"),
)
_WORD = re.compile(rb'"?[A-Za-z_#][\w.#]{2,20}"?|[^\w\s]{1,3}')


@dataclass(frozen=True)
class Target:
    """A reader by name; ``read`` returns or raises a Disco2Error, anything else is a fault.

    ``seeds`` are whole inputs that it takes.
    """

    name: str
    read: Callable[[bytes], object]
    seeds: tuple[bytes, ...]

    @cached_property
    def tokens(self) -> tuple[bytes, ...]:
        """Words of the format to mix into the seeds."""
        found = [word for seed in self.seeds for word in _WORD.findall(seed[:20_000])]
        several = (NEXT_FILE,) if NEXT_FILE in self.seeds[0] else ()
        return (*dict.fromkeys(found[:: len(found) // 200 + 1]), *several, *ODD)


class TooSlowError(BaseException):
    """A reader used up its processor time; nothing that catches Exception catches it."""


def all_targets() -> dict[str, Target]:
    """The targets of all files beside this one, by name."""
    files = sorted(Path(__file__).parent.glob("*_targets.py"))
    found = [target for file in files for target in import_module(f"{__package__}.{file.stem}").TARGETS]
    named = {target.name: target for target in found}
    assert len(named) == len(found), "two targets have one name"
    return named


def hold(target: Target, content: bytes) -> Disco2Error | None:
    """Give bytes to a target; return the error it refused them with, if it did."""
    with limits(len(content)):
        try:
            target.read(content)
        except Disco2Error as error:
            return error
    return None


@contextmanager
def limits(size: int) -> Iterator[None]:
    """Inside, memory beyond what an input of this size may need is a MemoryError, a hang a TooSlowError.

    Only Linux has such limits; elsewhere there are none.
    """
    if sys.platform != "linux":
        yield
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    allowed = pages * resource.getpagesize() + SPARE_MEMORY + MEMORY_A_BYTE * size
    if soft != resource.RLIM_INFINITY:
        allowed = min(allowed, soft)
    resource.setrlimit(resource.RLIMIT_AS, (allowed, hard))
    try:
        with _processor_time():
            yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


@contextmanager
def _processor_time() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread receives signals
        return

    def too_slow(number: int, frame: FrameType | None) -> None:
        raise TooSlowError(f"still running after {SECONDS:.0f} seconds of processor time")

    before = signal.signal(signal.SIGPROF, too_slow)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """An empty folder for one input, in memory if possible."""
    memory = Path("/dev/shm")  # noqa: S108 - only for speed; the folder's name is tempfile's
    with tempfile.TemporaryDirectory(prefix="disco2-fuzz-", dir=memory if memory.is_dir() else None) as name:
        yield Path(name)


def check_document(document: Document) -> None:
    """It goes to JSON and comes back the same; on the way every number of every layer is checked."""
    written = json.dumps(document_to_json(document))
    try:
        again, _ = parse_annotated(written, where="what was read")
    except Disco2Error as error:  # the reader should have refused it, not the checker
        raise AssertionError(f"what was read is no document: {error}") from error
    assert again == document, "another document comes back from JSON"


def check_corpus(corpus: Corpus) -> None:
    """Sound documents, relations that lie inside them, senses that the inventory knows, plain text."""
    for number, (name, document) in enumerate(corpus.documents.items()):
        assert document.id == name
        if number < SOME and len(document.tokens) < MANY:
            check_document(document)
    known = inventory(corpus.inventory)
    for relation in corpus.relations:
        document = corpus.documents[relation.document]
        for tokens in (relation.arg1.tokens, relation.arg2.tokens, relation.connective_tokens):
            assert list(tokens) == sorted(set(tokens))
            assert not tokens or 0 <= tokens[0] <= tokens[-1] < len(document.tokens)
        for argument in (relation.arg1, relation.arg2):
            assert argument.tokens
            assert argument.text.strip(), "an argument with tokens and without text"
            argument.text.encode("utf-8")
        assert len(set(relation.senses)) == len(relation.senses)
        assert all(sense.strip() for sense in relation.senses)
        if not known.is_free:
            assert set(relation.senses) <= set(known.all_senses)
            assert not (relation.kind in WITHOUT_SENSE and relation.senses), "a sense of a kind without"
        f"{relation.id} {relation.connective}".encode()
        relation.where.encode(errors="surrogateescape")
    assert corpus.parts.keys() <= corpus.documents.keys()
    for finding in corpus.issues.findings:
        assert finding.kind
        assert finding.detail
        assert "\n" not in finding.where + finding.detail
        f"{finding.where} {finding.detail}".encode(errors="surrogateescape")
