"""Predictions and explanations as people read them."""

from __future__ import annotations

from collections.abc import Sequence

from disco2.inference.explanation import Explanation, MentionPair, OtherPairs, Term
from disco2.inference.prediction import Prediction, Span
from disco2.interfaces.cli.console import messages, percent, print_table, results

LONGEST_SENTENCE = 100
STRONGEST = 5  # surface features shown by name
WORDS = 6  # shown where an encoder decided
_UNIT = 10_000  # figures are shown to four decimals


def print_relations(
    predictions: Sequence[Prediction], explanations: Sequence[Explanation] | None = None
) -> None:
    """One paragraph a relation: outcome, probability, the two arguments, what they share."""
    if not predictions:
        messages.print("There is no relation.", markup=False)
    for place, prediction in enumerate(predictions):
        results.print(_paragraph(prediction), markup=False)
        if explanations is not None:
            _print_explanation(explanations[place])
        if place + 1 < len(predictions):
            results.print()


def _paragraph(prediction: Prediction) -> str:
    found = f"{prediction.sense} {percent(prediction.probability)}%"
    if prediction.connective:
        outcome = f"{found} ({prediction.kind}: '{_plain(prediction.connective)}')"
    else:
        outcome = f"{found} ({prediction.kind})" if prediction.kind != prediction.sense else found
    lines = [
        f"{prediction.index + 1}. {outcome}",
        f"   1: {_argument(prediction.arg1)}",
        f"   2: {_argument(prediction.arg2)}",
    ]
    lines.extend(f"   shared: {_short(str(entity))}" for entity in prediction.entities)
    return "\n".join(lines)


def _argument(span: Span) -> str:
    """Its parts with dots in between; a comma that separates it from its connective is not shown."""
    shown = " ... ".join(part.text for part in span.pieces)
    return _short(shown.lstrip(" ,;:") or shown)


def _print_explanation(explanation: Explanation) -> None:
    rows = explained_rows(explanation)
    columns = ["   score", explanation.sense]
    if explanation.rival:
        columns += [explanation.rival, "difference"]
    print_table("", columns, [[f"   {row[0]}", *row[1 : len(columns)]] for row in rows])
    if explanation.connective:
        total = sum(term.value for term in explanation.connective)
        shown = ", ".join(
            f"{_short(one.name)} {one.value:+.2f}" for one in explanation.connective[:STRONGEST]
        )
        results.print(f"   a connective, {total:+.2f}: {shown}, ...", markup=False)
    if explanation.words:
        spelled = [word for word in explanation.words if any(map(str.isalnum, word.span.text))]
        strongest = sorted(spelled, key=lambda word: -abs(word.value))[:WORDS]
        shown = ", ".join(f"{_short(word.span.text)} {word.value:+.2f}" for word in strongest)
        results.print(f"   words that matter most, approximately: {shown}", markup=False)


def explained_rows(explanation: Explanation) -> list[list[str]]:
    """The lines of the table: a name, the sense's figure, its rival's, the difference.

    They are rounded, and so that they add up to the total as it is printed, a last line holds what rounding
    has left over.
    """
    named: list[tuple[str, float, float]] = [
        _row("bias", explanation.bias),
        _row("text" if explanation.words else "arguments", explanation.arguments),
        *(_row(f"mentions {_pair(pair)}", pair) for pair in explanation.pairs),
        *(_row(f"{others.count} other pairs of mentions", others) for others in explanation.other_pairs),
        *(_row(f"feature {_short(term.name)}", term) for term in explanation.features[:STRONGEST]),
    ]
    others = explanation.features[STRONGEST:]
    if others:
        name = f"{len(others)} other features"
        named.append((name, sum(term.value for term in others), sum(term.rival for term in others)))
    counted = [(name, _units(value), _units(rival)) for name, value, rival in named]
    total, rival_total = _units(explanation.score), _units(explanation.rival_score)
    left = total - sum(value for _, value, _ in counted), rival_total - sum(rival for *_, rival in counted)
    if any(left):
        counted.append(("rounding", *left))
    counted.append(("total", total, rival_total))
    return [[name, _figure(value), _figure(rival), _figure(value - rival)] for name, value, rival in counted]


def _row(name: str, term: Term | MentionPair | OtherPairs) -> tuple[str, float, float]:
    return name, term.value, term.rival


def _pair(pair: MentionPair) -> str:
    return f"{_short(pair.arg1.text)} ~ {_short(pair.arg2.text)}"


def _units(value: float) -> int:
    return round(value * _UNIT)


def _figure(units: int) -> str:
    return f"{units / _UNIT:+.4f}"


def _short(text: str) -> str:
    plain = _plain(text)
    return plain if len(plain) <= LONGEST_SENTENCE else plain[: LONGEST_SENTENCE - 1].rstrip() + "…"


def _plain(text: str) -> str:
    """On one line, without what would move a terminal's cursor."""
    return " ".join("".join(one if one.isprintable() else " " for one in text).split())
