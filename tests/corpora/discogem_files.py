"""A made-up DiscoGeM in the files of the published one."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

NARROW = "DiscoGeMcorpus_annotations_nonwide.csv"
WIDE = "DiscoGeMcorpus_annotations_wide.csv"
PARTS = "DiscoGeMcorpus_datasplits.csv"
QUESTIONS = "QADiscourse_annotations/novel_qa_wide.tsv"
NARROW_HEADER = ("Relation", "Genre", "Datasource", "Itemid", "SemClass", "Arg1_RawText", "Arg2_RawText")
WIDE_HEADER = (
    *("itemid", "datasource", "genre", "majority_softlabel", "majoritylabel_sampled", "arg1", "arg2"),
    *("arg1_singlesentence", "arg2_singlesentence"),
)
TALE = (
    "The miller closed the old gate behind the last cart of the evening.",
    "Nobody in the village had seen the boy since the great market day.",
    "His mother searched the woods with a lamp until the morning came.",
    "She found nothing but one small shoe beside the frozen pond.",
    "The neighbours said that wolves had come down from the hills.",
    "The priest rang the bell to call everyone into the church.",
)
LABELS = ("result", "arg2-as-detail", "conjunction", "reason", "contrast")


def items(tales: int, *, labels: Sequence[str] = LABELS) -> list[tuple[str, ...]]:
    """Neighbouring items of each tale: one sentence of context, then arg1; arg2, then one of context."""
    rows = []
    for tale in range(tales):
        said = [sentence.replace("the", f"the {_NAMES[tale % 26]}{tale}", 1) for sentence in TALE]
        for place in range(1, len(said) - 2):
            label = labels[(tale + place) % len(labels)]
            context = " ".join(said[place - 1 : place + 1]), " ".join(said[place + 1 : place + 3])
            item = f"tale{tale:02}_item_{place}"
            rows.append(("implicit ", "novel", f"tale{tale:02}", item, label, *context))
    return rows


def write_discogem(folder: Path, tales: int = 12, *, rows: Iterable[Sequence[str]] | None = None) -> Path:
    """Writes the items and their official parts, which mix the items of one tale."""
    rows = list(items(tales) if rows is None else rows)
    write_table(folder / NARROW, [NARROW_HEADER, *rows])
    splits = ["train", "dev", "test"]
    parts = [(row[3], row[2], "novel", splits[number % 3]) for number, row in enumerate(rows)]
    write_table(folder / PARTS, [("itemid", "datasource", "genre", "split"), *parts])
    return folder


def write_questions(folder: Path, votes: Iterable[tuple[str, str]]) -> None:
    write_table(folder / QUESTIONS, [("itemid", "majority_softlabel"), *votes], delimiter="\t")


def write_table(file: Path, rows: Iterable[Sequence[str]], *, delimiter: str = ",") -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", newline="", encoding="utf-8-sig") as stream:
        csv.writer(stream, delimiter=delimiter).writerows(rows)


_NAMES = [f"{letter}orn" for letter in "abcdefghijklmnopqrstuvwxyz"]
