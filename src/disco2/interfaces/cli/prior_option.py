"""The option --prior: the shares of senses that a user expects, as text or in a file."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from disco2.errors import SettingsError
from disco2.interfaces.cli.offered_values import among
from disco2.interfaces.cli.options import place
from disco2.model.prior import UNIFORM, Shares
from disco2.twin_keys import without_twins

MOST_BYTES = 1_000_000  # of a file
_HINT = f"Give {UNIFORM}, shares such as Contingency.Cause=0.4,NoRel=0.1, or a TOML or JSON file of them."


@dataclass(frozen=True)
class GivenPrior:
    """What the option says; labels and sums are checked where the model is known."""

    shares: Shares


def read_prior(text: str) -> GivenPrior:
    """``uniform``, ``LABEL=SHARE,...``, or a file that holds shares by label."""
    if text == UNIFORM:
        return GivenPrior(UNIFORM)
    file = place(text)
    with suppress(OSError):  # a list of shares may be too long for a name
        if file.is_file():
            return GivenPrior(_checked(_flat(_read(file)), where=text))
    if "=" not in text:
        raise SettingsError("There is no such file of shares.", where=text, hint=_HINT)
    pairs = [pair.rpartition("=") for pair in text.split(",")]
    return GivenPrior(
        _checked(((label.strip(), _number(share)) for label, _, share in pairs), where="--prior")
    )


def _read(file: Path) -> dict[str, Any]:
    try:
        if file.stat().st_size > MOST_BYTES:
            raise SettingsError("The file is too large for shares of labels.", where=str(file), hint=_HINT)
        text = file.read_text(encoding="utf-8")
        if file.suffix.lower() == ".json":
            content = json.loads(text, object_pairs_hook=without_twins)
        else:
            content = tomllib.loads(text)
    except OSError as error:
        raise SettingsError(f"The file can't be read: {error.strerror}.", where=str(file)) from None
    except (ValueError, RecursionError) as error:
        raise SettingsError(
            f"The file holds no shares by label: {error}.", where=str(file), hint=_HINT
        ) from None
    if not isinstance(content, dict):
        raise SettingsError("The file holds no shares by label.", where=str(file), hint=_HINT)
    return content


def _flat(content: dict[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """In TOML, ``Contingency.Cause = 0.4`` without quotes is a table within a table."""
    for name, value in content.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value


def _checked(pairs: Iterator[tuple[str, Any]], *, where: str) -> dict[str, float]:
    shares: dict[str, float] = {}
    for label, share in pairs:
        if label in shares:
            raise SettingsError(f"The label '{label}' has two shares.", where=where)
        shares[label] = share
    return shares


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise SettingsError(f"'{text.strip()}' is not a share.", where="--prior", hint=_HINT) from None


PriorOption = Annotated[
    GivenPrior | None,
    typer.Option(
        "--prior",
        metavar="SHARES|FILE",
        parser=read_prior,
        help=f"Shares of senses that you expect: {UNIFORM}, LABEL=SHARE,..., or a TOML or JSON file. "
        "Default: as in training.",
        autocompletion=among((UNIFORM,)),
    ),
]
