"""Pairs that a teacher labels: drawn from text and files, and read back with their votes."""

from __future__ import annotations

import json
import lzma
import random
from pathlib import Path

import pytest

from disco2.bundle import save_bundle
from disco2.corpora.pairs import read_pairs
from tests.encoders import small_encoder
from tools.distil_pairs import PLAIN, QUOTING, SHARES, draw_pairs, label_pairs, neighbours

TEXT = """\
The rain fell all night long. The river rose above its banks. However, nobody in town was hurt.
"Come here," she said to him. The dog ran to the door.
Short. This sentence has enough words in it.
"""


RAIN = {"arg1": "The rain fell all night long.", "arg2": "The river rose above its banks."}
QUOTED = {"arg1": '"Come here," she said to him.', "arg2": "The dog ran to the door."}


def test_neighbours_are_whole_sentences_without_a_connective(tmp_path: Path) -> None:
    file = tmp_path / "books.txt.xz"
    file.write_bytes(lzma.compress(TEXT.encode()))
    assert list(neighbours(file, PLAIN)) == [RAIN]
    assert list(neighbours(file, QUOTING)) == [RAIN, QUOTED]


def test_pairs_of_files_keep_their_label(tmp_path: Path) -> None:
    for name in SHARES:
        (tmp_path / f"{name}.txt.xz").write_bytes(lzma.compress(TEXT.encode()))
    file = tmp_path / "more.jsonl"
    pairs = [{"arg1": f"It rained {n} days.", "arg2": "We left.", "label": "Temporal"} for n in range(9)]
    file.write_text("".join(json.dumps(one) + "\n" for one in pairs), encoding="utf-8")
    count = 2 * sum(SHARES.values())  # for each file one of all pairs and one of the short ones
    drawn = list(draw_pairs(tmp_path, count, [f"{file}:4"], random.Random(1), PLAIN))  # noqa: S311
    assert RAIN in drawn
    assert all(one == RAIN for one in drawn if "label" not in one)
    assert len([one for one in drawn if one in pairs]) == 4


def test_votes_are_the_probabilities_of_all_labels(tmp_path: Path) -> None:
    model = small_encoder()
    save_bundle(model, tmp_path / "teacher")
    pair = {"arg1": "It rained.", "arg2": "We left."}
    (labelled,) = label_pairs([pair], str(tmp_path / "teacher"))
    best = max(labelled["votes"], key=labelled["votes"].get)
    for label, kept in ((best, True), ("Expansion.Manner", False), (f"{best}.Result", False)):
        (found,) = label_pairs([pair | {"label": label}], str(tmp_path / "teacher"))
        assert found["votes"] == labelled["votes"]
        assert found.get("label") == (label if kept else None)
    file = tmp_path / "labelled.jsonl"
    file.write_text(json.dumps(labelled) + "\n", encoding="utf-8")
    (relation,) = read_pairs(file).relations
    assert {label for label, _ in relation.votes} <= set(model.labels)
    assert sum(share for _, share in relation.votes) == pytest.approx(1)
