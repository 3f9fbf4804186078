"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from disco2.corpora.catalogue import CORPUS_NAMES, read_corpus
from disco2.errors import CorpusError
from disco2.interfaces.cli.console import messages
from disco2.records import Corpus

CorpusName = Annotated[str, typer.Option("--corpus", help=f"Kind of corpus: {', '.join(CORPUS_NAMES)}.")]
CorpusPath = Annotated[Path | None, typer.Option("--path", help="Folder or file of the corpus.")]
Trees = Annotated[Path | None, typer.Option(help="Folder of PTB bracket files, where the corpus has none.")]
Coreference = Annotated[
    Path | None,
    typer.Option(
        "--coref", help="Folder of CoNLL coreference files; for GUM: ontogum or gum, its guidelines."
    ),
]
DependenciesPath = Annotated[
    Path | None, typer.Option("--dependencies", help="Folder of CoNLL-U files, where the corpus has none.")
]
Raw = Annotated[
    Path | None, typer.Option("--raw", help="Folder of PDTB 2's raw text, where it is elsewhere.")
]
Offsets = Annotated[str, typer.Option(help="How PDTB 3 spans end: auto, inclusive or exclusive.")]
Encoding = Annotated[str, typer.Option(help="Encoding of the files: auto, utf-8 or latin-1.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Protocol = Annotated[
    str,
    typer.Option(
        help="How documents are split: own, gum, lin, ji, cv12-0 to cv12-11, cvK-i. Default: the corpus's."
    ),
]


def open_corpus(
    name: str,
    path: Path | None,
    *,
    trees: Path | None = None,
    coreference: Path | None = None,
    dependencies: Path | None = None,
    raw: Path | None = None,
    offsets: str = "auto",
    encoding: str = "auto",
) -> Corpus:
    """Read the corpus that the options name, and say on standard error what was wrong in its files."""
    if not name or path is None:
        raise CorpusError(
            "No corpus was named.", hint=f"Give --corpus (one of {', '.join(CORPUS_NAMES)}) and --path."
        )
    corpus = read_corpus(
        name,
        path,
        trees=trees,
        coreference=coreference,
        dependencies=dependencies,
        raw=raw,
        offsets=offsets,
        encoding=encoding,
    )
    for note in corpus.notes:
        messages.print(f"note: {note}", markup=False, style="dim")
    if counts := corpus.dirt.counts():
        summary = ", ".join(f"{kind} ({count})" for kind, count in counts.most_common())
        messages.print(
            f"note: faults in the files, repaired or skipped: {summary}", markup=False, style="dim"
        )
    return corpus
