"""disco2 models: the models that ship, side by side."""

from __future__ import annotations

from collections.abc import Sequence

from disco2.bundle.summary import ModelSummary, summarise_shipped
from disco2.interfaces.cli.console import percent, print_json, print_table, results
from disco2.interfaces.cli.options import AsJson
from disco2.interfaces.doctor.findings import size_of

_LEGEND = (
    "Speed and accuracy are from raw text: sentences on one core, per cent right on the corpus's test part. "
    "--json has all figures."
)


def models(as_json: AsJson = False) -> None:
    """The models that ship: size, speed, accuracy, data and licence of each.

    Take one by its name: disco2 predict --model NAME, or disco2.load("NAME").
    """
    found = summarise_shipped()
    if as_json:
        print_json({"models": [model.to_json() for model in found]})
        return
    # Measures that all of them have, so that the table compares like with like.
    shared = set.intersection(*({one.measure for one in model.accuracy} for model in found))
    measures = [one.measure for one in found[0].accuracy if one.measure in shared]
    print_table(
        "Shipped models",
        ["name", "data", "licence", "size", "sentences/s", *measures],
        [_row(model, measures) for model in found],
        texts=3,
    )
    results.print()
    for model in found:
        results.print(f"{model.name}: {model.what}", markup=False)
    results.print(f"\n{_LEGEND}", markup=False, style="dim")


def _row(model: ModelSummary, measures: Sequence[str]) -> list[str]:
    accuracy = {one.measure: one.accuracy for one in model.accuracy}
    layers = "automatic layers" if model.automatic_layers else "its own layers"
    speed = model.sentences_a_second
    return [
        f"{model.name} (default)" if model.default else model.name,
        f"{model.corpus}, {model.training_relations} relations, {layers}",
        model.licence.partition(":")[0],
        size_of(model.bytes),
        "–" if speed is None else f"{speed:.0f}",  # noqa: RUF001  an en dash
        *(percent(accuracy[measure]) for measure in measures),
    ]
