"""What a session on Dask hears, from whatever thread, and takes in one after the other."""

from __future__ import annotations

from dataclasses import dataclass

from disco2.engines.answer import Answer


@dataclass(frozen=True)
class Present:
    """The workers that there are at this moment."""

    workers: frozenset[str]


@dataclass(frozen=True)
class Joined:
    """A worker has come."""

    worker: str


@dataclass(frozen=True)
class Left:
    """A worker has gone: as was asked of it, or it died."""

    worker: str
    died: bool


@dataclass(frozen=True)
class Began:
    """A worker is about to do the work for a task."""

    key: str
    worker: str


@dataclass(frozen=True)
class Answered:
    """A task is done."""

    key: str
    answer: Answer


@dataclass(frozen=True)
class Failed:
    """Dask could not have a task done."""

    key: str
    reason: BaseException


@dataclass(frozen=True)
class Lost:
    """The scheduler does not answer any more."""


Message = Present | Joined | Left | Began | Answered | Failed | Lost
