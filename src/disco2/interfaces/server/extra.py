"""Whether the packages of the extra ``serve`` are there."""

from __future__ import annotations

from importlib import import_module

from disco2.errors import MissingExtraError

PACKAGES = ("fastapi", "uvicorn", "prometheus_client")


def check_extra() -> None:
    """MissingExtraError for the first package that is not installed."""
    for package in PACKAGES:
        try:
            import_module(package)
        except ModuleNotFoundError:
            raise MissingExtraError(package, "serve", "The server") from None
