"""disco2 corpus ...: describe, generate, mine and convert corpora."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from disco2.annotation.text import paragraphs as paragraphs_of
from disco2.corpora.catalogue import NONE, HeldOutSentences, read_corpus
from disco2.corpora.pairs import JSON_ENDINGS, TABLE_ENDINGS, read_pairs, write_pairs
from disco2.corpora.reading import with_senses_of
from disco2.corpora.role_pairs import write_role_pairs
from disco2.corpora.writing import write_conll16
from disco2.errors import InputError, SettingsError
from disco2.experiments.configuration import Configuration
from disco2.experiments.division import corpus_statistics, divide
from disco2.files import check_folder_place
from disco2.inference.plain_text import check_encoding
from disco2.interfaces.cli import listing, options
from disco2.interfaces.cli.corpus_options import CorpusOptions
from disco2.mining import MOST_WORDS, Mined, mine_files, read_blocks
from disco2.threads import available_cores


def corpus_stats(
    split: options.Part = "",
    protocol: options.Protocol = "",
    as_json: options.AsJson = False,
    *,
    corpus: CorpusOptions,
) -> None:
    """Count relations by kind, sense and part, shared entities, and what was dropped and why."""
    found = corpus.read()
    configuration = Configuration().changed({"task.protocol": protocol})
    statistics = corpus_statistics(found, divide(found, configuration), only=split)
    if as_json:
        listing.print_json(statistics)
    else:
        _print_statistics(statistics)


def _print_statistics(statistics: dict[str, Any]) -> None:
    parts = statistics["splits"]
    names = list(parts)
    listing.results.print(
        f"{statistics['corpus']}: {statistics['documents']} documents, "
        f"{statistics['relations']} relations, split by '{statistics['protocol']}'"
    )
    listing.results.print()

    def row(heading: str, group: str, key: str) -> list[str]:
        return [heading, *(str(part[group].get(key, 0)) for part in parts.values())]

    kinds = sorted({kind for part in parts.values() for kind in part["relations"]})
    rows = [row(kind, "relations", kind) for kind in kinds]
    listing.print_table("Relations by kind", ["kind", *names], rows)
    senses = sorted({sense for part in parts.values() for sense in part["senses"]})
    rows = [row(sense + " *" * (sense not in statistics["labels"]), "senses", sense) for sense in senses]
    listing.results.print()
    listing.print_table("Implicit relations by sense (* not among the labels)", ["sense", *names], rows)
    rows = [
        ["with text", *(str(part["implicit"]) for part in parts.values())],
        ["kept for the task", *(str(part["kept"]) for part in parts.values())],
        ["with shared entities (%)", *(listing.percent(part["shared_entities"]) for part in parts.values())],
    ]
    listing.results.print()
    listing.print_table("Implicit relations", ["", *names], rows)
    for name, part in parts.items():
        for reason, count in part["dropped"].items():
            listing.results.print(f"dropped from {name}: {count}, because {reason}")
    for finding in statistics["findings"]:
        listing.results.print(f"{finding['where']}: {finding['kind']}: {finding['detail']}")


def corpus_role_pairs(
    output: Annotated[Path, options.path_option(help="Folder to write.")],
    size: Annotated[int, typer.Option(help="Training pairs, a multiple of 10; dev, test: a fifth.")] = 2000,
    seed: Annotated[int, typer.Option(help="The same seed writes the same files.")] = 1,
    force: options.Force = False,
) -> None:
    """Write pairs like Bob's and Tina's, where only the pronoun's referent decides the relation."""
    write_role_pairs(output, size=size, seed=seed, force=force)
    listing.results.print(f"{output}: written. Use it as: --corpus role-pairs --path {output}")


PARAGRAPHS = ("blank", "line")  # the modes that streams of blocks can have


def corpus_mine(
    files: Annotated[
        list[str], typer.Option(help="Text files (also .gz, .xz), as a pattern in quotes such as 'text/**'.")
    ],
    output: Annotated[Path, options.path_option(help="File of pairs to write, a JSON object a line.")],
    most_words: Annotated[
        int, typer.Option(help="The longest argument that is kept, in words.", min=3)
    ] = MOST_WORDS,
    per_sense: Annotated[int, typer.Option(help="The most pairs of each sense. 0: all.", min=0)] = 0,
    exclude: Annotated[
        list[Path] | None,
        options.path_option(
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
        str, options.choose("paragraph mode", PARAGRAPHS, help="What ends a paragraph: {}.")
    ] = "blank",
    encoding: options.Encoding = "utf-8",
    jobs: Annotated[int, typer.Option(help="Worker processes. Default: one per core.", min=0)] = 0,
    *,
    workers: options.EngineOptions,
) -> None:
    """Find pairs that a connective joins in any English text, and write them without it, to train on.

    An interrupted run resumes.
    """
    check_encoding(encoding)
    engine = workers.open(jobs or available_cores())
    held_out = _held_out(exclude or [], exclude_corpus or [])
    if held_out:
        listing.print_note(f"no pair may contain one of {len(held_out):,} sentences")
    with listing.progress_line("reading") as show:
        mined = mine_files(
            files,
            output,
            engine=engine,
            most_words=most_words,
            held_out=held_out,
            per_sense=per_sense,
            encoding=encoding,
            by_line=paragraphs == "line",
            report=lambda mined: show(
                f"{mined.blocks:,} blocks, {mined.words / 1e6:,.1f} million words, {mined.found:,} pairs"
            ),
            notice=listing.print_note,
        )
    _print_mined(output, mined)


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
        held_out.add_evaluated(read_corpus(kind, options.expand_path(path_name)))
    return held_out


def _print_mined(output: Path, mined: Mined) -> None:
    if mined.kept_blocks:
        listing.print_note(f"{mined.kept_blocks:,} of {mined.blocks:,} blocks were done by an earlier run")
    listing.print_table(
        "Pairs by sense", ["sense", "pairs"], [[sense, f"{n:,}"] for sense, n in mined.senses.most_common()]
    )
    listing.results.print(f"{output}: {mined.senses.total():,} pairs")
    if mined.unread:
        for error in mined.unread:
            listing.messages.print(str(error))
        what = f"{len(mined.unread)} files could not be read to their end; the others are done."
        raise InputError(what, where=str(output))


def corpus_convert(
    to: Annotated[str, options.choose("form", ("pairs", "conll16"), help="Form of the output: {}.")],
    output: Annotated[Path, options.path_option(help="File (pairs) or folder (conll16) to write.")],
    senses: Annotated[str, options.suggest(("pdtb2", "pdtb3"), help="Map the senses to those of: {}.")] = "",
    *,
    corpus: CorpusOptions,
) -> None:
    """Write a corpus in another form. Both forms leave coreference out."""
    if to == "conll16":
        check_folder_place(output)
    else:
        options.check_not_input(output, corpus.path)
    found = corpus.read(usual=NONE)  # neither form keeps what annotators would add to plain pairs
    if senses:
        found = with_senses_of(found, senses)
    if to == "pairs":
        write_pairs(found, output)
    else:
        write_conll16(found, output)
    listing.results.print(f"{output}: {len(found.relations)} relations written as {to}")
