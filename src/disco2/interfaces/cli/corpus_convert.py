"""disco2 corpus convert: any corpus as plain pairs or in CoNLL-16 form."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from disco2.corpora.catalogue import NONE
from disco2.corpora.convert import with_senses_of, write_conll16, write_pairs
from disco2.errors import SettingsError
from disco2.files import check_folder_place
from disco2.interfaces.cli.console import results
from disco2.interfaces.cli.corpus_options import CorpusChoice, takes_corpus
from disco2.interfaces.cli.offered_values import among
from disco2.interfaces.cli.options import path_option


@takes_corpus
def corpus_convert(
    corpus: CorpusChoice,
    to: Annotated[
        str,
        typer.Option(
            help="pairs (JSONL) or conll16 (relations and parses).",
            autocompletion=among(("pairs", "conll16")),
        ),
    ],
    output: Annotated[Path, path_option(help="File (pairs) or folder (conll16) to write.")],
    senses: Annotated[
        str,
        typer.Option(
            help="pdtb2 or pdtb3: map the senses. Default: leave them as they are.",
            autocompletion=among(("pdtb2", "pdtb3")),
        ),
    ] = "",
) -> None:
    """Write a corpus in another form. Both forms leave coreference out."""
    if to not in ("pairs", "conll16"):
        raise SettingsError(f"There is no form '{to}' to write.", hint="Give --to pairs or --to conll16.")
    if to == "conll16":
        check_folder_place(output)
    elif corpus.path is not None and os.path.realpath(output) == os.path.realpath(corpus.path):
        raise SettingsError("The corpus would overwrite itself.", hint="Choose another --output.")
    found = corpus.read(usual=NONE)  # neither form keeps what annotators would add to plain pairs
    if senses:
        found = with_senses_of(found, senses)
    if to == "pairs":
        write_pairs(found, output)
    else:
        write_conll16(found, output)
    results.print(f"{output}: {len(found.relations)} relations written as {to}", markup=False)
