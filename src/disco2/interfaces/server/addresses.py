"""The addresses there are, as logs and metrics name them: never what a client made up."""

from __future__ import annotations

RELATIONS, VIEWS, MODEL = "/v1/relations", "/v1/views", "/v1/model"
HEALTH, METRICS, OPENAPI = "/healthz", "/metrics", "/openapi.json"
PAGE, ASSETS = "/", "/assets/{name}"

_FIXED = frozenset({RELATIONS, VIEWS, MODEL, HEALTH, METRICS, OPENAPI, PAGE})
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def address_of(path: str) -> str:
    """The address of a path, or ``other``."""
    if path in _FIXED:
        return path
    return ASSETS if path.startswith("/assets/") and path.count("/") == 2 else "other"


def method_of(method: str) -> str:
    return method if method in _METHODS else "other"


def needs_key(path: str) -> bool:
    """Whether a key is asked for where there is one: for all that costs or tells something."""
    return path == METRICS or path == "/v1" or path.startswith("/v1/")
