"""Whether probabilities mean what they say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disco2.errors import InputError

BINS = 15  # as in Guo et al. (2017), On Calibration of Modern Neural Networks


def expected_calibration_error(
    confidences: Sequence[float] | NDArray[np.floating[Any]],
    right: Sequence[bool] | NDArray[np.bool_],
    *,
    bins: int = BINS,
) -> float:
    """sum over bins b of n_b / n * |accuracy(b) - mean confidence(b)|.

    ``confidences`` are the probabilities of the answers given, ``right`` says which answers were right. The
    bins are (0, 1/bins], (1/bins, 2/bins] ... up to 1; a confidence of 0 falls into the first.
    """
    sure = np.asarray(confidences, dtype=np.float64)
    hit = np.asarray(right, dtype=np.float64)
    if sure.ndim != 1 or sure.shape != hit.shape or not len(sure):
        raise InputError(
            f"{hit.size} answers for {sure.size} confidences.", hint="Give one confidence for each answer."
        )
    if not ((sure >= 0) & (sure <= 1)).all():
        raise InputError("A confidence is not between 0 and 1.", hint="Give probabilities, not scores.")
    numbers = np.clip(np.ceil(sure * bins).astype(np.int64) - 1, 0, bins - 1)
    # n_b / n * |accuracy - confidence| is the difference of the bin's sums, over n.
    gaps = np.bincount(numbers, weights=hit - sure, minlength=bins)
    return float(np.abs(gaps).sum() / len(sure))
