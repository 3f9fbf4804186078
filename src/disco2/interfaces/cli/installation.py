"""disco2 doctor, models and cache."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer
from rich.filesize import decimal

from disco2.interfaces import doctor as checking
from disco2.interfaces.cli.listing import DASH, messages, percent, print_json, print_table, results
from disco2.interfaces.cli.options import AsJson, Model
from disco2.shipped import DEFAULT, MODELS, find_model
from disco2.version import VERSION

if TYPE_CHECKING:
    from disco2.annotation.cache import CacheSummary

_LEGEND = (
    "Speed and accuracy are from raw text: sentences on one core, per cent right on the corpus's test part. "
    "--json has all figures."
)
_STYLES = {checking.OK: "", checking.ABSENT: "dim", checking.WARNING: "yellow", checking.FAILED: "bold red"}


def models(as_json: AsJson = False) -> None:
    """List the shipped models: size, speed, accuracy, data and licence of each.

    Take one by its name: disco2 predict --model NAME, or disco2.load("NAME").
    """
    from disco2.bundle.summary import summarise_shipped

    found = summarise_shipped()
    if as_json:
        print_json({"models": [asdict(model) for model in found]})
        return
    # Measures that all of them have, so that the table compares like with like.
    accuracies = [{one.measure: one.accuracy for one in model.accuracy} for model in found]
    measures = [name for name in accuracies[0] if all(name in one for one in accuracies)]
    rows = [
        [
            f"{model.name} (default)" if model.default else model.name,
            f"{model.corpus}, {model.training_relations} relations"
            f"{', automatic layers' * model.automatic_layers}",
            model.licence.partition(":")[0],
            decimal(model.bytes),
            DASH if model.sentences_a_second is None else f"{model.sentences_a_second:.0f}",
            *(percent(accuracy[measure]) for measure in measures),
        ]
        for model, accuracy in zip(found, accuracies, strict=True)
    ]
    columns = ["name", "data", "licence", "size", "sentences/s", *measures]
    print_table("Shipped models", columns, rows, texts=3)
    results.print()
    for model in found:
        results.print(f"{model.name}: {model.what}")
    results.print()
    results.print(_LEGEND, style="dim")


def cache_info(as_json: AsJson = False) -> None:
    """Path, size and number of documents of the cache."""
    from disco2.annotation.cache import cache_summary

    found = cache_summary()
    if as_json:
        print_json(asdict(found) | {"path": str(found.path)})
        return
    results.print(_describe_cache(found))
    if found.trouble:
        results.print(f"It can't be read: {found.trouble}. Remove it with: disco2 cache clear")


def cache_clear() -> None:
    """Remove the cache; layers are made again when they are needed."""
    from disco2.annotation.cache import clear_cache

    results.print(f"removed: {_describe_cache(clear_cache())}")


def _describe_cache(found: CacheSummary) -> str:
    size = f"{decimal(found.bytes)} of at most {decimal(found.most_bytes)}"
    return f"{found.path}: {found.documents} documents, {size}"


def doctor(
    model: Model = None,
    quick: Annotated[bool, typer.Option("--quick", help="Omit the self-test.")] = False,
    as_json: AsJson = False,
) -> None:
    """Check what is installed, which model is used, and whether it works.

    The self-test sends a made-up text through the whole pipeline; --quick omits it. The output has no text,
    key or shell setting of yours. Extras that are not installed are no error; the exit code is 2 if something
    is broken.
    """
    folder = MODELS / DEFAULT if model is None else find_model(model)  # may not exist: that is a finding
    sections: dict[str, list[checking.Finding]] = {}
    if not as_json:
        results.print(f"disco2 {VERSION}")
    for name, check in checking.checks(folder, quick=quick).items():
        with messages.status(f"checking {name}"):  # silent without a terminal
            sections[name] = check()
        if as_json:
            continue
        results.print()
        results.print(name.capitalize(), style="bold")
        widest = max((len(finding.name) for finding in sections[name]), default=0)
        for one in sections[name]:
            results.print(f"  {one.name:<{widest}}  {one.status:<7}  {one.found}", style=_STYLES[one.status])
            if one.advice and one.status != checking.OK:
                results.print(f"{' ' * (widest + 13)}-> {one.advice}", style="dim")
    failed = checking.count_findings(sections, checking.FAILED)
    warnings = checking.count_findings(sections, checking.WARNING)
    if as_json:
        print_json(checking.report_json(sections))
    else:
        results.print()
        some = f"failed: {failed}, warnings: {warnings}; the arrows above say what to do."
        results.print(some if failed or warnings else "Everything works.")
    raise typer.Exit(2 if failed else 0)
