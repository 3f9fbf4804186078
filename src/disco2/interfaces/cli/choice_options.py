"""Options that choose which relations of a text are given."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated

import typer

from disco2.inference.choice import KINDS, RelationChoice
from disco2.interfaces.cli.grouped_options import takes
from disco2.interfaces.cli.offered_values import several_of


@dataclass(frozen=True)
class ChoiceOptions:
    """Every field is an option."""

    kinds: Annotated[
        str | None,
        typer.Option(
            help=f"Give these kinds alone, parted by commas: {', '.join(KINDS)}.",
            autocompletion=several_of(KINDS),
        ),
    ] = None
    between_only: Annotated[
        bool,
        typer.Option(
            "--between-only",
            help="Judge neighbouring sentences alone: no search for connectives and clauses.",
        ),
    ] = False
    norel: Annotated[
        bool, typer.Option("--norel", help="Give neighbouring sentences without a relation too.")
    ] = False

    @property
    def choice(self) -> RelationChoice:
        """What they say; InputError where a kind is unknown."""
        return RelationChoice.of(self.kinds, between_only=self.between_only, norel=self.norel)

    @property
    def given(self) -> dict[str, bool]:
        """The options by name, and whether they were given."""
        return {
            f"--{option.name.replace('_', '-')}": getattr(self, option.name) != option.default
            for option in fields(self)
        }


takes_choice = takes(ChoiceOptions, "asked")
