"""disco2 corpus mine: connective pairs of any text, without the connective."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from disco2.annotation.text import paragraphs as paragraphs_of
from disco2.corpora.catalogue import read_corpus
from disco2.corpora.pairs import JSON_ENDINGS, TABLE_ENDINGS, read_pairs
from disco2.corpora.protocols import HeldOutSentences
from disco2.engines.cores import available_cores
from disco2.errors import InputError, SettingsError
from disco2.inference.decoding import check_encoding
from disco2.interfaces.cli.console import messages, print_table, progress_bar, results, tell
from disco2.interfaces.cli.engine_options import EngineOptions
from disco2.interfaces.cli.grouped_options import takes
from disco2.interfaces.cli.offered_values import among
from disco2.interfaces.cli.options import path_option, place
from disco2.mining.miner import PLACES, MiningSettings
from disco2.mining.run import Mined, mine_files, read_blocks

SAID_EVERY = 30.0  # seconds, where there is no terminal
PARAGRAPHS = ("blank", "line")


@dataclass(frozen=True)
class MiningWorkers(EngineOptions):
    """Who does the work. Every field is an option."""

    jobs: Annotated[int, typer.Option(help="Processes side by side. Default: one for each core.", min=0)] = 0


@takes(MiningWorkers, "workers")
def corpus_mine(
    workers: MiningWorkers,
    files: Annotated[
        list[str],
        typer.Option(
            help="Text files, plain, .gz or .xz, as a pattern in quotes such as 'text/**'. May be repeated."
        ),
    ],
    output: Annotated[Path, path_option(help="File of pairs to write, a JSON object a line.")],
    where: Annotated[
        str,
        typer.Option(
            "--place",
            help="Pairs of two sentences (between), of two clauses of one sentence (inside), or both.",
            autocompletion=among(PLACES),
        ),
    ] = "both",
    most_words: Annotated[int, typer.Option(help="The longest argument that is kept, in words.")] = 22,
    per_sense: Annotated[
        int,
        typer.Option(
            help="At most so many pairs of each sense; rare connectives get more than their share. 0: all.",
            min=0,
        ),
    ] = 0,
    exclude: Annotated[
        list[Path] | None,
        path_option(
            help="Text or file of pairs: no pair may share a sentence of eight or more words with it. "
            "May be repeated."
        ),
    ] = None,
    exclude_corpus: Annotated[
        list[str] | None,
        typer.Option(
            help="The same for the dev and test parts of a corpus, such as gum=PATH. May be repeated.",
            metavar="KIND=PATH",
        ),
    ] = None,
    paragraphs: Annotated[
        str, typer.Option(help="What ends a paragraph: blank or line.", autocompletion=among(PARAGRAPHS))
    ] = "blank",
    encoding: Annotated[str, typer.Option(help="Encoding of the files.")] = "utf-8",
) -> None:
    """Find pairs that a connective joins in any English text, and write them without it, to train on.

    A run that was interrupted continues with the same command.
    """
    if paragraphs not in PARAGRAPHS:
        raise SettingsError(f"Unknown paragraphs '{paragraphs}'.", hint="Choose one of: blank, line.")
    check_encoding(encoding)
    settings = MiningSettings(place=where, most_words=most_words)
    engine = workers.open(workers.jobs or available_cores())
    held_out = _held_out(exclude or [], exclude_corpus or [])
    if held_out:
        tell(f"no pair may contain one of {len(held_out):,} sentences")
    with _Progress() as progress:
        try:
            mined = mine_files(
                files,
                output,
                engine=engine,
                settings=settings,
                held_out=held_out,
                per_sense=per_sense,
                encoding=encoding,
                by_line=paragraphs == "line",
                report=progress.report,
                notice=tell,
            )
        except KeyboardInterrupt:
            tell("interrupted; what is done is kept, and the same command continues")
            raise
    _conclude(output, mined)


def _held_out(files: Sequence[Path], corpora: Sequence[str]) -> HeldOutSentences:
    """The sentences of texts and files of pairs, and of corpora that are named as KIND=PATH."""
    held_out = HeldOutSentences()
    for path in files:
        if path.suffix.lower() in (*JSON_ENDINGS, *TABLE_ENDINGS):
            held_out.add_evaluated(read_pairs(path))
            continue
        for block in read_blocks(path):
            for _, paragraph in paragraphs_of(block):
                held_out.add_text(paragraph)
    for named in corpora:
        kind, _, path_name = named.partition("=")
        if not path_name:
            raise SettingsError(
                f"'{named}' names no corpus.", hint="Give KIND=PATH, such as gum=corpora/gum."
            )
        held_out.add_evaluated(read_corpus(kind, place(path_name)))
    return held_out


def _conclude(output: Path, mined: Mined) -> None:
    if mined.kept_blocks:
        tell(f"{mined.kept_blocks:,} of {mined.blocks:,} blocks were there already")
    print_table(
        "Pairs by sense", ["sense", "pairs"], [[sense, f"{n:,}"] for sense, n in mined.senses.most_common()]
    )
    results.print(f"{output}: {mined.pairs:,} pairs", markup=False)
    if mined.unread:
        for error in mined.unread:
            messages.print(str(error), markup=False)
        raise InputError(
            f"{len(mined.unread)} files could not be read to their end; the others are done.",
            where=str(output),
        )


class _Progress:
    """A bar on a terminal, elsewhere a line now and then."""

    def __init__(self) -> None:
        self._bar = progress_bar()
        self._task = self._bar.add_task("reading", total=None)
        self._said = time.monotonic()

    def __enter__(self) -> _Progress:
        self._bar.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._bar.stop()

    def report(self, mined: Mined) -> None:
        rate = mined.words / mined.seconds if mined.seconds else 0.0
        line = f"{mined.source}: {mined.words / 1e6:,.1f} million words, {mined.found:,} pairs"
        line += f", {rate:,.0f} words a second"
        if messages.is_terminal:
            self._bar.update(self._task, description=line)
        elif time.monotonic() - self._said >= SAID_EVERY:
            self._said = time.monotonic()
            messages.print(line, markup=False)
