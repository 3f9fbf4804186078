"""PDTB 2 in its two encodings, PDTB 3, and the ends of its spans; whole corpora in LDC's layout."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from disco2.corpora.catalogue import read_corpus
from disco2.corpora.pdtb import (
    choose_convention,
    parse_relations,
    read_pdtb2,
    read_pdtb3,
)
from disco2.corpora.wsj import RawRelation
from disco2.data import Corpus, ReadIssues, RelationKind
from disco2.errors import CorpusError, SettingsError
from tests.corpora.miniature import (
    MiniDocument,
    Writer,
    documents,
    faults,
    write_pdtb2,
    write_pdtb3,
)

DOCUMENTS = documents()
DOCUMENT = DOCUMENTS[0]
ENCODINGS = ["native", "pipe"]
NATIVE, PIPE = Writer().native(DOCUMENT), Writer().pipe(DOCUMENT)

RULE = "_" * 56
TWO_CONNECTIVES = f"""{RULE}
____Implicit____
57
1
#### Features ####
Ot, Comm, Null, Null
9..13
0,0
#### Text ####
Mina
##############
as a result, Contingency.Cause.Result, Temporal.Asynchronous.Precedence
then, Temporal.Asynchronous.Precedence
____Sup1____
1..4
0
#### Text ####
Sup
##############
____Arg1____
9..20;25..30
0,0;0,1,2
#### Text ####
Mina missed
the ferry
##############
#### Features ####
Inh, Null, Null, Null
____Arg2____
41..98

#### Text ####
She waited
##############
#### Features ####
Ot, Comm, Null, Null
99..110
1,2
#### Text ####
Oren said
##############
{RULE}
"""


def read(text: str) -> tuple[list[RawRelation], ReadIssues]:
    issues = ReadIssues()
    return parse_relations(text, where="made-up", issues=issues), issues


def test_native_block_is_read_in_full() -> None:
    (relation,), issues = read(TWO_CONNECTIVES)
    assert relation == RawRelation(
        number=1,
        line=2,
        kind="Implicit",
        connectives=("as a result", "then"),
        senses=(
            "Contingency.Cause.Result",
            "Temporal.Asynchronous.Precedence",
            "Temporal.Asynchronous.Precedence",
        ),
        connective_spans=(),
        arg1_spans=((9, 20), (25, 30)),
        arg2_spans=((41, 98),),
        arg1_text="Mina missed the ferry",
        arg2_text="She waited",
    )
    assert not issues.findings


def test_pipe_file_cut_off_in_its_first_line_is_reported() -> None:
    relations, issues = read("Implicit|00|03||||57|1\n")
    assert (relations, issues.counts()) == ([], {"bad relation": 1})
    assert read(" \n") == ([], ReadIssues())


def test_every_cut_of_a_file_is_reported_unless_it_ends_with_a_whole_relation() -> None:
    whole, ends = read(NATIVE)[0], 0
    for place in range(1, len(NATIVE)):
        relations, issues = read(NATIVE[:place])
        assert relations == whole[: len(relations)]
        if len(relations) < len(whole) and not issues.findings:
            assert NATIVE[:place].rstrip().endswith(f"\n{RULE}")
            ends += 1
    assert ends == 2 * (len(whole) - 1), "before and behind the end of its line"
    relations, issues = read(NATIVE.rpartition(RULE)[0])
    assert relations == whole
    assert [finding.kind for finding in issues.findings] == ["file cut off"]


def test_line_with_too_few_or_too_many_fields_is_skipped() -> None:
    first, second, *rest = PIPE.splitlines(keepends=True)
    relations, issues = read("".join([first.replace("|", "", 1), second.replace("\n", "|\n"), *rest]))
    assert [relation.number for relation in relations] == list(range(3, len(DOCUMENT.relations) + 1))
    assert [finding.where for finding in issues.findings] == ["made-up:1", "made-up:2"]
    assert "47 fields" in issues.findings[0].detail
    assert "49 fields" in issues.findings[1].detail


def test_bad_block_is_skipped_and_still_counted() -> None:
    relations, _ = read(NATIVE.replace("____Explicit____\n", "____Explicit____\nx", 1))
    assert [relation.number for relation in relations] == [1, *range(3, len(DOCUMENT.relations) + 1)]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("9..39", "9..x", "is not a span"),
        ("9..39", "39..9", "is not a span"),
        ("9..39", "-9..39", "is not a span"),
        ("9..39", "9..39;", "is not a span"),
        ("9..39", f"{'9' * 5000}..1", "is not a span"),
        ("____Arg2____", "____Sup2____", "no Arg2"),
        ("#### Text ####\nMina", "Mina", "#### Text ####"),
    ],
)
def test_native_grammar_errors_are_named(old: str, new: str, said: str) -> None:
    relations, issues = read(NATIVE.replace(old, new, 1))
    assert len(relations) == len(DOCUMENT.relations) - 1
    assert said in issues.findings[0].detail


def expect_every_relation(corpus: Corpus, docs: list[MiniDocument] = DOCUMENTS) -> None:
    """Arguments and connectives have just the tokens that the made-up documents say."""
    found = iter(corpus.relations)
    for document in docs:
        for said in document.relations:
            relation = next(found)
            assert relation.document == document.id
            assert relation.kind == said.said.kind
            assert relation.arg1.tokens == document.token_numbers(said.arg1)
            assert relation.arg2.tokens == document.token_numbers(said.arg2)
            assert relation.connective_tokens == document.token_numbers(said.anchor)
    assert next(found, None) is None


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_offsets_find_every_argument(
    tmp_path: Path, trees: Path, coreference: Path, dependencies: Path, encoding: str
) -> None:
    path = write_pdtb2(tmp_path, DOCUMENTS, encoding=encoding)
    corpus = read_pdtb2(path, trees=trees, coreference=coreference, dependencies=dependencies)
    expect_every_relation(corpus)
    assert not faults(corpus)
    assert (corpus.name, corpus.inventory) == ("pdtb2", "pdtb2")
    assert list(corpus.documents) == [document.id for document in DOCUMENTS]
    for made_up in DOCUMENTS:
        document = corpus.documents[made_up.id]
        assert [token.text for token in document.tokens] == [form for form, _, _ in made_up.tokens]
        assert [(token.start, token.end) for token in document.tokens] == [
            (start, end) for _, start, end in made_up.tokens
        ]
        assert [sentence.end for sentence in document.sentences] == list(made_up.sentence_ends)
        assert all(sentence.constituents is not None for sentence in document.sentences)
        assert all(sentence.dependencies is not None for sentence in document.sentences)
        mentions = [made_up.token_numbers((span,)) for chain in made_up.chains for span in chain]
        assert document.mentions is not None
        assert sorted((mention.start, mention.end) for mention in document.mentions) == sorted(
            (tokens[0], tokens[-1] + 1) for tokens in mentions
        )


def test_what_the_first_document_says(tmp_path: Path, trees: Path) -> None:
    corpus = read_pdtb2(write_pdtb2(tmp_path, DOCUMENTS[:1]), trees=trees)
    document = corpus.documents["wsj_0003"]
    cause, contrast, altlex, double, across, entity, nothing, *_ = corpus.relations
    assert (cause.id, cause.connective, cause.connective_tokens) == ("wsj_0003:1", "because", ())
    assert cause.where.endswith("wsj_0003.pdtb:2")
    assert contrast.arg1.text == "The ferry works", "in two pieces"
    assert document.words(contrast.connective_tokens) == ["but"]
    assert altlex.connective == "That is why"
    assert double.senses == ("Expansion.Conjunction", "Temporal.Synchrony"), "in order, each once"
    assert double.connective == "and"
    assert across.arg1.text == "The choir sang all night in Ulla. The café there kept its doors open."

    assert (entity.kind, entity.senses) == (RelationKind.ENTREL, ())
    assert (nothing.kind, nothing.senses) == (RelationKind.NOREL, ())


def test_a_document_in_both_encodings_is_read_once(tmp_path: Path, trees: Path) -> None:
    write_pdtb2(tmp_path, DOCUMENTS, encoding="pipe")
    corpus = read_pdtb2(write_pdtb2(tmp_path, DOCUMENTS), trees=trees)
    expect_every_relation(corpus)
    assert all(relation.where.rpartition(":")[0].endswith(".pdtb") for relation in corpus.relations)


def test_raw_text_may_lie_elsewhere(tmp_path: Path, trees: Path) -> None:
    path = write_pdtb2(tmp_path / "corpus", DOCUMENTS)
    shutil.move(path / "raw", tmp_path / "texts")
    corpus = read_pdtb2(path, trees=trees, raw=tmp_path / "texts")
    expect_every_relation(corpus)
    shutil.move(tmp_path / "texts", path / "raw")
    beside = read_pdtb2(path / "data", trees=trees)
    assert beside.documents == corpus.documents


def test_empty_and_strange_files_have_no_relations(tmp_path: Path, trees: Path) -> None:
    path = write_pdtb2(tmp_path, DOCUMENTS)
    for content in ("\n", "Bakers rise early.\n"):
        (path / "data/00/wsj_0004.pdtb").write_text(content)
        corpus = read_pdtb2(path, trees=trees)
        assert "wsj_0004" in corpus.documents
        assert not any(relation.document == "wsj_0004" for relation in corpus.relations)
        assert ("bad relation" in faults(corpus)) == bool(content.strip())


@pytest.mark.parametrize(
    ("old", "new", "fault", "senses"),
    [
        ("Contingency.Cause.Reason", "Weather.Rain", "relation without a sense", ()),
        ("9..39", "90000..90010", "bad relation", None),
        ("9..39", "41..98", "argument differs from its text", ("Contingency.Cause.Reason",)),
    ],
)
def test_faults_of_a_relation(
    tmp_path: Path, trees: Path, old: str, new: str, fault: str, senses: tuple[str, ...] | None
) -> None:
    path = write_pdtb2(tmp_path, DOCUMENTS[:1])
    file = path / "data/00/wsj_0003.pdtb"
    file.write_bytes(file.read_bytes().replace(old.encode(), new.encode(), 1))
    corpus = read_pdtb2(path, trees=trees)
    assert fault in faults(corpus)
    found = {relation.id: relation.senses for relation in corpus.relations}
    assert found.get("wsj_0003:1") == senses
    assert "wsj_0003:2" in found


def test_what_is_not_there_is_said(tmp_path: Path, trees: Path) -> None:
    with pytest.raises(CorpusError, match="no such folder"):
        read_pdtb2(tmp_path / "nowhere", trees=trees)
    with pytest.raises(CorpusError, match=r"None of 0 relation files"):
        read_pdtb2(tmp_path, trees=trees)
    path = write_pdtb2(tmp_path / "corpus", DOCUMENTS)
    with pytest.raises(CorpusError, match="trees"):
        read_pdtb2(path, trees=tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(CorpusError, match="no coreference"):
        read_pdtb2(path, trees=trees, coreference=tmp_path / "empty")
    shutil.rmtree(path / "raw")
    with pytest.raises(CorpusError, match=r"None of 3 relation files") as caught:
        read_pdtb2(path, trees=trees)
    assert "--raw" in caught.value.hint


def test_raw_text_without_trees_is_split_by_rule(tmp_path: Path) -> None:
    corpus = read_pdtb2(write_pdtb2(tmp_path, DOCUMENTS))
    assert any("split by rule" in note for note in corpus.notes)
    assert not faults(corpus)
    document = corpus.documents["wsj_0003"]
    assert document.tokens[0].text == "Mina", "the word .START is no text"
    assert document.mentions is None
    assert document.sentences[0].constituents is None
    first = corpus.relations[0]
    assert document.words(first.arg1.tokens)[:2] == ["Mina", "missed"]
    assert len(corpus.relations) == sum(len(made_up.relations) for made_up in DOCUMENTS)


def test_missing_layers_are_findings(
    tmp_path: Path, trees: Path, coreference: Path, dependencies: Path
) -> None:
    copies = {name: tmp_path / name for name in ("trees", "coreference", "dependencies")}
    for name, folder in zip(copies, (trees, coreference, dependencies), strict=True):
        shutil.copytree(folder, copies[name])
        for file in copies[name].rglob("wsj_0004.*"):
            file.unlink()
    corpus = read_pdtb2(write_pdtb2(tmp_path / "corpus", DOCUMENTS), **copies)
    assert faults(corpus) == {
        "document without trees",
        "document without coreference",
        "document without dependencies",
    }
    assert corpus.documents["wsj_0004"].mentions is None
    assert corpus.documents["wsj_0003"].mentions
    assert any("split by rule" in note for note in corpus.notes)
    assert any(relation.document == "wsj_0004" for relation in corpus.relations)


CONVENTIONS = ["inclusive", "exclusive"]


def written(path: Path, convention: str = "inclusive") -> Path:
    return write_pdtb3(path, DOCUMENTS, writer=Writer(inclusive=convention == "inclusive"))


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize(("asked", "how"), [("auto", "by the text"), ("same", "as asked")])
def test_either_convention_is_read_when_found_or_asked_for(
    tmp_path: Path, trees: Path, convention: str, asked: str, how: str
) -> None:
    path = written(tmp_path, convention)
    corpus = read_pdtb3(path, trees=trees, offsets=convention if asked == "same" else asked)
    expect_every_relation(corpus)
    assert not faults(corpus)
    assert corpus.notes[0].startswith(f"Span ends were read as {convention}, {how}")
    assert "suggests" not in corpus.notes[0]


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_an_order_against_the_text_is_followed_and_noted(
    tmp_path: Path, trees: Path, convention: str
) -> None:
    other = "exclusive" if convention == "inclusive" else "inclusive"
    corpus = read_corpus("pdtb3", written(tmp_path, convention), trees=trees, offsets=other)
    assert corpus.notes[0].startswith(f"Span ends were read as {other}, as asked")
    assert f"suggests {convention}" in corpus.notes[0]
    cause = corpus.relations[0]
    if other == "exclusive":
        assert cause.arg1.text == "Mina missed the well-lit ferr", "a letter short"
        assert "span cuts a token" in faults(corpus)
    else:
        end = DOCUMENT.token_numbers(DOCUMENT.relations[0].arg1)[-1] + 1
        assert cause.arg1.tokens[-1] == end, "with the full stop"


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_line_ends_that_only_this_copy_has_are_not_counted(
    tmp_path: Path, trees: Path, encoding: str
) -> None:
    path = write_pdtb2(tmp_path, DOCUMENTS, encoding=encoding)
    for raw in (path / "raw").glob("*/*"):
        raw.write_bytes(raw.read_bytes().replace(b"\n", b"\r\n"))
    corpus = read_pdtb2(path, trees=trees)
    expect_every_relation(corpus)
    assert faults(corpus) == {"line ends not in the offsets"}


def test_windows_line_ends_that_the_offsets_count_stay(tmp_path: Path) -> None:
    text, row = "Rain fell.\r\nWe stayed.\r\nIt stopped.", ["Implicit", *[""] * 33]
    row[8], row[14], row[20] = "Contingency.Cause.Result", "12..22", "24..35"
    for folder, content in (("raw", text), ("gold", "|".join(row))):
        Writer().write(tmp_path / folder / "00" / "wsj_0001", content)
    corpus = read_pdtb3(tmp_path)
    assert (corpus.relations[0].arg1.text, corpus.relations[0].arg2.text) == ("We stayed.", "It stopped.")
    assert corpus.documents["wsj_0001"].text == text


def test_the_folders_may_lie_in_data(tmp_path: Path, trees: Path) -> None:
    written(tmp_path / "data")
    expect_every_relation(read_pdtb3(tmp_path, trees=trees))


def test_faults_of_lines_and_files(tmp_path: Path, trees: Path) -> None:
    path = written(tmp_path)
    (path / "gold/00/wsj_0004").write_text("")
    (path / "raw/00/wsj_0020").unlink()
    file = path / "gold/00/wsj_0003"
    data = file.read_bytes()
    first, second, *_ = data.splitlines(keepends=True)
    file.write_bytes(data.replace(first, first.replace(b"|", b"", 1)).replace(second, second * 2)[:-40])
    corpus = read_pdtb3(path, trees=trees)
    assert faults(corpus) == {"bad relation", "document without text", "relation twice"}
    assert corpus.issues.counts()["bad relation"] == 2
    lines = [int(relation.id.rpartition(":")[2]) for relation in corpus.relations]
    assert lines == [2, *range(4, len(DOCUMENTS[0].relations) + 1)], "line 3 repeats line 2"
    assert list(corpus.documents) == ["wsj_0003", "wsj_0004"]


def test_missing_folders_of_pdtb3_are_named(tmp_path: Path) -> None:
    with pytest.raises(CorpusError) as caught:
        read_pdtb3(tmp_path)
    assert caught.value.where == str(tmp_path / "gold")
    path = written(tmp_path / "corpus")
    with pytest.raises(SettingsError, match="sideways"):
        read_pdtb3(path, offsets="sideways")
    shutil.rmtree(path / "raw")
    with pytest.raises(CorpusError) as caught:
        read_pdtb3(path)
    assert caught.value.where == str(path / "raw")
    (path / "raw").mkdir()
    with pytest.raises(CorpusError, match="None of 3 files"):
        read_pdtb3(path)


@pytest.mark.parametrize("counts", [(0, 0, 2), (3, 2, 500), (3, 4, 0)])
def test_full_stops_and_a_few_slips_speak_for_exclusive_ends(counts: tuple[int, int, int]) -> None:
    ends = dict(zip(("inclusive", "exclusive", ""), counts, strict=True))
    assert choose_convention(ends) == "exclusive"
    assert choose_convention({"inclusive": 60, "exclusive": 2, "": 500}) == "inclusive"
