"""A program that trains, kills its own trainings and starts them again; it reports on what they left.

Everything is imported once, and each training is a fork of that: the moments in which something is read,
learned or written are then most of its life.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from contextlib import redirect_stdout, suppress
from functools import partial
from pathlib import Path
from typing import Any

from disco2.interfaces.cli import main

MOST_TRAININGS = 400
MOST_CHANGES = 60  # a training of the tests makes about as many
CHANGES = {"open", "os.mkdir", "os.chmod", "os.rename", "os.remove", "os.rmdir", "shutil.rmtree"}


class Trainings:
    """Trainings with the same arguments, one after another, whose model is ``room/model``."""

    def __init__(self, room: Path, arguments: list[str]) -> None:
        self.room = room
        self._arguments = [*arguments, "--output", str(room / "model")]
        self._messages = room.with_name(f"{room.name}.messages")

    def train(self, prepare: Callable[[], object] = lambda: None, *, wait: float | None = None) -> int:
        """The exit code of a training; below zero if it was killed, by itself or after ``wait`` seconds."""
        child = os.fork()
        if not child:
            self._be_a_training(prepare)
        if wait is not None:
            time.sleep(wait)
            os.kill(child, signal.SIGKILL)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

    def messages(self) -> str:
        """What the last one said."""
        return self._messages.read_text(encoding="utf-8")

    def _be_a_training(self, prepare: Callable[[], object]) -> None:
        code: Any = 70
        try:
            stream = os.open(self._messages, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(stream, 1)
            os.dup2(stream, 2)
            sys.argv = ["disco2", *self._arguments]
            prepare()
            main()
            code = 0
        except SystemExit as end:
            code = end.code or 0
        finally:
            os._exit(code)


def kill_at(change: int, room: Path, *, but: tuple[str, ...] = ()) -> None:
    """Let this process kill itself right before the n-th change of anything in a folder.

    Paths that start with one of ``but`` don't count.
    """
    seen = 0

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal seen
        counts = event in CHANGES and not str(arguments[0]).startswith(but)
        if counts and _is_change(event, arguments, room):
            seen += 1
            if seen == change:
                os.write(2, f"killed before: {event} {' '.join(map(str, arguments))}\n".encode())
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)


def _is_change(event: str, arguments: tuple[Any, ...], room: Path) -> bool:
    if event == "open" and not (isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR)):
        return False
    return str(arguments[0]).startswith(str(room))


def killed_often(trainings: Trainings, by: str, *, kills: int, seed: int) -> dict[str, Any]:
    """Kill until it was done so often, and let the last training end; what all that ended have left.

    The first training is not killed, so that there is always a model.
    """
    generator = random.Random(seed)  # noqa: S311
    report: dict[str, Any] = {"killed": [], "models": [], "codes": [], "left": []}
    started = time.perf_counter()
    trainings.train()
    whole = time.perf_counter() - started
    for number in range(1, MOST_TRAININGS):
        over = len(report["killed"]) >= kills
        if over:
            code = trainings.train()
        elif by == "clock":
            code = trainings.train(wait=generator.uniform(0, whole))
        elif by == "changes":
            change = generator.randint(1, MOST_CHANGES)
            code = trainings.train(partial(kill_at, change, trainings.room))
        else:  # the halves of others don't count, or the n-th change would be another one in every training
            halves = tuple(str(path) for path in trainings.room.rglob(".*"))
            code = trainings.train(partial(kill_at, number, trainings.room, but=halves))
        if code == -signal.SIGKILL:
            report["killed"].append(trainings.messages())
            report["models"].append(contents(trainings.room / "model"))
            continue
        report["codes"].append(code)
        report["left"].append(contents(trainings.room))
        if over or by == "each change":
            break
    return report


def contents(room: Path) -> dict[str, str]:
    """Every file and empty folder, and what is in it."""
    return {
        str(path.relative_to(room)): path.read_bytes().hex() if path.is_file() else ""
        for path in sorted(room.rglob("*"))
        if path.is_file() or not any(path.iterdir())
    }


def warm_up(folder: Path, arguments: list[str]) -> None:
    """Train in this very process, so that forks find everything imported."""
    sys.argv = ["disco2", *arguments, "--output", str(folder)]
    with redirect_stdout(sys.stderr):
        main()


if __name__ == "__main__":
    folder, by, kills, seed = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    given = sys.argv[5:]
    with suppress(SystemExit):
        warm_up(folder / "warm", given)
    (folder / "room").mkdir()
    print(json.dumps(killed_often(Trainings(folder / "room", given), by, kills=kills, seed=seed)))
