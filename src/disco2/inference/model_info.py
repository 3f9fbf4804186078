"""What is said about the model wherever its answers go."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A name, a licence, and a hash that tells models apart."""

    name: str = "unnamed"
    licence: str = "not recorded"
    digest: str = ""
