"""What is remembered of a request for the log and the metrics: sizes and times, no content."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from starlette.types import Scope

from disco2.interfaces.server.addresses import address_of, method_of

_PLACE = "disco2.record"
_GOOD_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")


@dataclass(slots=True)
class RequestRecord:
    """Filled in by whoever knows: the middleware, and the route that answers."""

    id: str
    method: str
    route: str
    started: float = field(default_factory=time.monotonic)
    status: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    sentences: int = 0
    pairs: int = 0
    relations: int = 0
    batch: int = 0

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started

    def to_json(self) -> dict[str, Any]:
        """A line of the access log."""
        known: dict[str, Any] = {
            "request": self.id,
            "method": self.method,
            "route": self.route,
            "status": self.status,
            "milliseconds": round(1000 * self.seconds, 1),
            "bytes_in": self.bytes_in,
            "bytes_out": self.bytes_out,
        }
        told = {name: getattr(self, name) for name in ("sentences", "pairs", "batch")}
        return known | {name: value for name, value in told.items() if value}


def open_record(scope: Scope) -> RequestRecord:
    """A record for a request that has just come; a client's own id is kept where it is a harmless one."""
    given = next((value for name, value in scope["headers"] if name == b"x-request-id"), b"")
    name = given.decode("ascii") if _GOOD_ID.fullmatch(given) else uuid4().hex
    record = RequestRecord(name, method_of(scope["method"]), address_of(scope["path"]))
    scope[_PLACE] = record
    return record


def record_of(scope: Scope) -> RequestRecord:
    found: RequestRecord = scope[_PLACE]
    return found
