"""Names of run directories and studies."""

from __future__ import annotations

import hashlib

from disco2.experiments.runs import readable_name


def test_words_are_made_readable_and_the_content_tells_names_apart() -> None:
    digest = hashlib.sha256(b'{"a": 1, "b": [2]}').hexdigest()[:12]
    words = ("upward + Entities", "", "seed 1")
    assert readable_name(words, {"b": [2], "a": 1}) == f"upward-entities-seed-1-{digest}"
    assert readable_name(words, {"b": [2], "a": 2}) != readable_name(words, {"b": [2], "a": 1})
