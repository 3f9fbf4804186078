"""Runs a command while its processes are killed by plan."""

from __future__ import annotations

import os
import signal
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from benchmarks.bulk.command import start
from benchmarks.bulk.kill_times import COMMAND, Planned
from benchmarks.bulk.process_tree import worker_processes

LOOKED_EVERY = 0.05  # seconds
GONE_WITHIN = 30.0  # seconds: workers of a command that was killed must have ended by themselves
Find = Callable[[str, int], list[int]]  # what to kill, the command's process -> processes to choose from


@dataclass(frozen=True)
class Killed:
    seconds: float
    victim: str
    process: int
    finished: int  # shards, at that moment


@dataclass
class Survived:
    """How the command ended, who was killed on the way, and processes that outlived their command."""

    code: int = -1
    seconds: float = 0.0
    killed: list[Killed] = field(default_factory=list)
    missed: list[Planned] = field(default_factory=list)
    outlived: list[int] = field(default_factory=list)


def run_while_killing(
    arguments: Sequence[str],
    plan: Sequence[Planned],
    find: Find,
    *,
    log: Path,
    finished: Callable[[], int],
) -> Survived:
    """A command that is itself killed is given again, word for word. ``finished`` counts its shards."""
    found = Survived()
    waiting = deque(plan)
    due: float | None = None
    began = time.monotonic()
    with log.open("wb") as errors:
        command = start(arguments, errors=errors)
        try:
            while command.poll() is None:
                passed = time.monotonic() - began
                done = finished()
                if waiting and due is None and done >= waiting[0].finished:
                    due = passed + waiting[0].pause
                if waiting and due is not None and passed >= due:
                    victims = sorted(find(waiting[0].victim, command.pid))
                    if victims:  # else they are being started again: soon
                        kill, due = waiting.popleft(), None
                        victim = victims[int(kill.draw * len(victims))]
                        below = worker_processes(command.pid) if kill.victim == COMMAND else []
                        os.kill(victim, signal.SIGKILL)
                        found.killed.append(Killed(passed, kill.victim, victim, done))
                        if kill.victim == COMMAND:
                            command.wait()
                            found.outlived += _still_there(below)
                            command = start(arguments, errors=errors)
                time.sleep(LOOKED_EVERY)
        finally:
            if command.poll() is None:
                command.terminate()
                command.wait()
    found.code = command.returncode
    found.seconds = time.monotonic() - began
    found.missed = list(waiting)
    return found


def _still_there(processes: list[psutil.Process]) -> list[int]:
    """Waits for processes to end by themselves; those that do not are ended here and told."""
    _, alive = psutil.wait_procs(processes, timeout=GONE_WITHIN)
    for process in alive:
        process.kill()
    return [process.pid for process in alive]
