"""One run of the benchmarks: how thorough it is, and what its measurements share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from benchmarks.speed.from_gum import Gum, load_gum
from benchmarks.speed.workload import SCORING_BATCH, STANDARD_BATCH, STANDARD_K, Workload, generated_workload

PAIRS = 2048  # generated pairs that are trained on and scored


@dataclass(frozen=True)
class Run:
    """``quick``: only what the ratios at the top of the JSON file need. ``gum_folder``: a checkout of GUM."""

    quick: bool = False
    gum_folder: Path | None = None

    @property
    def settings(self) -> dict[str, Any]:
        """For the JSON file."""
        return {
            "K": STANDARD_K,
            "batch": STANDARD_BATCH,
            "scoring_batch": SCORING_BATCH,
            "pairs": PAIRS,
            "precision": "float32",
            "threads": 1,
            "quick": self.quick,
            "gum": self.gum_folder is not None,
            "repeats": self.repeats,
        }

    @property
    def repeats(self) -> int:
        return 15 if self.quick else 25

    @property
    def slow_repeats(self) -> int:
        """For work that takes a second or more."""
        return 3

    @cached_property
    def generated(self) -> Workload:
        return generated_workload(PAIRS)

    @cached_property
    def gum(self) -> Gum | None:
        return load_gum(self.gum_folder) if self.gum_folder else None

    @property
    def workloads(self) -> list[Workload]:
        """Generated relations and, where it is given, GUM."""
        return [self.generated, *([self.gum.workload] if self.gum else [])]
