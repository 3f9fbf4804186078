"""Reading a corpus, loading a model, starting a process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import partial
from hashlib import sha256

from benchmarks.speed.measure import SLOW_REPEATS, Row, Run, in_turns, peak_bytes, resident_bytes, row
from disco2.bundle import load_bundle
from disco2.corpora.gum import read_gum
from disco2.shipped import find_model
from disco2.vectors.word_vectors import FOLDER

SPLIT = "lines and columns of the same files"


def measure_reading(run: Run) -> list[Row]:
    """Documents of GUM a second, if it is given."""
    path = run.gum_folder
    if path is None:
        return []
    folders = ("const", "dep", "coref/ontogum", "rst/gdtb/pdtb")  # that its reader opens
    files = [file for folder in folders for file in sorted((path / folder).rglob("*")) if file.is_file()]

    read = partial(read_gum, path)

    def split() -> object:
        return [
            [line.split("\t") for line in file.read_text(encoding="utf-8", errors="replace").splitlines()]
            for file in files
        ]

    corpus = read()
    seconds = in_turns({"product": read, SPLIT: split}, repeats=SLOW_REPEATS)
    size = sum(file.stat().st_size for file in files)
    count = len(corpus.documents)
    facts = {"documents": count, "relations": len(corpus.relations), "bytes": size}
    peak = peak_bytes(read)
    return [row("corpus reading, GUM", "documents", count=count, seconds=seconds, peak=peak, facts=facts)]


def measure_loading(run: Run) -> list[Row]:
    """Bundles a second; every byte of a bundle is hashed."""
    files = [
        file
        for folder in (find_model("en-fast"), FOLDER)
        for file in sorted(folder.iterdir())
        if file.suffix != ".md"
    ]

    def read_and_hash() -> object:
        return [sha256(file.read_bytes()).hexdigest() for file in files]

    def load() -> object:
        return load_bundle(find_model("en-fast"))

    seconds = in_turns({"product": load, "reading and hashing the files": read_and_hash}, repeats=run.repeats)
    facts = {"bytes": sum(file.stat().st_size for file in files)}
    return [row("bundle loading", "bundles", count=1, seconds=seconds, peak=peak_bytes(load), facts=facts)]


def measure_cold_start(_run: Run) -> list[Row]:
    """New processes a second."""
    return [
        _process_row(
            "cold import",
            "import disco2",
            {"Python alone": "pass", "import numpy": "import numpy"},
            repeats=4 * SLOW_REPEATS,
        ),
        _process_row(
            "first prediction in a new process",
            "import disco2; list(disco2.load()('Anna slept. She was tired.'))",
            {"import numpy": "import numpy", "import spacy": "import spacy"},
            repeats=SLOW_REPEATS,
        ),
    ]


def _process_row(name: str, code: str, others: dict[str, str], *, repeats: int) -> Row:
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
