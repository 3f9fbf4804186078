"""New processes: ``import disco2``, and the first prediction; beside what Python, NumPy and spaCy take alone.

Processor time of the new process; its peak memory is its largest resident size.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

from benchmarks.speed.memory import resident_bytes
from benchmarks.speed.rows import Row, row
from benchmarks.speed.run import Run
from benchmarks.speed.timing import in_turns

IMPORT = "import disco2"
PREDICT = "import disco2; list(disco2.load()('Anna slept. She was tired.'))"


def measure_cold_start(run: Run) -> list[Row]:
    """New processes a second."""
    return [
        _row(
            "cold import",
            IMPORT,
            {"Python alone": "pass", "import numpy": "import numpy"},
            repeats=4 * run.slow_repeats,
        ),
        _row(
            "first prediction in a new process",
            PREDICT,
            {"import numpy": "import numpy", "import spacy": "import spacy"},
            repeats=run.slow_repeats,
        ),
    ]


def _row(name: str, code: str, others: dict[str, str], *, repeats: int) -> Row:
    works = {"product": _process(code), **{other: _process(text) for other, text in others.items()}}
    seconds = in_turns(works, repeats=repeats, clock=_children)
    return row(name, "processes", count=1, seconds=seconds, peak=resident_bytes(code))


def _process(code: str) -> Callable[[], object]:
    return lambda: subprocess.run([sys.executable, "-c", code], check=True)


def _children() -> float:
    """Processor time of the processes that have ended."""
    import resource  # not on Windows

    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
