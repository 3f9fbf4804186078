"""The one name for arrays of real numbers: float32 in use, float64 where gradients are checked."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]
