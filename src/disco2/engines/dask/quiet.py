"""Dask tells of every process that comes and goes; the user hears what matters from the session."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

# The second and third have levels of their own, which Dask gives them when it is imported.
SPEAKERS = (
    "distributed",
    "distributed.client",
    "distributed.gc",
    "tornado",
    "tornado.application",
    "asyncio",
)
SILENT = logging.CRITICAL + 1


@contextmanager
def quiet() -> Iterator[None]:
    """Nothing of Dask's goes to the screen."""
    loggers = [logging.getLogger(name) for name in SPEAKERS]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(SILENT)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)
