"""The coverage-guided fuzzer: ``python -m tests.fuzzing.atheris_run all|TARGET... --runs N|--seconds S``.

Readers are instrumented and imported once. Each target then has a process of its own, for libFuzzer ends the
process it runs in. In ``--folder``, outside the repository, stay for each target its log, the inputs that
found something new (a later run begins with them), and ``crash-...`` files: the inputs that gave a fault.
``--input FILE`` gives one of them to the target again, without the fuzzer. The exit code is 1 after a fault.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import re
import sys
import tempfile
import time
import traceback
from dataclasses import dataclass
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.fuzzing.target import Target

PACKAGE = "disco2"
_READERS = (
    *("annotation", "bundle", "corpora", "data", "experiments.configuration", "experiments.runs"),
    *("features.stored_rows", "inference", "interfaces.server", "settings", "vectors"),
)
READERS = tuple(f"{name}." for name in _READERS)
NO_READERS = ("annotation.english.",)  # makes layers and reads none
ALL = "all"
SEED = 1
FAULT = 77  # the exit code of a target's process, as libFuzzer has it
WAIT = 120  # seconds, for hangs inside C code; those in Python end much earlier, by processor time
MOST_MEMORY = 2048  # megabytes of the whole process
_FIGURE = re.compile(r"^stat::(\w+):\s+(\d+)", re.MULTILINE)
_PROGRESS = re.compile(r"^#(\d+)", re.MULTILINE)
_COVERAGE = re.compile(r"cov: (\d+)")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one target's time."""

    name: str
    code: int
    runs: int
    seconds: float
    coverage: int
    megabytes: int
    log: Path

    def line(self) -> str:
        rate = self.runs / max(self.seconds, 0.01)
        verdict = "ok" if self.code == 0 else f"FAULT, see {self.log}"
        return (
            f"{self.name:28} {self.runs:9,} runs {rate:8,.0f} a second {self.coverage:6,} branches "
            f"{self.megabytes:5,} MB  {verdict}"
        )


def main() -> int:
    options = _options()
    if options.input is not None:
        return _replay(options.targets[0], options.input)
    targets = instrumented_targets()
    chosen = list(targets) if options.targets == [ALL] else options.targets
    if unknown := [name for name in chosen if name not in targets]:
        raise SystemExit(f"There is no target {unknown[0]}. There are: {', '.join(targets)}")
    length = [f"-runs={options.runs}"] if options.runs else [f"-max_total_time={options.seconds}"]
    faults = 0
    for name in chosen:
        outcome = fuzz(targets[name], options.folder / name, [*length, f"-seed={options.seed}"])
        faults += outcome.code != 0
        print(outcome.line(), flush=True)
    return 1 if faults else 0


def instrumented_targets() -> dict[str, Target]:
    """All targets, with the code that reads instrumented; nothing of disco2 may have been imported before.

    Only readers are instrumented: branches of other code say nothing about an input, and functions that numba
    compiles must stay as they are.
    """
    import atheris

    assert PACKAGE not in sys.modules, "too late: what is imported already can't be instrumented"
    spec = find_spec(PACKAGE)
    assert spec is not None
    assert spec.submodule_search_locations
    root = Path(spec.submodule_search_locations[0])
    others = []
    for file in root.rglob("*.py"):
        name = ".".join(file.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
        if not f"{name}.".startswith(READERS) or f"{name}.".startswith(NO_READERS):
            others.append(PACKAGE if name == "__init__" else f"{PACKAGE}.{name}")
    said = io.StringIO()  # atheris names every module
    with contextlib.redirect_stderr(said), atheris.instrument_imports(include=[PACKAGE], exclude=others):
        from tests.fuzzing.target import all_targets

        return all_targets()


def fuzz(target: Target, folder: Path, flags: list[str]) -> Outcome:
    """Run the fuzzer on a target in a process of its own."""
    corpus, seeds = folder / "corpus", folder / "seeds"
    for place in (corpus, seeds):
        place.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(target.seeds):
        (seeds / f"seed-{number:02}").write_bytes(seed)
    words = folder / "words.dict"
    words.write_text("".join(f'"{_escaped(token)}"\n' for token in target.tokens), encoding="ascii")
    log = folder / "log.txt"
    arguments = [
        *(target.name, *flags, f"-timeout={WAIT}", f"-rss_limit_mb={MOST_MEMORY}"),
        *([f"-dict={words}"] if target.tokens else []),  # it takes no empty one
        *(f"-artifact_prefix={folder}/", "-print_final_stats=1", str(corpus), str(seeds)),
    ]
    started = time.monotonic()
    child = os.fork()
    if child == 0:
        _become_fuzzer(target, arguments, log)
    _, status = os.waitpid(child, 0)
    said = log.read_text(encoding="utf-8", errors="replace")
    figures = {name: int(value) for name, value in _FIGURE.findall(said)}
    return Outcome(
        name=target.name,
        code=os.waitstatus_to_exitcode(status),
        runs=figures.get("number_of_executed_units", max(map(int, _PROGRESS.findall(said)), default=0)),
        seconds=time.monotonic() - started,
        coverage=max(map(int, _COVERAGE.findall(said)), default=0),
        megabytes=figures.get("peak_rss_mb", 0),
        log=log,
    )


def _become_fuzzer(target: Target, arguments: list[str], log: Path) -> None:
    """In the new process; it never returns."""
    import atheris

    from tests.fuzzing.target import hold

    parent = os.getppid()
    stream = os.open(log, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o644)
    os.dup2(stream, 1)
    os.dup2(stream, 2)

    def once(content: bytes) -> None:
        if os.getppid() != parent:  # it was killed: nobody waits for this any more
            os._exit(1)
        try:
            hold(target, content)
        except BaseException:  # out of memory and out of time, too
            crash = log.parent / f"crash-{sha256(content).hexdigest()[:16]}"
            crash.write_bytes(content)
            traceback.print_exc()
            print(f"The input is in {crash}", file=sys.stderr, flush=True)
            os._exit(FAULT)

    try:
        atheris.Setup(arguments, once)
        atheris.Fuzz()
    finally:
        os._exit(1)  # not reached: libFuzzer ends the process


def _escaped(token: bytes) -> str:
    return "".join(f"\\x{byte:02x}" for byte in token)


def _replay(name: str, file: Path) -> int:
    from tests.fuzzing.target import all_targets, hold

    refused = hold(all_targets()[name], file.read_bytes())
    print("It was taken." if refused is None else f"It was refused: {refused}")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzzing.atheris_run", description=__doc__)
    parser.add_argument("targets", nargs="+", metavar="TARGET", help="names of targets, or all")
    how_long = parser.add_mutually_exclusive_group(required=True)
    how_long.add_argument("--runs", type=int, help="inputs for each target")
    how_long.add_argument("--seconds", type=int, help="seconds for each target")
    how_long.add_argument("--input", type=Path, help="give this file to the target, once")
    parser.add_argument("--seed", type=int, default=SEED, help=f"of the fuzzer's choices ({SEED})")
    folder = Path(tempfile.gettempdir()) / "disco2-fuzzing"
    parser.add_argument("--folder", type=Path, default=folder, help=f"for logs and inputs ({folder})")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
