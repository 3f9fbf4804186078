"""The address of a scheduler, as the user gives it."""

# mypy: allow-untyped-calls

from __future__ import annotations

from distributed.comm.addressing import parse_address, parse_host_port
from distributed.comm.registry import get_backend
from distributed.security import Security

from disco2.errors import InputError

EXAMPLE = "It looks like tcp://HOST:8786."
KEYS = "Dask's own configuration names the keys: distributed.comm.tls."


def check_address(address: str) -> None:
    """Raise InputError if no scheduler can have it. Dask's client would fail halfway, and go on to run."""
    try:
        scheme, place = parse_address(address)
        get_backend(scheme)
        host, port = parse_host_port(place)
    except ValueError as error:
        raise InputError(
            f"This is no address of a scheduler: {error}.", where=address, hint=EXAMPLE
        ) from None
    if not host or not 0 < int(port) < 65536:
        raise InputError("This is no address of a scheduler.", where=address, hint=EXAMPLE)
    if scheme == "tls" and Security().get_connection_args("client").get("ssl_context") is None:
        raise InputError("There are no keys for an encrypted connection.", where=address, hint=KEYS)
