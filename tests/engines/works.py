"""Pieces of work for engines, which worker processes import by name."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from disco2 import errors
from disco2.errors import Disco2Error, MissingExtraError


@dataclass
class Diary:
    """A file to which several processes add lines."""

    path: Path

    def add(self, line: object) -> None:
        with self.path.open("a", encoding="utf-8") as file:  # one write, so lines stay whole
            file.write(f"{line}\n")

    def lines(self) -> list[str]:
        return self.path.read_text(encoding="utf-8").splitlines() if self.path.exists() else []


@dataclass
class Squares:
    """Squares a number after a while; notes in which processes."""

    diary: Diary
    seconds: float = 0.0
    burden: bytes = b""

    begun: bool = False

    def __call__(self, number: int) -> int:
        if not self.begun:
            self.diary.add(f"begin {os.getpid()}")
            self.begun = True
        time.sleep(self.seconds)
        return number * number + len(self.burden)


@dataclass
class Obedient:
    """Does what its task says: return, die, fail."""

    diary: Diary

    def __call__(self, given: tuple[str, Any]) -> Any:
        what, more = given
        self.diary.add(f"{what} {more}")
        return getattr(self, f"_{what}")(more)

    def _return(self, value: Any) -> Any:
        return value

    def _die(self, number: int) -> None:
        os.kill(os.getpid(), number)
        time.sleep(60)

    def _die_once(self, name: str) -> str:
        if self.diary.lines().count(f"die_once {name}") == 1:
            self._die(signal.SIGKILL)
        return name

    def _fail(self, kind: str) -> None:
        raise example_error(kind)

    def _exhaust_memory(self, more: Any) -> None:
        raise MemoryError

    def _bug(self, text: str) -> None:
        raise ZeroDivisionError(text)

    def _sleep(self, seconds: float) -> float:
        time.sleep(seconds)
        return seconds


def example_error(kind: str) -> Disco2Error:
    if kind == "MissingExtraError":
        return MissingExtraError("package", "extra", "Something")
    made: Disco2Error = getattr(errors, kind)("What happened.", where="here:3", hint="Do that.")
    return made
