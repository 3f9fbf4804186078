"""Loading the model en-fast, with its word vectors, beside reading and hashing the same bytes."""

from __future__ import annotations

from hashlib import sha256

from benchmarks.speed.memory import peak_bytes
from benchmarks.speed.rows import Row, row
from benchmarks.speed.run import Run
from benchmarks.speed.timing import in_turns
from disco2.bundle import load_bundle
from disco2.shipped import find_model
from disco2.vectors.source import FOLDER


def measure_loading(run: Run) -> list[Row]:
    """Bundles a second, verified as always: whoever verifies has to hash every byte."""
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
