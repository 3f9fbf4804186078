"""What DISRPT's evaluations and its validator ask of a table of relations.

Written anew from their rules (disrpt/sharedtask2023: rel_eval.py; disrpt/sharedtask2025:
disrpt_eval_2024.py, validate_repo.py), so that the export is held against something that shares no line
with it.
"""

from __future__ import annotations

import re

HEADER_2025 = (
    "doc\tunit1_toks\tunit2_toks\tunit1_txt\tunit2_txt\tu1_raw\tu2_raw\ts1_toks\ts2_toks\tunit1_sent"
    "\tunit2_sent\tdir\trel_type\torig_label\tlabel"
)
LABELS_2025 = {
    *("alternation", "attribution", "causal", "comment", "concession", "condition", "conjunction"),
    *("contrast", "elaboration", "explanation", "frame", "mode", "organization", "purpose", "query"),
    *("reformulation", "temporal"),
}
KINDS = {"explicit", "implicit", "unknown", "altlex", "altlexc", "entrel", "hypophora"}


def complaints(text: str) -> list[str]:
    """What validate_repo.test_rels would report about a table of 2025."""
    lines = text.strip().split("\n")
    found = [] if lines[0] == HEADER_2025 else ["the header"]  # disrpt_eval_2024 asserts this one
    kinds = set()
    for number, line in enumerate(lines[1:], start=2):
        cells = line.split("\t")
        if line in lines[1 : number - 1]:
            found.append(f"{number}: a duplicate")
        if len(cells) != 15 or not all(cell.strip() for cell in cells):
            found.append(f"{number}: {len(cells)} columns, or an empty one")
            continue
        if cells[-1] not in LABELS_2025:
            found.append(f"{number}: label {cells[-1]}")
        first, second = (int(re.match(r"\d+", cell)[0]) for cell in cells[1:3])  # type: ignore[index]
        if first >= second:
            found.append(f"{number}: units {cells[1]} and {cells[2]}")
        kinds.add(cells[-3])
    if len(kinds) > 2:
        found += [f"kind {kind}" for kind in kinds - KINDS]
    elif kinds not in ({"unknown"}, {"explicit"}, {"explicit", "implicit"}):
        found.append(f"kinds {sorted(kinds)}")
    return found


def misaligned(gold: str, predicted: str) -> list[str]:
    """Where a predicted table is not the gold one's: rel_eval and disrpt_eval_2024 read them side by side."""
    ours, theirs = predicted.strip().split("\n"), gold.strip().replace("\r", "").split("\n")
    if len(ours) != len(theirs):
        return [f"{len(theirs)} and {len(ours)} lines"]
    found = [] if ours[0] == theirs[0] else ["the header"]
    for number, (one, other) in enumerate(zip(theirs[1:], ours[1:], strict=True), start=2):
        if one.split("\t")[:-1] != other.split("\t")[:-1]:  # the units, and here all but the label
            found.append(f"{number}: other columns")
    return found


def accuracy(gold: str, predicted: str) -> float:
    """The share of equal last columns, as both scripts count it."""
    columns = [[line.split("\t")[-1] for line in text.strip().split("\n")[1:]] for text in (gold, predicted)]
    return sum(one == other for one, other in zip(*columns, strict=True)) / len(columns[0])
