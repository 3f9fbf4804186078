"""disco2 corpus stats: what a corpus holds."""

from __future__ import annotations

from typing import Annotated

import typer

from disco2.experiments.configuration import Configuration
from disco2.experiments.division import CorpusStatistics, corpus_statistics, divide
from disco2.interfaces.cli.console import percent, print_json, print_table, results
from disco2.interfaces.cli.corpus_options import CorpusChoice, takes_corpus
from disco2.interfaces.cli.offered_values import PARTS, among
from disco2.interfaces.cli.options import AsJson, Protocol


@takes_corpus
def corpus_stats(
    corpus: CorpusChoice,
    split: Annotated[
        str, typer.Option(help="Only this part: train, dev or test.", autocompletion=among(PARTS))
    ] = "",
    protocol: Protocol = "",
    as_json: AsJson = False,
) -> None:
    """Relations by kind, sense and part; shared entities; what was dropped and why."""
    found = corpus.read()
    configuration = Configuration().changed({"task.protocol": protocol})
    statistics = corpus_statistics(found, divide(found, configuration), only=split)
    if as_json:
        print_json(statistics.to_json())
    else:
        _show(statistics)


def _show(statistics: CorpusStatistics) -> None:
    parts = statistics.parts
    names = list(parts)
    results.print(
        f"{statistics.corpus.name}: {len(statistics.corpus.documents)} documents, "
        f"{len(statistics.corpus.relations)} relations, split by '{statistics.protocol}'\n",
        markup=False,
    )
    kinds = sorted({kind for part in parts.values() for kind in part.kinds})
    print_table(
        "Relations by kind",
        ["kind", *names],
        [[kind, *(str(part.kinds[kind]) for part in parts.values())] for kind in kinds],
    )
    senses = sorted({sense for part in parts.values() for sense in part.senses})
    print_table(
        "\nImplicit relations by sense (* not among the labels)",
        ["sense", *names],
        [
            [
                sense if sense in statistics.labels else f"{sense} *",
                *(str(part.senses[sense]) for part in parts.values()),
            ]
            for sense in senses
        ],
    )
    print_table(
        "\nImplicit relations",
        ["", *names],
        [
            ["with text", *(str(part.implicit) for part in parts.values())],
            ["kept for the task", *(str(part.kept) for part in parts.values())],
            [
                "with shared entities (%)",
                *(
                    percent(part.with_shared_entities / part.implicit if part.implicit else None)
                    for part in parts.values()
                ),
            ],
        ],
    )
    for name, part in parts.items():
        for reason, count in part.dropped.most_common():
            results.print(f"dropped from {name}: {count}, because {reason}", markup=False)
    for finding in statistics.corpus.dirt.findings[:20]:
        results.print(f"{finding.where}: {finding.kind}: {finding.detail}", markup=False)
