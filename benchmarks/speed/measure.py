"""Seconds, memory and rows of the table; one run of the benchmarks."""

from __future__ import annotations

import gc
import os
import platform
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_info

from benchmarks.speed.data import (
    SCORING_BATCH,
    STANDARD_BATCH,
    STANDARD_K,
    Workload,
    generated_workload,
    load_gum,
)
from disco2.model.network import is_compiled
from disco2.threads import single_threaded


def in_turns(
    works: Mapping[str, Callable[[], object]],
    *,
    repeats: int,
    warm: bool = True,
    clock: Callable[[], float] = time.process_time,
) -> dict[str, float]:
    """The best seconds of each work: A B C, A B C, ... after one round that does not count (``warm``).

    What is made at first use, such as compiled code, is made in that first round. Matrix products use one
    thread, and processor time counts, which other programs change little.
    """
    best = dict.fromkeys(works, float("inf"))
    collecting = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        for turn in range(-1 if warm else 0, repeats):
            for name, work in works.items():
                with single_threaded():  # each time: libraries may have been loaded meanwhile
                    started = clock()
                    work()
                    spent = clock() - started
                if turn >= 0:
                    best[name] = min(best[name], spent)
    finally:
        if collecting:
            gc.enable()
    return best


def say(line: str) -> None:
    """What is being done, on standard error."""
    print(line, file=sys.stderr, flush=True)


def peak_bytes(work: Callable[[], object]) -> int:
    """The largest number of bytes in use while it runs, less those in use before."""
    gc.collect()
    tracemalloc.start()
    try:
        kept = work()
        peak = tracemalloc.get_traced_memory()[1]
        del kept
    finally:
        tracemalloc.stop()
    return peak


def resident_bytes(code: str) -> int:
    """The largest resident size of a new process that runs the code, Python and all."""
    asked = f"{code}\nfrom benchmarks.speed.measure import own_resident_bytes\nprint(own_resident_bytes())"
    done = subprocess.run([sys.executable, "-c", asked], check=True, capture_output=True, text=True)
    return int(done.stdout.split()[-1])


def own_resident_bytes() -> int:
    """This process's largest resident size so far.

    Linux gives a new process the ``ru_maxrss`` of the one that started it, so ``VmHWM`` comes first.
    """
    status = Path("/proc/self/status")
    if status.is_file():
        for line in status.read_text(encoding="utf-8").splitlines():
            if line.startswith("VmHWM:"):
                return 1024 * int(line.split()[1])
    import resource  # not on Windows

    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return largest * (1 if sys.platform == "darwin" else 1024)


@dataclass(frozen=True, slots=True)
class Beside:
    """A floor or a reference, measured in turns with the product. ``ratio``: the product's rate over it."""

    name: str
    rate: float | None = None
    ratio: float | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement. ``rate`` counts ``unit`` a second; ``peak`` is in bytes, see ``memory``."""

    name: str
    unit: str
    rate: float
    beside: tuple[Beside, ...] = ()
    peak: int | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)  # such as sizes, for the JSON file

    def ratio(self, name: str) -> float:
        """The ratio to what is called so."""
        for one in self.beside:
            if one.name == name and one.ratio is not None:
                return one.ratio
        raise KeyError(name)


def row(
    name: str,
    unit: str,
    *,
    count: float,
    seconds: Mapping[str, float],
    peak: int | None = None,
    facts: Mapping[str, Any] | None = None,
) -> Row:
    """A row from best seconds, the product's first: all of them are for the same ``count`` of units."""
    (_, own), *others = seconds.items()
    found = [Beside(name, count / spent, spent / own) for name, spent in others]
    return Row(name, unit, count / own, tuple(found), peak, facts or {})


HEADINGS = ("measured", "a second", "peak MB", "beside", "a second", "ratio")


def table(rows: Iterable[Row]) -> str:
    """A Markdown table with a line for each thing that a row stands beside."""
    lines: list[tuple[str, ...]] = []
    for one in rows:
        peak = "" if one.peak is None else _figure(one.peak / 2**20)
        start = (one.name, f"{_figure(one.rate)} {one.unit}", peak)
        for other in one.beside or (Beside(""),):
            rate = "" if other.rate is None else _figure(other.rate)
            ratio = "" if other.ratio is None else _figure(other.ratio)
            lines.append((*start, other.name, rate, ratio))
            start = ("", "", "")
    widths = [max(len(line[place]) for line in (HEADINGS, *lines)) for place in range(len(HEADINGS))]
    rule = tuple("-" * width for width in widths)
    return "\n".join(
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |"
        for line in (HEADINGS, rule, *lines)
    )


def as_json(one: Row) -> dict[str, Any]:
    """A row as plain data."""
    return {
        "name": one.name,
        "unit": one.unit,
        "a_second": one.rate,
        "peak_bytes": one.peak,
        "beside": [
            {"name": other.name, "a_second": other.rate, "ratio": other.ratio} for other in one.beside
        ],
        **one.facts,
    }


def _figure(value: float) -> str:
    """Three digits, or a whole number from 100 on."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def describe_machine() -> dict[str, Any]:
    """Processor, cores, BLAS with its threads, versions; asked inside ``single_threaded``."""
    blas = [
        {key: library.get(key) for key in ("internal_api", "version", "architecture", "num_threads")}
        for library in threadpool_info()
        if library["user_api"] == "blas"
    ]
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "blas": blas,
        "compiled": is_compiled(),
        **{name: _version(name) for name in ("numpy", "numba", "scipy", "torch", "disco2")},
    }


def sentence(machine: dict[str, Any]) -> str:
    """The same in a line."""
    blas = ", ".join(
        f"{one['internal_api']} {one['version']} ({one['architecture']}, {one['num_threads']} thread)"
        for one in machine["blas"]
    )
    packages = ", ".join(f"{name} {machine[name]}" for name in ("numpy", "numba", "torch") if machine[name])
    kernels = "compiled kernels" if machine["compiled"] else "NumPy kernels"
    processor = f"{machine['processor']}, {machine['cores']} cores"
    return f"{processor}; {blas}; Python {machine['python']}, {packages}; {kernels}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


PAIRS = 2048  # generated pairs that are trained on and scored
SLOW_REPEATS = 3  # of work that takes a second or more


@dataclass(frozen=True)
class Run:
    """``quick``: only what the ratios at the top of the JSON file need. ``gum_folder``: a checkout of GUM."""

    quick: bool = False
    gum_folder: Path | None = None

    @property
    def settings(self) -> dict[str, Any]:
        """For the JSON file."""
        return {
            "K": STANDARD_K,
            "batch": STANDARD_BATCH,
            "scoring_batch": SCORING_BATCH,
            "pairs": PAIRS,
            "precision": "float32",
            "threads": 1,
            "quick": self.quick,
            "gum": self.gum_folder is not None,
            "repeats": self.repeats,
        }

    @property
    def repeats(self) -> int:
        return 15 if self.quick else 25

    @cached_property
    def generated(self) -> Workload:
        return generated_workload(PAIRS)

    @cached_property
    def gum(self) -> Workload | None:
        return load_gum(self.gum_folder) if self.gum_folder else None

    @property
    def workloads(self) -> list[Workload]:
        """Generated relations and, if given, GUM."""
        return [self.generated, *([self.gum] if self.gum else [])]
