from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from disco2.corpora.catalogue import read_corpus
from disco2.corpora.disrpt import read_disrpt
from disco2.corpora.tasks import LIN_EXCLUDED, LIN_TYPES, PDTB3_TYPES
from disco2.corpora.writing import LABELS_2025, export_predictions, label_2025
from disco2.data import RelationKind
from disco2.data.senses import inventory
from disco2.errors import CorpusError, InputError, SettingsError
from tests.corpora.export import disrpt_rules
from tests.corpora.export.disrpt_rules import accuracy, complaints, misaligned
from tests.corpora.made_up import corpus, relation
from tests.corpora.miniature import documents, write_pdtb3, write_trees
from tests.corpora.miniature_more_scenes import ALL_SCENES
from tests.corpora.test_disrpt import CONLLU, HEADER_2023, HEADER_2025, HEADER_GUM, row, write

KINDS = {
    "explicit": "comparison.contrast",
    "implicit": "contingency.cause.reason",
    "altlex": "expansion.conjunction",
}


def rows(header: str, labels: dict[str, str]) -> list[str]:
    return [row(header, rel_type=kind, orig_label=KINDS[kind], label=labels[kind]) for kind in KINDS]


IN_GUM = {
    "explicit": "comparison.contrast",
    "implicit": "contingency.cause",
    "altlex": "expansion.conjunction",
}
IN_2023 = {kind: ".".join(map(str.capitalize, label.split("."))) for kind, label in IN_GUM.items()}
IN_2025 = {"explicit": "contrast", "implicit": "causal", "altlex": "conjunction"}
SENSES = ("Comparison.Contrast", "Contingency.Cause", "Expansion.Conjunction")


@pytest.mark.parametrize(
    ("header", "labels"), [(HEADER_GUM, IN_GUM), (HEADER_2023, IN_2023), (HEADER_2025, IN_2025)]
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_table_comes_back_with_other_labels(
    tmp_path: Path, header: str, labels: dict[str, str], end: str
) -> None:
    folder = write(tmp_path / "gold", header, rows(header, labels), end=end)
    found = read_disrpt(folder)
    exported = export_predictions(found, found.relations, SENSES, tmp_path / "out.rels", "disrpt")
    gold = (folder / "x.pdtb.y_train.rels").read_text()
    predicted = (tmp_path / "out.rels").read_text()
    assert misaligned(gold, predicted) == []
    assert accuracy(gold, predicted) == 1.0
    assert (exported.relations, exported.notes) == (3, ())

    export_predictions(found, found.relations, [SENSES[0], *SENSES[:2]], tmp_path / "out.rels", "disrpt")
    predicted = (tmp_path / "out.rels").read_text()
    assert misaligned(gold, predicted) == []
    assert accuracy(gold, predicted) == pytest.approx(1 / 3)


def test_hidden_labels_of_2025_are_filled_in_its_terms(tmp_path: Path) -> None:
    hidden = dict.fromkeys(KINDS, "_")
    lines = [line.replace("expansion.conjunction", "_") for line in rows(HEADER_2025, hidden)]
    found = read_disrpt(write(tmp_path / "gold", HEADER_2025, lines))
    export_predictions(found, found.relations, SENSES, tmp_path / "out.rels", "disrpt")
    labels = [line.split("\t")[-1] for line in (tmp_path / "out.rels").read_text().splitlines()]
    assert labels == ["label", "contrast", "causal", "conjunction"]


def test_a_label_that_the_table_does_not_know_is_written_as_it_is_with_a_note(tmp_path: Path) -> None:
    found = read_disrpt(write(tmp_path / "gold", HEADER_GUM, rows(HEADER_GUM, IN_GUM)))
    exported = export_predictions(
        found, found.relations, [*SENSES[:2], "EntRel"], tmp_path / "out.rels", "disrpt"
    )
    assert (tmp_path / "out.rels").read_text().endswith("\tEntRel\n")
    assert "written as they are: EntRel" in exported.notes[0]


def test_a_row_that_was_not_read_has_no_answer(tmp_path: Path) -> None:
    lines = rows(HEADER_GUM, IN_GUM)
    lines[1] = lines[1].replace("5-7", "5-700")
    folder = write(tmp_path / "gold", HEADER_GUM, lines)
    found = read_disrpt(folder)
    exported = export_predictions(
        found, found.relations, [SENSES[0], SENSES[2]], tmp_path / "out.rels", "disrpt"
    )
    gold, predicted = (folder / "x.pdtb.y_train.rels").read_text(), (tmp_path / "out.rels").read_text()
    assert misaligned(gold, predicted) == []
    assert accuracy(gold, predicted) == pytest.approx(2 / 3)
    assert predicted.splitlines()[2].endswith("\t_")
    assert exported.notes == ("1 rows could not be read and have '_' for a label",)


def test_rows_without_a_prediction_are_refused(tmp_path: Path) -> None:
    found = read_disrpt(write(tmp_path / "gold", HEADER_GUM, rows(HEADER_GUM, IN_GUM)))
    implicit = [one for one in found.relations if one.kind is RelationKind.IMPLICIT]
    with pytest.raises(CorpusError, match="2 rows have no prediction, such as line 2") as caught:
        export_predictions(found, implicit, [SENSES[1]], tmp_path / "out.rels", "disrpt")
    assert "of every kind" in caught.value.hint
    with pytest.raises(CorpusError, match="no relation"):
        export_predictions(found, [], [], tmp_path / "out.rels", "disrpt")
    assert not (tmp_path / "out.rels").exists()


def test_several_tables_become_a_folder_of_tables(tmp_path: Path) -> None:
    gold = tmp_path / "gold"
    for name, kind in (("one/a_test", "explicit"), ("two/a_test", "implicit")):
        file = gold / f"{name}.rels"
        file.parent.mkdir(parents=True)
        line = row(HEADER_GUM, rel_type=kind, orig_label=KINDS[kind], label=IN_GUM[kind])
        text = CONLLU if kind == "explicit" else CONLLU.replace("story_a", "story_c")
        line = line if kind == "explicit" else line.replace("story_a", "story_c")
        file.write_text("\n".join(["\t".join(HEADER_GUM.split()), line, ""]))
        file.with_suffix(".conllu").write_text(text)
    found = read_disrpt(gold)
    exported = export_predictions(found, found.relations, SENSES[:2], tmp_path / "out", "disrpt")
    assert exported.files == tuple(tmp_path / "out" / name for name in ("one/a_test.rels", "two/a_test.rels"))
    for file in exported.files:
        original = (gold / file.relative_to(tmp_path / "out")).read_text()
        assert file.read_text() == original
    with pytest.raises(InputError, match="its own: one, two"):
        export_predictions(found, found.relations, SENSES[:2], tmp_path / "out", "disrpt")


def test_a_corpus_is_not_overwritten(tmp_path: Path) -> None:
    folder = write(tmp_path, HEADER_GUM, rows(HEADER_GUM, IN_GUM))
    found = read_disrpt(folder)
    with pytest.raises(SettingsError, match="overwrite"):
        export_predictions(found, found.relations, SENSES, folder / "x.pdtb.y_train.rels", "disrpt")


def test_automatic_tokens_do_not_matter_where_the_table_has_its_own(tmp_path: Path) -> None:
    found = replace(
        read_disrpt(write(tmp_path / "gold", HEADER_GUM, rows(HEADER_GUM, IN_GUM))), automatic=("tokens",)
    )
    assert export_predictions(found, found.relations, SENSES, tmp_path / "o.rels", "disrpt").relations == 3


def test_another_corpus_becomes_a_table_that_the_validator_accepts(tmp_path: Path) -> None:
    docs = documents([23], files=(3,), scenes=ALL_SCENES)
    found = read_corpus(
        "pdtb3", write_pdtb3(tmp_path / "pdtb3", docs), trees=write_trees(tmp_path / "trees", docs)
    )
    labels = [PDTB3_TYPES[number % len(PDTB3_TYPES)] for number in range(len(found.relations))]
    exported = export_predictions(found, found.relations, labels, tmp_path / "out.rels", "disrpt")
    text = (tmp_path / "out.rels").read_text(encoding="utf-8")
    assert complaints(text) == []
    assert exported.relations == len(found.relations) - 1
    assert exported.notes == ("1 relations are NoRel, which the shared task does not have: left out",)

    table = [
        dict(zip(disrpt_rules.HEADER_2025.split("\t"), line.split("\t"), strict=True))
        for line in text.splitlines()[1:]
    ]
    kept = [one for one in found.relations if one.kind is not RelationKind.NOREL]
    for cells, one in zip(table, kept, strict=True):
        units = [_tokens(cells[f"unit{number}_toks"]) for number in (1, 2)]
        assert sorted((one.arg1.tokens, one.arg2.tokens)) == units
        assert cells["dir"] == ("1<2" if units[0] == one.arg1.tokens else "1>2")
        words = found.documents[one.document].words(units[0])
        assert cells["unit1_txt"].replace(" <*>", "").split() == words
        assert "".join(cells["u1_raw"].replace("<*>", "").split()) == "".join(words)
        sentence = _tokens(cells["s1_toks"])
        assert set(units[0]) <= set(sentence)
        assert cells["unit1_sent"].split() == found.documents[one.document].words(sentence)
    assert {cells["dir"] for cells in table} == {"1<2", "1>2"}
    assert any("<*>" in cells["unit1_txt"] for cells in table)
    assert {cells["rel_type"] for cells in table} == {"implicit", "explicit", "altlex", "entrel"}


def test_a_table_reads_back(tmp_path: Path) -> None:
    """With the miniature's own tokens beside it, the relations are the same."""
    docs = documents([23], files=(3,), scenes=ALL_SCENES)
    found = read_corpus(
        "pdtb3", write_pdtb3(tmp_path / "pdtb3", docs), trees=write_trees(tmp_path / "trees", docs)
    )
    kept = [one for one in found.relations if one.kind is not RelationKind.NOREL]
    export_predictions(found, kept, ["Expansion.Conjunction"] * len(kept), tmp_path / "t.rels", "disrpt")
    lines = []
    for document in found.documents.values():
        lines.append(f"# newdoc id = {document.id}")
        for sentence in document.sentences:
            for number, token in enumerate(document.tokens[sentence.start : sentence.end], start=1):
                lines.append(f"{number}\t{token.text}\t_\tX\tX\t_\t{number - 1}\tdep\t_\t_")
            lines.append("")
    (tmp_path / "t.conllu").write_text("\n".join(lines), encoding="utf-8")
    back = read_disrpt(tmp_path / "t.rels")
    assert [one.kind for one in back.relations] == [one.kind for one in kept]
    assert [{one.arg1.tokens, one.arg2.tokens} for one in back.relations] == [
        {one.arg1.tokens, one.arg2.tokens} for one in kept
    ]
    assert [one.senses for one in back.relations] == [one.senses for one in kept]
    assert not {"argument differs from its text"} & set(back.issues.counts())


def test_odd_relations_are_left_out_with_a_note(tmp_path: Path) -> None:
    twice = relation("a", 1, ["Contingency.Cause.Reason"])
    found = corpus([twice, twice, relation("a", 2, ["Contingency.Cause.Reason"], arg2=(0, 4))])
    exported = export_predictions(found, found.relations, ["Other"] * 3, tmp_path / "out", "disrpt")
    assert exported.relations == 1
    text = " ".join(exported.notes)
    assert all(piece in text for piece in ("repeat a line", "same token", "as they are: Other"))


def test_every_usual_label_has_one_of_2025() -> None:
    assert LABELS_2025 == disrpt_rules.LABELS_2025
    for sense in (*LIN_TYPES, *LIN_EXCLUDED, *PDTB3_TYPES):
        assert label_2025(sense) in LABELS_2025, sense
    for name in ("pdtb2", "pdtb3", "gdtb"):
        for sense in inventory(name).senses:
            assert "." not in sense or label_2025(sense) in LABELS_2025, sense
    assert label_2025("Contingency") is None
    assert label_2025("Contingency.Cause.Reason") == "causal"


def _tokens(ranges: str) -> tuple[int, ...]:
    found: list[int] = []
    for piece in ranges.split(","):
        first, _, last = piece.partition("-")
        found += range(int(first) - 1, int(last or first))
    return tuple(found)
