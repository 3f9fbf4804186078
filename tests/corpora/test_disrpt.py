from __future__ import annotations

from pathlib import Path

import pytest

from disco2.corpora.disrpt import read_disrpt
from disco2.data import Corpus, Dependencies, RelationKind
from disco2.errors import CorpusError
from tests.fuzzing.target import limits

HEADER_2023 = (
    "doc unit1_toks unit2_toks unit1_txt unit2_txt s1_toks s2_toks unit1_sent unit2_sent dir orig_label label"
)
HEADER_2025 = (
    "doc unit1_toks unit2_toks unit1_txt unit2_txt u1_raw u2_raw s1_toks s2_toks unit1_sent unit2_sent dir"
    " rel_type orig_label label"
)
HEADER_GUM = HEADER_2025.replace(" u1_raw u2_raw", "")

CONLLU = """\
# newdoc id = story_a
# sent_id = 1
1\tOwls\towl\tNOUN\tNNS\t_\t3\tnsubj\t_\t_
2-3\tdidn't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
2\tdid\tdo\tAUX\tVBD\t_\t3\taux\t_\t_
3\tn't\tnot\tPART\tRB\t_\t0\troot\t_\t_
4\t.\t.\tPUNCT\t.\t_\t3\tpunct\t_\t_

# sent_id = 2
1\tThey\tthey\tPRON\tPRP\t_\t2\tnsubj\t_\t_
2\tslept\tsleep\tVERB\tVBD\t_\t0\troot\t_\tSpaceAfter=No
3\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_

# newdoc id = story_b
# sent_id = 3
1\tRain\train\tNOUN\tNN\t_\t2\tnsubj\t_\t_
2\tfell\tfall\tVERB\tVBD\t_\t0\troot\t_\t_
"""


def row(header: str, **cells: str) -> str:
    standard = {"doc": "story_a", "unit1_toks": "1-4", "unit2_toks": "5-7", "dir": "1<2"}
    standard |= {
        "rel_type": "implicit",
        "label": "contingency.cause",
        "orig_label": "contingency.cause.result",
    }
    return "\t".join({**standard, **cells}.get(name, "_") for name in header.split())


def write(
    folder: Path, header: str, rows: list[str], *, name: str = "x.pdtb.y_train", end: str = "\n"
) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.rels").write_text(end.join(["\t".join(header.split()), *rows]), newline="")
    (folder / f"{name}.conllu").write_text(CONLLU.replace("\n", end), newline="")
    return folder


def read(folder: Path, header: str, *rows: str) -> Corpus:
    return read_disrpt(write(folder, header, list(rows)))


@pytest.mark.parametrize("header", [HEADER_GUM, HEADER_2025])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_relations_tokens_and_dependencies(tmp_path: Path, header: str, end: str) -> None:
    texts = {"unit1_txt": "Owls <*> n't .", "unit2_txt": "they slept ."}
    rows = [
        row(header, unit1_toks="1,3-4", **texts),
        row(header, doc="story_b", unit1_toks="1", unit2_toks="2"),
    ]
    corpus = read_disrpt(write(tmp_path, header, rows, end=end))
    first, second = corpus.relations
    document = corpus.documents["story_a"]
    assert document.text == "Owls didn't. They slept."
    assert first.arg1.tokens == (0, 2, 3)
    assert first.arg1.text == "Owls n't."
    assert first.arg2.tokens == (4, 5, 6)
    assert (first.kind, first.senses) == (RelationKind.IMPLICIT, ("Contingency.Cause.Result",))
    assert second.arg2.text == "fell"
    assert document.sentences[1].dependencies == Dependencies((1, -1, 1), ("nsubj", "root", "punct"))
    assert [token.tag for token in document.tokens[:3]] == ["NNS", "VBD", "RB"]
    assert all(token.text == document.text[token.start : token.end] for token in document.tokens)
    assert corpus.parts == {"story_a": "train", "story_b": "train"}
    assert (corpus.inventory, corpus.issues.findings) == ("gdtb", [])


def test_2023_does_not_say_the_kind(tmp_path: Path) -> None:
    rows = [row(HEADER_2023), row(HEADER_2023, orig_label="Hypophora", label="Hypophora")]
    corpus = read(tmp_path, HEADER_2023, *rows)
    assert [relation.kind for relation in corpus.relations] == [RelationKind.IMPLICIT, RelationKind.HYPOPHORA]
    assert "1 relations don't say their kind and were read as Implicit." in corpus.notes


def test_kinds_are_read_in_lower_case(tmp_path: Path) -> None:
    rows = [row(HEADER_GUM, rel_type=kind) for kind in ("explicit", "altlexc", "entrel", "weird")]
    corpus = read(tmp_path, HEADER_GUM, *rows)
    assert [relation.kind for relation in corpus.relations] == [
        RelationKind.EXPLICIT,
        RelationKind.ALTLEXC,
        RelationKind.ENTREL,
        RelationKind.IMPLICIT,
    ]
    assert corpus.issues.counts() == {"sense of a kind without": 1}


@pytest.mark.parametrize(
    ("orig", "label", "senses", "kinds_of_issues"),
    [
        ("Contingency.Cause.Reason", "causal", ("Contingency.Cause.Reason",), []),
        (
            "contingency.cause.reason;expansion.level-of-detail.arg2-as-detail",
            "explanation",
            ("Contingency.Cause.Reason", "Expansion.Level-of-detail.Arg2-as-detail"),
            [],
        ),
        ("cmparison.concession", "concession", ("Comparison.Concession",), []),
        ("something own", "comparison.contrast", ("Comparison.Contrast",), []),
        ("something own", "own", (), ["unknown sense"]),
        ("", "", (), []),
        ("hypophora", "query", (), []),
    ],
)
def test_senses_come_from_the_original_label(
    tmp_path: Path, orig: str, label: str, senses: tuple[str, ...], kinds_of_issues: list[str]
) -> None:
    others = [row(HEADER_GUM)] * 3
    corpus = read(tmp_path, HEADER_GUM, row(HEADER_GUM, orig_label=orig, label=label), *others)
    assert corpus.relations[0].senses == senses
    assert list(corpus.issues.counts()) == kinds_of_issues


def test_other_frameworks_keep_their_labels(tmp_path: Path) -> None:
    rows = [row(HEADER_2025, rel_type="_", orig_label="elab-add", label="elaboration")] * 2
    corpus = read(tmp_path, HEADER_2025, *rows, row(HEADER_2025))
    assert corpus.inventory == "free"
    assert [relation.senses for relation in corpus.relations] == [("elaboration",)] * 2 + [
        ("contingency.cause",)
    ]


def test_faulty_lines_are_named_and_survived(tmp_path: Path) -> None:
    rows = [
        row(HEADER_GUM),
        row(HEADER_GUM) + "\tmore",
        row(HEADER_GUM, doc="story_z"),
        row(HEADER_GUM, unit1_toks="1-99"),
        row(HEADER_GUM, unit1_toks="3-1"),
        row(HEADER_GUM, unit2_toks="_"),
        row(HEADER_GUM, unit2_toks="five"),
        row(HEADER_GUM, unit2_toks="0"),
        "",
        row(HEADER_GUM, unit1_txt="Owls did sing ."),
        row(HEADER_GUM)[:30],
    ]
    corpus = read(tmp_path, HEADER_GUM, *rows)
    assert len(corpus.relations) == 2
    found = [(finding.kind, finding.where.rpartition(":")[2]) for finding in corpus.issues.findings]
    assert found == [
        ("wrong number of columns", "3"),
        ("wrong number of columns", "12"),
        *[("bad relation", str(line)) for line in range(4, 10)],
        ("argument differs from its text", "11"),
    ]


def test_units_that_repeat_a_long_document_beyond_measure_are_skipped(tmp_path: Path) -> None:
    words = 40_000
    folder = write(tmp_path, HEADER_GUM, [row(HEADER_GUM, unit1_toks=f"1-{words}")] * 2_000)
    lines = (f"{number}\tso\t_\tX\tX\t_\t_\t_\t_\t_" for number in range(1, words + 1))
    (folder / "x.pdtb.y_train.conllu").write_text("# newdoc id = story_a\n" + "\n".join(lines))
    with limits(1_000_000):
        corpus = read_disrpt(folder)
    assert 90 < len(corpus.relations) < 110
    assert corpus.issues.counts() == {"bad relation": 2_000 - len(corpus.relations)}


def test_tokens_may_lie_in_another_folder_or_in_one_file(tmp_path: Path) -> None:
    folder = write(tmp_path / "rels", HEADER_GUM, [row(HEADER_GUM)], name="story_a")
    (tmp_path / "dep").mkdir()
    (folder / "story_a.conllu").rename(tmp_path / "dep" / "story_a.conllu")
    with pytest.raises(CorpusError, match=r"no story_a\.conllu"):
        read_disrpt(folder)
    whole = read_disrpt(folder, dependencies=tmp_path / "dep")
    assert whole.relations == read_disrpt(folder, dependencies=tmp_path / "dep" / "story_a.conllu").relations
    assert whole.relations == read_disrpt(folder / "story_a.rels", dependencies=tmp_path / "dep").relations
    assert whole.parts == {}


def test_a_file_without_names_of_documents_holds_the_one_of_its_relations(tmp_path: Path) -> None:
    folder = write(tmp_path, HEADER_GUM, [row(HEADER_GUM, doc="tale")])
    unnamed = CONLLU.partition("# newdoc id = story_b")[0].replace("# newdoc id = story_a\n", "")
    (folder / "x.pdtb.y_train.conllu").write_text(unnamed)
    assert read_disrpt(folder).relations[0].document == "tale"


def test_tokens_as_shared_tasks_deliver_them(tmp_path: Path) -> None:
    """Documents named by ``newdoc_id``, ranges that only touch, or overlap, and a form left empty."""
    texts = {"unit1_txt": "Owls did <*> n't .", "unit2_txt": "They slept ."}
    rows = [row(HEADER_GUM, unit1_toks="1-2,3-4", **texts), row(HEADER_GUM, doc="story_b", unit1_toks="1")]
    folder = write(tmp_path, HEADER_GUM, [rows[0], rows[1].replace("5-7", "2")])
    odd = CONLLU.replace("newdoc id", "newdoc_id").replace("\tRain\t", "\t\t")
    (folder / "x.pdtb.y_train.conllu").write_text(odd.replace("4\t.", "3-4\tx" + "\t_" * 8 + "\n4\t."))
    corpus = read_disrpt(folder)
    assert [one.arg1.tokens for one in corpus.relations] == [(0, 1, 2, 3), (0,)]
    assert corpus.documents["story_b"].words((0, 1)) == ["_", "fell"]
    assert not corpus.issues.findings


def test_one_document_in_two_files_counts_once(tmp_path: Path) -> None:
    write(tmp_path, HEADER_GUM, [row(HEADER_GUM)], name="x_dev")
    write(tmp_path, HEADER_GUM, [row(HEADER_GUM)], name="x_train")
    corpus = read_disrpt(tmp_path)
    assert (len(corpus.relations), corpus.parts) == (1, {"story_a": "dev"})
    assert corpus.issues.counts() == {"bad relation": 1}


def test_masked_texts_are_told(tmp_path: Path) -> None:
    folder = write(tmp_path, HEADER_GUM, [row(HEADER_GUM)])
    masked = [line.split("\t") for line in CONLLU.split("\n")]
    lines = [
        "\t".join([cells[0], "_" * len(cells[1]), *cells[2:]]) if cells[1:] else cells[0] for cells in masked
    ]
    (folder / "x.pdtb.y_train.conllu").write_text("\n".join(lines))
    with pytest.raises(CorpusError, match="masked by underscores"):
        read_disrpt(folder)


def test_unusable_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"no \.rels file"):
        read_disrpt(tmp_path)
    file = tmp_path / "a.rels"
    file.write_text("doc\tunit1_toks\tlabel\n")
    with pytest.raises(CorpusError, match=r"a\.rels:1: .*unit2_toks"):
        read_disrpt(tmp_path)
    file.write_text("")
    with pytest.raises(CorpusError, match="first line does not name"):
        read_disrpt(file)


def test_gums_own_files(gum: Path) -> None:
    folder = gum / "rst" / "gdtb" / "disrpt"
    corpus = read_disrpt(folder / "GUM_textbook_grit.rels", dependencies=gum / "dep")
    assert not corpus.issues.findings
    assert all(relation.senses or relation.kind is RelationKind.HYPOPHORA for relation in corpus.relations)
    assert (
        len(corpus.relations) == len((folder / "GUM_textbook_grit.rels").read_text("utf-8").splitlines()) - 1
    )
