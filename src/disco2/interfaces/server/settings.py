"""Settings and limits of the server. Needs none of the packages of the extra ``serve``."""

from __future__ import annotations

import math
import re
from dataclasses import astuple, dataclass, field
from importlib import import_module
from typing import Annotated

import typer

from disco2.errors import MissingExtraError, SettingsError

PACKAGES = ("fastapi", "uvicorn", "prometheus_client")  # of the extra ``serve``
LOOPBACK_HOSTS = ("localhost", "127.0.0.1", "::1")
_ORIGIN = re.compile(r"https?://[^\s/?#@]+")
_HOST = re.compile(r"[^\s/?#@\[\]]+")
_KEY = re.compile(r"[!-~]{1,4096}")  # printable ASCII: clients encode other letters in different ways


def check_extra() -> None:
    """Raise MissingExtraError for the first package that is not installed."""
    for package in PACKAGES:
        try:
            import_module(package)
        except ModuleNotFoundError:
            raise MissingExtraError(package, "serve", "The server") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits on one request, on waiting requests and on connections. Every field is an option of ``serve``.

    The limits on a request bound the time it takes, because annotators can't be interrupted: a token takes
    about a fifth of a millisecond.
    """

    body_bytes: Annotated[int, typer.Option("--max-body", help="Bytes of a request.", min=1)] = 131_072
    sentences: Annotated[int, typer.Option("--max-sentences", help="Sentences of a text.", min=1)] = 1_000
    pairs: Annotated[int, typer.Option("--max-pairs", help="Pairs of a request.", min=1)] = 500
    seconds: Annotated[
        float, typer.Option("--time-limit", help="Seconds from a request to its answer.", min=0.1)
    ] = 30.0
    queue: Annotated[int, typer.Option(help="Requests that may wait for their turn.", min=1)] = 200
    connections: Annotated[
        int,
        typer.Option(
            "--max-connections", help="Connections at a time; requests beyond that get status 503.", min=2
        ),
    ] = 1_000

    def __post_init__(self) -> None:
        if not all(0 < limit < math.inf for limit in astuple(self)):
            raise SettingsError("Limits must be numbers above 0.")
        if self.connections <= self.queue:
            what = f"{self.queue:,} requests can't wait on {self.connections:,} connections."
            raise SettingsError(what, hint="Allow more connections, or a shorter queue.")

    @property
    def tokens(self) -> int:
        """Tokens of a request: a third of the bytes. English text has about five bytes per token."""
        return max(1, self.body_bytes // 3)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """Limits, the API key (empty: none), origins of web pages that may ask, and names of the server.

    ``allowed_hosts`` are the names that the Host header may have; ``*`` allows any.
    """

    limits: Limits = field(default_factory=Limits)
    api_key: str = field(default="", repr=False)
    cors_origins: tuple[str, ...] = ()
    allowed_hosts: tuple[str, ...] = LOOPBACK_HOSTS

    def __post_init__(self) -> None:
        if self.api_key and not _KEY.fullmatch(self.api_key):
            hint = "Use at most 4,096 letters, digits and marks of ASCII, without spaces."
            raise SettingsError("Clients could not send this API key in a header.", hint=hint)
        origins = ("an origin of web pages", "https://example.org", _ORIGIN, self.cors_origins)
        hosts = ("a host name", "example.org", _HOST, self.allowed_hosts)
        for what, example, pattern, given in (origins, hosts):
            for one in given:
                if one != "*" and not pattern.fullmatch(one):
                    raise SettingsError(f"'{one}' is not {what}.", hint=f"Give {example}, or * for any.")
