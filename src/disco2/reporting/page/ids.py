"""Ids that are used once on a page."""

from __future__ import annotations

import re


class Ids:
    """Hands out ids made of names; a name that comes again gets a number."""

    def __init__(self) -> None:
        self._used: set[str] = set()

    def fresh(self, name: str) -> str:
        plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "part"
        plain = plain if plain[0].isalpha() else f"part-{plain}"
        chosen, number = plain, 1
        while chosen in self._used:
            number += 1
            chosen = f"{plain}-{number}"
        self._used.add(chosen)
        return chosen
