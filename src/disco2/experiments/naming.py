"""Names for what is kept on disk: people read their words, and a hash tells all else apart."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any


def plain_words(words: Iterable[str]) -> str:
    """``Upward + entities``, ``seed 1`` -> ``upward-entities-seed-1``; empty words are left out."""
    return "-".join(re.sub(r"[^a-z0-9]+", "-", word.lower()).strip("-") for word in words if word)


def readable_name(words: Iterable[str], content: Mapping[str, Any]) -> str:
    """``Upward + entities``, ``seed 1`` -> ``upward-entities-seed-1-0a1b2c3d4e5f``, by the content's JSON.

    Empty words are left out.
    """
    digest = sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:12]
    return f"{plain_words(words)}-{digest}"
