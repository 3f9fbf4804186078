"""The senses of the Penn Discourse Treebanks and of GUM's GDTB, and the mapping between PDTB 2 and PDTB 3.

A sense is a dotted path: class, type, subtype (``Contingency.Cause.Reason``). Annotators may stop early, so
every prefix of a known path is a sense too. EntRel, NoRel and Hypophora are kinds of relation, not senses,
and belong to no inventory, even where a corpus writes them into its sense column.

``senses.toml`` has the senses, their mapping, and the labels of the usual tasks.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from disco2.errors import InputError

TABLES: dict[str, Any] = tomllib.loads(Path(__file__).with_name("senses.toml").read_text(encoding="utf-8"))
PDTB2: tuple[str, ...] = tuple(TABLES["inventories"]["pdtb2"])
PDTB3: tuple[str, ...] = tuple(TABLES["inventories"]["pdtb3"])


@dataclass(frozen=True)
class SenseInventory:
    """The senses of one annotation scheme as full dotted paths; ``spellings`` maps other spellings to them.

    An inventory without senses is free: it accepts every label unchanged and has no levels.
    """

    name: str
    senses: tuple[str, ...] = ()
    spellings: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_free(self) -> bool:
        return not self.senses

    @cached_property
    def all_senses(self) -> tuple[str, ...]:
        """The full paths and every prefix of them, classes before types and types before subtypes."""
        steps = [sense.split(".") for sense in self.senses]
        return tuple(dict.fromkeys(".".join(some[:depth]) for some in steps for depth in (1, 2, 3)))

    @cached_property
    def _by_key(self) -> dict[str, str]:
        names = {**self.spellings, **{sense: sense for sense in self.all_senses}}
        return {_key(spelling): sense for spelling, sense in names.items()}

    def resolve(self, raw: str) -> str | None:
        """The canonical name of a raw label, or None; case, spaces, hyphens and underscores don't matter."""
        if self.is_free:
            return raw.strip() or None
        return self._by_key.get(_key(raw))

    def by_last_step(self, name: str) -> str | None:
        """The sense whose last step is this name (``arg2-as-detail``), if one full path ends with it."""
        return self._by_last_step.get(_key(name))

    @cached_property
    def _by_last_step(self) -> dict[str, str]:
        steps = [_key(sense.rpartition(".")[2]) for sense in self.senses]
        return {step: sense for step, sense in zip(steps, self.senses, strict=True) if steps.count(step) == 1}


_PDTB3_SPELLINGS: dict[str, str] = TABLES["spellings"]["pdtb3"]
_INVENTORIES = {
    "pdtb2": SenseInventory("pdtb2", PDTB2),
    "pdtb3": SenseInventory("pdtb3", PDTB3, _PDTB3_SPELLINGS),
    "gdtb": SenseInventory("gdtb", PDTB3, _PDTB3_SPELLINGS | TABLES["spellings"]["gdtb"]),
    "free": SenseInventory("free"),
}


def inventory(name: str) -> SenseInventory:
    """The inventory of that name; an empty name or ``free`` accepts any label."""
    try:
        return _INVENTORIES[name.lower() or "free"]
    except KeyError:
        known = ", ".join(_INVENTORIES)
        raise InputError(f"There is no sense inventory '{name}'.", hint=f"Known: {known}.") from None


@lru_cache(maxsize=1 << 10)  # a corpus has few labels, and each of them thousands of times
def _key(label: str) -> str:
    return "".join(label.casefold().replace("-", "").replace("_", "").split())


def senses_2_to_3(sense: str) -> str | None:
    """The PDTB 3 sense of a canonical PDTB 2 sense of any level; None for a name PDTB 2 does not have."""
    return _map(sense, TABLES["map"]["2_to_3"]) if sense in inventory("pdtb2").all_senses else None


def senses_3_to_2(sense: str) -> str | None:
    """The PDTB 2 sense of a canonical PDTB 3 sense of any level; None if PDTB 2 has no such sense."""
    if sense not in inventory("pdtb3").all_senses or sense.startswith("Expansion.Manner"):
        return None
    return _map(sense, TABLES["map"]["3_to_2"])


def _map(sense: str, table: Mapping[str, str]) -> str:
    """A subtype that is not in a table is mapped as its type is."""
    return table.get(sense) or table.get(sense.rpartition(".")[0], sense)


def in_pdtb3(sense: str) -> str:
    """The PDTB 3 name of a sense that only PDTB 2 has; any other sense is returned unchanged."""
    if sense in inventory("pdtb3").all_senses:
        return sense
    return senses_2_to_3(sense) or sense
