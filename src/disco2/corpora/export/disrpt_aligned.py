"""Predictions on a DISRPT corpus: its own tables, line by line, with the label column filled anew.

The evaluation reads gold and predicted tables side by side, so that the rows, their order and all other
columns must be those of the gold table.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from disco2.corpora.export.disrpt_labels import LABELS_2025, label_like
from disco2.corpora.export.exported import Exported
from disco2.corpora.reading import lines_of, read_text
from disco2.errors import CorpusError
from disco2.files import folder_in_place, write_text
from disco2.records import Corpus, Dirt, Relation

LABEL = "label"
NO_ANSWER = "_"
ONLY_IN_2025 = "u1_raw"  # a column, for tables whose labels are hidden


def write_aligned(
    corpus: Corpus, relations: Sequence[Relation], labels: Sequence[str], path: Path
) -> Exported:
    """Write a table for each of the corpus's that holds one of the relations.

    One table is written to ``path``; several into a folder of that name, called as they are. A row that the
    reader could not use gets ``_``, which counts as wrong. Raises CorpusError where another row has no label.
    """
    answers = dict(zip((relation.where for relation in relations), labels, strict=True))
    expected = {relation.where for relation in corpus.relations}
    files = list(dict.fromkeys(where.rpartition(":")[0] for where in answers))
    if not files:
        raise CorpusError("There is no relation to write.", where=str(path))
    tables = [_Table(Path(file)) for file in files]
    spelling = _Spelling(tables)
    written = {table.file: table.filled(answers, expected, spelling) for table in tables}
    if len(tables) == 1:
        write_text(path, written[tables[0].file])
        places: tuple[Path, ...] = (path,)
    else:
        places = _write_folder(path, written)
    notes = []
    if unread := sum(table.unread for table in tables):
        notes.append(f"{unread} rows could not be read and have '{NO_ANSWER}' for a label")
    if spelling.unknown:
        notes.append(
            f"not among the labels of the tables, written as they are: {', '.join(sorted(spelling.unknown))}"
        )
    return Exported(places, len(answers), tuple(notes))


class _Table:
    """A ``.rels`` file as it stands."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.unread = 0
        self.lines = lines_of(read_text(file, dirt=Dirt()))
        self.header = [name.strip() for name in self.lines[0].split("\t")] if self.lines else []
        if LABEL not in self.header:
            raise CorpusError("The table has no label column any more.", where=str(file))
        self._column = self.header.index(LABEL)

    @property
    def labels(self) -> set[str]:
        rows = (line.split("\t") for line in self.lines[1:])
        return {row[self._column] for row in rows if len(row) == len(self.header)} - {"", NO_ANSWER}

    def filled(self, answers: Mapping[str, str], expected: set[str], spelling: _Spelling) -> list[str]:
        lines = [self.lines[0] + "\n"]
        missing = []
        for number, line in enumerate(self.lines[1:], start=2):
            where = f"{self.file}:{number}"
            cells = line.split("\t")
            column = self._column if len(cells) == len(self.header) else -1
            if where in answers:
                cells[column] = spelling.of(answers[where])
            elif where in expected:
                missing.append(number)
            elif line.strip():
                self.unread += 1
                cells[column] = NO_ANSWER
            lines.append("\t".join(cells) + "\n")
        if missing:
            raise CorpusError(
                f"{len(missing)} rows have no prediction, such as line {missing[0]}: "
                "the shared task wants a label for every row of a table.",
                where=str(self.file),
                hint="Label all relations of the table, whatever their kind; a protocol that cuts tables in "
                "pieces, such as folds over documents, has none that fits.",
            )
        return lines


@dataclass
class _Spelling:
    """Labels as the tables at hand spell them."""

    tables: Sequence[_Table]
    unknown: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._vocabulary = set().union(*(table.labels for table in self.tables))
        self._of_2025 = (
            self._vocabulary <= LABELS_2025
            if self._vocabulary
            else any(ONLY_IN_2025 in table.header for table in self.tables)
        )

    def of(self, label: str) -> str:
        found = label_like(label, self._vocabulary, of_2025=self._of_2025)
        if found is None:
            self.unknown.add(label)
        return found or label


def _write_folder(path: Path, written: Mapping[Path, list[str]]) -> tuple[Path, ...]:
    root = os.path.commonpath([file.absolute().parent for file in written])
    names = {file: file.absolute().relative_to(root) for file in written}
    with folder_in_place(path) as fresh:
        for file, lines in written.items():
            write_text(fresh / names[file], lines)
    return tuple(path / name for name in names.values())
