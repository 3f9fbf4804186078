"""What a server allows, and whom it serves."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, fields

from disco2.errors import SettingsError

_ORIGIN = re.compile(r"https?://[^\s/?#@]+")
# What can stand in a header. Bytes that are no UTF-8 come from the environment as halves of characters.
_SENDABLE = re.compile(r"[^\s\x00-\x1f\x7f\ud800-\udfff]{1,4096}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds on one request, on how many may wait, and on how many may be connected.

    Those on a request bound how long it can hold the annotators, which can't be interrupted: a token takes
    about a fifth of a millisecond.
    """

    body_bytes: int = 131_072
    sentences: int = 1_000
    pairs: int = 500
    seconds: float = 30.0  # from the first byte of a request to its answer
    queue: int = 200  # requests that wait for their turn
    connections: int = 1_000

    def __post_init__(self) -> None:
        for limit in fields(self):
            if not 0 < getattr(self, limit.name) < math.inf:
                raise SettingsError(f"The limit on {limit.name.replace('_', ' ')} must be a number above 0.")
        if self.connections <= self.queue:
            raise SettingsError(
                f"{self.queue:,} requests can't wait on {self.connections:,} connections.",
                hint="Allow more connections, or a shorter queue.",
            )

    @property
    def tokens(self) -> int:
        """Of a request. English has five bytes a token; only a text that is no text has fewer than three."""
        return max(1, self.body_bytes // 3)

    def to_json(self) -> dict[str, int | float]:
        """What clients are told: the bounds on one request."""
        return {
            "body_bytes": self.body_bytes,
            "sentences": self.sentences,
            "pairs": self.pairs,
            "seconds": self.seconds,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """The limits, the key that clients must send (empty: none), and the web pages that may ask."""

    limits: Limits = field(default_factory=Limits)
    api_key: str = field(default="", repr=False)
    cors_origins: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.api_key and not _SENDABLE.fullmatch(self.api_key):
            raise SettingsError(
                "No client could send this API key.",
                hint="Choose one of at most 4,096 letters, digits and marks, without a space.",
            )
        for origin in self.cors_origins:
            if origin != "*" and not _ORIGIN.fullmatch(origin):
                raise SettingsError(
                    f"'{origin}' is not the origin of a web page.",
                    hint="Give scheme and host alone, such as https://example.org, or * for any.",
                )
