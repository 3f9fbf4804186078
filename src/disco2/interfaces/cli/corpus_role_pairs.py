"""disco2 corpus role-pairs: the paper's central claim as a corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from disco2.corpora.role_pairs import write_role_pairs
from disco2.interfaces.cli.console import results
from disco2.interfaces.cli.options import Force, path_option


def role_pairs(
    output: Annotated[Path, path_option(help="Folder to write.")],
    size: Annotated[
        int, typer.Option(help="Training pairs, a multiple of 10; dev and test have a fifth of it each.")
    ] = 2000,
    seed: Annotated[int, typer.Option(help="The same seed writes the same files.")] = 1,
    force: Force = False,
) -> None:
    """Pairs like Bob's and Tina's, where only the pronoun's referent decides the relation."""
    write_role_pairs(output, size=size, seed=seed, force=force)
    results.print(f"{output}: written. Use it as: --corpus role-pairs --path {output}", markup=False)
