"""Compiled code that is of this source for certain: ``model.compiled.jit`` says why it might not be."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import disco2

CACHES = Path(__file__).resolve().parent.parent / ".numba_cache"


def use_cache_of_this_source() -> None:
    """Point numba to a cache named after all sources that it may compile, unless the user has named one."""
    digest = hashlib.blake2b(digest_size=8)
    for source in sorted(Path(disco2.__file__).parent.rglob("*.py")):
        if "compiled" in str(source):
            digest.update(source.read_bytes())
    os.environ.setdefault("NUMBA_CACHE_DIR", str(CACHES / digest.hexdigest()))
