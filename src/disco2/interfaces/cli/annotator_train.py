"""disco2 annotator train: the built-in English annotator, from GUM."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from disco2.annotation.english.annotators import COMPONENTS
from disco2.corpora.catalogue import read_corpus
from disco2.errors import SettingsError
from disco2.interfaces.cli.console import messages, results
from disco2.interfaces.cli.offered_values import several_of
from disco2.interfaces.cli.options import Force, path_option


def annotator_train(
    gum: Annotated[Path, path_option(help="Folder of a checkout of GUM.")],
    output: Annotated[Path, path_option(help="Folder to write the annotator to.")],
    only: Annotated[
        str,
        typer.Option(
            help="Some of: syntax, constituents, coreference; the others must be there.",
            autocompletion=several_of(COMPONENTS),
        ),
    ] = "",
    seed: Annotated[int, typer.Option(help="Fixes everything random.")] = 1,
    force: Force = False,
) -> None:
    """Train tokens, tags, dependencies, constituents and coreference on GUM's training part."""
    from disco2.experiments.annotators import train_annotators

    asked = [name.strip() for name in only.split(",") if name.strip()]
    if unknown := [name for name in asked if name not in COMPONENTS]:
        raise SettingsError(
            f"There is no component '{unknown[0]}'.", where="--only", hint=f"Known: {', '.join(COMPONENTS)}."
        )
    chosen = tuple(name for name in COMPONENTS if not asked or name in asked)
    train_annotators(
        read_corpus("gum", gum),
        output,
        components=chosen,
        seed=seed,
        progress=lambda line: messages.print(line, markup=False),
        force=force,
    )
    results.print(f"{output}: {', '.join(chosen)} trained with seed {seed}", markup=False)
