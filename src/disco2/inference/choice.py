"""Which relations of a text are asked for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from disco2.errors import InputError
from disco2.records import RelationKind

# The kinds that can be found, as PDTB-style corpora spell them.
KINDS = ("Explicit", "Implicit", "EntRel", "Hypophora", "NoRel")
_BY_NAME = {kind.casefold(): kind for kind in KINDS}
JUDGED = frozenset(KINDS) - {RelationKind.EXPLICIT.value}  # what a model has a say in


@dataclass(frozen=True, slots=True)
class RelationChoice:
    """All kinds but NoRel unless others are named; ``between_only``: neighbouring sentences, nothing else."""

    kinds: tuple[str, ...] = KINDS[:-1]
    between_only: bool = False

    @classmethod
    def of(
        cls, kinds: Iterable[str] | str | None = None, *, between_only: bool = False, norel: bool = False
    ) -> RelationChoice:
        """The choice of a user, who names kinds in any case, as a list or parted by commas."""
        given = kinds.split(",") if isinstance(kinds, str) else kinds
        if given is None:
            chosen = set(KINDS[:-1])
        else:
            try:
                names = [name.strip() for name in given]
            except (TypeError, AttributeError):
                raise InputError(f"Kinds are names, not {kinds!r}.", hint=_hint()) from None
            chosen = {_known(name) for name in names if name}
            if not chosen:
                raise InputError("No kind of relation is named.", hint=_hint())
        if norel:
            chosen.add(RelationKind.NOREL.value)
        return cls(tuple(kind for kind in KINDS if kind in chosen), bool(between_only))

    def wants(self, kind: str) -> bool:
        return kind in self.kinds

    @property
    def asks_model(self) -> bool:
        """Whether anything but explicit relations is asked for."""
        return not JUDGED.isdisjoint(self.kinds)


def _known(name: str) -> str:
    found = _BY_NAME.get(name.casefold())
    if found is None:
        raise InputError(f"There is no kind of relation '{name}'.", hint=_hint())
    return found


def _hint() -> str:
    return f"Choose among: {', '.join(KINDS)}."
