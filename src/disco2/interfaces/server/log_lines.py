"""The log: one JSON object a line on standard error."""

from __future__ import annotations

import json
import logging
import sys
import traceback
from datetime import UTC, datetime
from typing import Any

LOGGERS = ("disco2.server", "uvicorn", "asyncio")


class JsonLines(logging.Formatter):
    """Records as JSON in ASCII, so that nothing in them can begin a new line.

    Of an error it tells the kind and the places, not the words, which may quote a user's text.
    """

    def format(self, record: logging.LogRecord) -> str:
        content: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
        }
        own = getattr(record, "content", None)
        if own is not None:
            content |= own
        else:
            content["message"] = record.getMessage().strip()
        if record.exc_info and record.exc_info[1] is not None:
            content |= told_of(record.exc_info[1])
        return json.dumps(content)


def told_of(error: BaseException) -> dict[str, Any]:
    """The kind of an error and the places it came by."""
    frames = traceback.extract_tb(error.__traceback__)
    places = [f"{frame.filename}:{frame.lineno} in {frame.name}" for frame in frames]
    return {"error": type(error).__name__, "trace": places}


def write_log(*, access: bool = True) -> None:
    """Send all that the server and its libraries have to say to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name in LOGGERS:
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.propagate = False
        logger.setLevel(logging.INFO if name == "disco2.server" else logging.WARNING)
    logging.getLogger("disco2.server.access").disabled = not access
