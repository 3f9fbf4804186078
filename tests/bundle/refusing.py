"""What every refusal of a bundle has to be like."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from disco2.bundle import load_bundle
from disco2.errors import BundleError

ROOM = 40 << 20  # bytes that a refusal may take at most; a small bundle has 30,000


def refused(folder: Path) -> str:
    """Assert that the bundle is refused in little room and in few words, none of which steers a terminal."""
    tracemalloc.start()
    try:
        with pytest.raises(BundleError) as caught:
            load_bundle(folder)
        assert tracemalloc.get_traced_memory()[1] < ROOM
    finally:
        tracemalloc.stop()
    assert len(caught.value.what) < 600
    assert caught.value.what.isprintable()
    return caught.value.what
