"""disco2 label: a person labels the pairs that the model is least certain of."""

from __future__ import annotations

import csv
import io
import string
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from disco2.corpora.pairs import JSON_ENDINGS, TABLE_ENDINGS
from disco2.errors import InputError
from disco2.files import check_file_place, write_text
from disco2.inference.pairs import read_pair_lines
from disco2.inference.pipeline import Pipeline
from disco2.inference.prediction import Prediction, RelationChoice, csv_lines
from disco2.interfaces.cli import options
from disco2.interfaces.cli.listing import messages, percent, print_note, print_table, results
from disco2.shipped import DEFAULT

COLUMNS = ["arg1", "arg2", "label", "id", "source"]
SHOWN_SENSES = 5
SKIP, UNDO, QUIT, HELP = "s", "u", "q", "?"
KEYS = [one for one in string.digits[1:] + string.ascii_lowercase if one not in (SKIP, UNDO, QUIT)]


@dataclass(frozen=True)
class Question:
    """A pair to label, with what the model says about it."""

    answer: Prediction
    id: str
    source: str

    @property
    def pair(self) -> tuple[str, str]:
        """The key of a pair; as in the reader of pairs, spaces around the arguments are ignored."""
        return self.answer.arg1.text.strip(), self.answer.arg2.text.strip()


Rows = dict[tuple[str, str], list[str]]  # of the file of labels, by pair


def read_labels(path: Path) -> Rows:
    """The rows of an earlier call; InputError if the file was not written by this command."""
    if not path.exists():
        return {}
    try:
        text = options.read_input(path)
        header, *rows = [row for row in csv.reader(io.StringIO(text, newline=""), strict=True) if row]
    except (ValueError, csv.Error):
        header, rows = [], []
    if header != COLUMNS or any(len(row) != len(COLUMNS) for row in rows):
        hint = "Choose another --output."
        raise InputError("The file exists and was not written by disco2 label.", where=str(path), hint=hint)
    return {(row[0].strip(), row[1].strip()): row for row in rows}


def label(
    file: Annotated[Path, options.file_argument("A text, or pairs as for predict-pairs (.jsonl, .csv).")],
    output: Annotated[Path, options.path_option(help="CSV file of labels; an existing one is continued.")],
    paragraphs: options.Paragraphs = "blank",
    encoding: options.Encoding = "utf-8",
    *,
    pipeline: options.PipelineOptions,
) -> None:
    """Label pairs in the terminal, starting with those that the model is least certain of.

    Each answer is saved at once, and the next call continues. Train on the labels with: disco2 train
    --corpus pairs --path LABELS --from-model en --output FOLDER
    """
    if file == options.STANDARD_INPUT:
        raise InputError("Standard input is for the answers.", hint="Give the path of a file.")
    options.check_not_input(output, file)
    check_file_place(output)
    rows = read_labels(output)
    content = options.read_bytes(file)  # before models are loaded, so that a wrong path is reported at once
    is_text = file.suffix.lower() not in (*JSON_ENDINGS, *TABLE_ENDINGS)
    with pipeline.loaded() as nlp, messages.status("reading"):
        if is_text:
            text = options.read_input(file, encoding=encoding)
            found = list(_ask_about_text(nlp, text, options.document_name(file), paragraphs))
        else:
            found = list(_ask_about_pairs(nlp, content, file))
        labels = nlp.model.labels if is_text else nlp.senses
    questions = sorted({one.pair: one for one in found}.values(), key=lambda one: one.answer.probability)
    if not questions:
        raise InputError(
            "There is no pair to label.", where=str(file), hint="A text needs two neighbouring sentences."
        )
    try:
        ask_questions(questions, labels, rows, output)
    finally:
        left = sum(one.pair not in rows for one in questions)
        results.print(f"{output}: {len(rows)} labels; {left} pairs of {file} left")
    if rows:
        given = f"--corpus pairs --path {output} --from-model {pipeline.model or DEFAULT}"
        print_note(f"to train on them: disco2 train {given} --output FOLDER")


def _ask_about_text(nlp: Pipeline, text: str, name: str, paragraphs: str) -> Iterator[Question]:
    """Neighbouring sentences without a connective at the start of the second one."""
    document = nlp.annotate(text, document_id=name, paragraphs=paragraphs)
    choice = RelationChoice.of(between_only=True, norel=True)
    for one in nlp.find(document, choice, paragraphs=paragraphs):
        if not one.connective:
            yield Question(replace(one, source=None), f"{name}:{one.arg1.start}", name)


def _ask_about_pairs(nlp: Pipeline, content: bytes, file: Path) -> Iterator[Question]:
    lines = list(read_pair_lines(io.BytesIO(content), file))
    for line in lines:
        if line.error:
            print_note(f"{file}:{line.number}: {line.error}")
    usable = [(line, line.pair) for line in lines if line.pair is not None]
    answers = nlp.classify_many((pair.arg1, pair.arg2) for _, pair in usable)
    for (line, _), answer in zip(usable, answers, strict=True):
        name = f"{file.stem}:{line.number}" if line.id is None else str(line.id)
        yield Question(replace(answer, source=None), name, line.source)  # without its layers


def ask_questions(questions: Sequence[Question], labels: Sequence[str], rows: Rows, output: Path) -> None:
    """Ask about each pair that has no label yet, until all are labelled, the user quits or the input ends.

    The file is written again as a whole after each answer.
    """
    keys = dict(zip(labels, KEYS, strict=False))
    label_of = {label.lower(): label for label in labels}  # there may be more labels than keys
    label_of |= {key: label for label, key in keys.items()}
    waiting = [one for one in questions if one.pair not in rows]
    if len(waiting) < len(questions):
        print_note(f"{len(questions) - len(waiting)} of {len(questions)} pairs are labelled already")
    _print_keys(keys)
    place = 0
    while place < len(waiting):
        _print_question(waiting[place], keys, f"{place + 1} of {len(waiting)}")
        results.print("key> ", end="")
        sys.stdout.flush()
        line = sys.stdin.readline() if sys.stdin else ""
        answer = line.strip().lower()
        if not line or answer == QUIT:
            return
        undo = answer == UNDO and place > 0 and answer not in label_of
        if answer in label_of or undo:
            place -= undo
            one = waiting[place]
            rows.pop(one.pair, None)
            if not undo:
                texts = one.answer.arg1.text, one.answer.arg2.text
                rows[one.pair] = [*texts, label_of[answer], one.id, one.source]
                place += 1
            write_text(output, [csv_lines([COLUMNS, *rows.values()])])
        elif answer == SKIP:
            place += 1
        else:
            if answer != HELP:
                messages.print(f"'{answer}' is none of these keys.")
            _print_keys(keys)


def _print_keys(keys: dict[str, str]) -> None:
    commands = {"skip": SKIP, "undo": UNDO, "quit": QUIT, "show these keys": HELP}
    print_table("", ["key", ""], [[key, name] for name, key in (keys | commands).items()], texts=2)


def _print_question(question: Question, keys: dict[str, str], place: str) -> None:
    results.print()
    results.print(place, style="dim")
    for argument in (question.answer.arg1, question.answer.arg2):
        results.print(f"  {' '.join(argument.text.split())}", style="bold")
    for name, probability in question.answer.top(SHOWN_SENSES):
        results.print(f"    {keys.get(name, ' ')}  {name} {percent(probability)}%")
