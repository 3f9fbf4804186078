"""Processes that work side by side: how they start, and how they end with the one that started them."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from multiprocessing.context import BaseContext

from disco2.threads import limit_this_process

CHECKED_EVERY = 0.5  # seconds


def process_context() -> BaseContext:
    """Forked processes have the work at once; elsewhere than on Linux it is sent to new ones.

    macOS can fork, but its libraries for matrices and threads may crash in a forked process.
    """
    return multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")


def begin_as_worker(parent: int) -> None:
    """Called first in a new process: it uses one core, and ends at an interrupt or when its parent is gone.

    It ends without a word. A parent that was killed can't end its children, and one that waits for work
    would wait for ever.
    """
    limit_this_process(everything=True)
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # as for what a shell starts in the background
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(CHECKED_EVERY)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def how_it_ended(code: int | None) -> str:
    """By which signal, or with which exit code."""
    if code is not None and code < 0:
        try:
            return f"by signal {signal.Signals(-code).name}"
        except ValueError:
            return f"by signal {-code}"
    return f"with exit code {code}"
