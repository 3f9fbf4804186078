"""What is said about the model wherever its answers go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A name, a licence, a hash that tells models apart, and how many training relations each label has."""

    name: str = "unnamed"
    licence: str = "not recorded"
    digest: str = ""
    label_counts: Mapping[str, float] = field(default_factory=dict)  # empty where they were not recorded
