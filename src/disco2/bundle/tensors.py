"""The bytes of ``parameters.safetensors`` -> its arrays."""

from __future__ import annotations

import json
from typing import Any

from numpy.typing import NDArray
from safetensors.numpy import load

from disco2.twin_keys import without_twins

MOST_HEADER = 1 << 20  # bytes; a model's arrays are described in two thousand
KNOWN = ("F64", "F32", "F16", "I32")
_LENGTH = 8  # bytes of the header's own length


def read_arrays(content: bytes) -> dict[str, NDArray[Any]]:
    """All arrays by their names; what the header declares must be what follows, byte for byte.

    ValueError or SafetensorError otherwise. Room is made for what is there, never for what is declared.
    """
    size = int.from_bytes(content[:_LENGTH], "little")
    if len(content) < _LENGTH or size > min(MOST_HEADER, len(content) - _LENGTH):
        raise ValueError("its parameters have no usable header")
    header = json.loads(content[_LENGTH : _LENGTH + size], object_pairs_hook=without_twins)
    for name, declared in header.items():
        if name != "__metadata__" and declared["dtype"] not in KNOWN:
            raise ValueError(f"its array {name!r} is of the type {declared['dtype']!r}, which no model has")
    return load(content)
