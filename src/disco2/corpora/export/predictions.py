"""Predictions in the forms of the shared tasks: CoNLL-16 and DISRPT."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from disco2.corpora.export.conll16 import write_conll16_predictions
from disco2.corpora.export.disrpt_aligned import write_aligned
from disco2.corpora.export.disrpt_table import write_table
from disco2.corpora.export.exported import Exported
from disco2.errors import SettingsError
from disco2.records import Corpus, Relation

FORMS = ("conll16", "disrpt")

# Outcomes of running text that are no label in a form: a system that can choose should choose another.
NO_LABELS = {"conll16": frozenset({"NoRel"}), "disrpt": frozenset({"NoRel", "EntRel"})}


def export_predictions(
    corpus: Corpus, relations: Sequence[Relation], labels: Sequence[str], path: Path, form: str
) -> Exported:
    """Write the labels that a system gave to relations of a corpus, ``labels[i]`` to ``relations[i]``.

    ``conll16`` is the sense classification task's output, one JSON object a line. ``disrpt`` is a ``.rels``
    table; where the corpus was itself read from such tables it is theirs, line by line, with another label
    column, and every relation of a table must then have a label.
    """
    if form not in FORMS:
        raise SettingsError(f"There is no form '{form}' of predictions.", hint=f"Known: {', '.join(FORMS)}.")
    if len(relations) != len(labels):
        raise SettingsError(f"{len(labels)} labels for {len(relations)} relations.")
    sources = {relation.where.rpartition(":")[0] for relation in corpus.relations}
    if os.path.realpath(path) in {os.path.realpath(source) for source in sources if source}:
        raise SettingsError(
            "The predictions would overwrite the corpus.", where=str(path), hint="Choose another file."
        )
    if form == "disrpt" and corpus.name == "disrpt":
        return write_aligned(corpus, relations, labels, path)
    if "tokens" in corpus.automatic:
        raise SettingsError(
            f"Predictions in the form '{form}' count the corpus's own tokens, and these are automatic.",
            hint="Leave tokens out of --automatic.",
        )
    if form == "conll16":
        return write_conll16_predictions(relations, labels, path)
    return write_table(corpus, relations, labels, path)
