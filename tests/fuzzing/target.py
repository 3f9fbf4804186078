"""A reader of ours as something to throw bytes at, and what must hold whatever the bytes are.

Every file ``*_targets.py`` beside this one has a tuple ``TARGETS``; ``all_targets`` has them all by name.
``hold`` gives bytes to a target: it may take them or raise a Disco2Error, within limits of memory and time.
"""

from __future__ import annotations

import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import FrameType

from disco2.errors import Disco2Error

SECONDS = 10.0  # of processor time for one input; generous, and no measure of speed
MEGABYTE = 1 << 20
SPARE_MEMORY = 512 * MEGABYTE  # beside what the process has already, whatever the input
MEMORY_A_BYTE = 1024  # Python objects made of one byte of input, with room to spare


@dataclass(frozen=True)
class Target:
    """A reader by name; ``read`` returns or raises a Disco2Error, anything else is a fault.

    ``seeds`` are whole inputs that it takes, ``tokens`` words of the format to mix into them.
    """

    name: str
    read: Callable[[bytes], object]
    seeds: tuple[bytes, ...]
    tokens: tuple[bytes, ...] = ()


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
    """Give bytes to a target; the error it refused them with, if it did. Anything else comes out as it is."""
    with limits(len(content)):
        try:
            target.read(content)
        except Disco2Error as error:
            return error
    return None


@contextmanager
def limits(size: int) -> Iterator[None]:
    """Inside, memory beyond what an input of this size may need is a MemoryError, a hang a TooSlowError.

    Only Linux lets itself be limited so; elsewhere nothing is.
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
def scratch_folder() -> Iterator[Path]:
    """An empty folder for one input, in memory where the machine has such a place, gone at the end."""
    memory = Path("/dev/shm")  # noqa: S108 - only for speed; the folder's name is tempfile's
    with tempfile.TemporaryDirectory(prefix="disco2-fuzz-", dir=memory if memory.is_dir() else None) as name:
        yield Path(name)


@contextmanager
def _processor_time() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread hears signals
        return
    before = signal.signal(signal.SIGPROF, _too_slow)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


def _too_slow(number: int, frame: FrameType | None) -> None:
    raise TooSlowError(f"still at work after {SECONDS:.0f} seconds of processor time")
