"""What the CoNLL-16 shared task's validator, scorer and supplementary evaluation ask of a system's output.

Written anew from their rules (attapol/conll16st: validator.py, scorer.py, tira_sup_eval.py), so that the
export is held against something that shares no line with it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

TYPES = {"Explicit", "Implicit", "AltLex", "EntRel"}  # NoRel is known and refused (check_type)
SENSES = {
    *("Temporal.Asynchronous.Precedence", "Temporal.Asynchronous.Succession", "Temporal.Synchrony"),
    *("Contingency.Cause.Reason", "Contingency.Cause.Result", "Contingency.Condition"),
    *("Comparison.Contrast", "Comparison.Concession", "Expansion.Conjunction", "Expansion.Instantiation"),
    *("Expansion.Restatement", "Expansion.Alternative", "Expansion.Alternative.Chosen alternative"),
    *("Expansion.Exception", "EntRel"),
}


def complaints(text: str) -> list[str]:
    """What validator.py would complain about, line by line."""
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            record = json.loads(line)  # validate_file: every line is JSON
        except ValueError:
            found.append(f"{number}: not JSON")
            continue
        if record.get("Type") not in TYPES:  # check_type: required, of the known types, not NoRel
            found.append(f"{number}: type {record.get('Type')}")
        senses = record.get("Sense")
        if not isinstance(senses, list) or len(senses) != 1:  # check_sense: a list of one element
            found.append(f"{number}: sense {senses}")
        elif senses[0] not in SENSES:  # check_sense: of the language's inventory
            found.append(f"{number}: sense {senses[0]}")
        for part in ("Arg1", "Arg2", "Connective"):  # check_args, check_connective, check_span
            span = record.get(part)
            if not isinstance(span, dict) or not isinstance(span.get("TokenList"), list):
                found.append(f"{number}: {part}")
            # The scorer compares the list with the third numbers of gold addresses, and puts it in a set.
            elif any(type(token) is not int for token in span["TokenList"]):
                found.append(f"{number}: tokens of {part}")
        if not isinstance(record.get("DocID"), str):  # the scorer matches arguments within a document
            found.append(f"{number}: DocID")
    return found


def supplementary_complaints(
    gold: Sequence[dict[str, Any]], predicted: Sequence[dict[str, Any]]
) -> list[str]:
    """What tira_sup_eval.py stops for: another number of relations, or other IDs."""
    if len(gold) != len(predicted):
        return [f"{len(gold)} and {len(predicted)} relations"]
    both = zip(by_identity(gold), by_identity(predicted), strict=True)
    return [f"ID {one['ID']!r} is {other['ID']!r}" for one, other in both if one["ID"] != other["ID"]]


def by_identity(records: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(records, key=lambda record: record["ID"])


def correct(gold: Sequence[dict[str, Any]], predicted: Sequence[dict[str, Any]]) -> int:
    """scorer.evaluate_relation: matched by document and both arguments, right if among the gold senses.

    An explicit relation also needs the connective's tokens.
    """
    given = {_place(record, address=False): record for record in predicted}
    found = 0
    for record in gold:
        match = given.get(_place(record, address=True))
        if match is None:
            continue
        connective = [address[2] for address in record["Connective"]["TokenList"]]
        same = record["Type"] != "Explicit" or connective == match["Connective"]["TokenList"]
        found += same and match["Sense"][0] in record["Sense"]
    return found


def _place(record: dict[str, Any], *, address: bool) -> tuple[Any, ...]:
    lists = (record[part]["TokenList"] for part in ("Arg1", "Arg2"))
    return record["DocID"], *(tuple(item[2] if address else item for item in tokens) for tokens in lists)
