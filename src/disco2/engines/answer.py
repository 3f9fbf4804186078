"""What a worker answers: what the work made of a task, in a form that gets to another process."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.reduction import ForkingPickler
from typing import Any

from disco2.engines.engine import Work
from disco2.errors import Disco2Error


@dataclass(frozen=True)
class Answer:
    """A result, or one of three ways to fail. Only one of the fields counts."""

    result: Any = None
    error: Disco2Error | None = None
    died: str = ""  # the process may live on, but the work was cut short as if it had died
    mistake: Exception | None = None  # of the program, not of what a task has given

    def or_mistake(self) -> Answer:
        """The answer itself; a mistake is raised."""
        if self.mistake is not None:
            raise self.mistake
        return self


def beginning_of(work: Work) -> Answer:
    """Call the work's ``begin``, if it has one. Whatever that raises is no matter of one task."""

    def begin() -> None:
        getattr(work, "begin", _nothing)()

    answer = answer_of(begin)
    return Answer(mistake=answer.error) if answer.error is not None else answer


def answer_of(work: Callable[..., Any], *given: Any) -> Answer:
    """Do the work, and tell how it went."""
    try:
        answer = Answer(result=work(*given))
        ForkingPickler.dumps(answer)  # what can't be pickled is to fail here, not on its way
    except Disco2Error as error:
        answer = Answer(error=error)
    except MemoryError:
        answer = Answer(died="for want of memory")
    except SystemExit as exit:
        answer = Answer(died=f"with exit code {exit.code}")
    except Exception as mistake:
        answer = Answer(mistake=_with_trace(mistake))
    return answer


def end_of(work: Work) -> None:
    """Call the work's ``end``, if it has one. All is done by then, so nothing that it raises matters."""
    with suppress(Exception):
        getattr(work, "end", _nothing)()


def _nothing() -> None:
    pass


def _with_trace(mistake: Exception) -> Exception:
    """The same exception where it survives the way to another process, with the trace that would not."""
    trace = "".join(traceback.format_exception(mistake)).rstrip()
    again: Any
    try:
        again = ForkingPickler.loads(ForkingPickler.dumps(mistake))
        if type(again) is not type(mistake) or str(again) != str(mistake):
            raise TypeError
    except Exception:
        again = RuntimeError(f"{type(mistake).__name__}: {mistake}")
    again.add_note(f"In the worker:\n{trace}")
    return again  # type: ignore[no-any-return]  # what comes out of a pickle has no type
