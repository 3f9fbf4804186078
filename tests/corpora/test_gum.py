"""The GUM corpus: a made-up miniature, and the real one where it is at hand."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from pathlib import Path

import pytest

from disco2.corpora.gum import read_gum
from disco2.data import Corpus, Dependencies, Mention, RelationKind
from disco2.errors import CorpusError

SENTENCES = [["Ann", "sings", "."], ["Her", "old", "goat", "-", "Bob", "-", "sleeps", "."]]
HEADS = [[2, 0, 2], [3, 3, 7, 5, 3, 5, 0, 7]]
TREES = (
    "(ROOT (S (NP-SBJ (NNP Ann)) (VP (VBZ sings)) (. .)))\n\n"
    "(ROOT (S (NP-SBJ (NP (PRP$ Her) (JJ old) (NN goat)) (PRN (: -) (NP (NNP Bob)) (: -)))\n"
    "  (VP (VBZ sleeps)) (. .)))\n"
)
WORDS = [word for sentence in SENTENCES for word in sentence]
TEXT = " ".join(WORDS)
ONTOGUM = {0: "(1)", 3: "(1)(2", 8: "2)"}
GUM = {0: "(person-1)", 3: "(person-1)(animal-2", 7: "(animal-2-Bob)", 8: "animal-2)"}


def span(*runs: tuple[int, int]) -> str:
    """Tokens, ends exclusive -> a field of character spans."""
    starts = [len(" ".join([*WORDS[:index], ""])) for index in range(len(WORDS))]
    return ";".join(f"{starts[first]}..{starts[last - 1] + len(WORDS[last - 1])}" for first, last in runs)


def relation(kind: str, sense: str, arg1: str, arg2: str, *, conn: str = "", text: str = "_") -> str:
    fields = [""] * 34
    fields[0], fields[1], fields[7], fields[8], fields[14], fields[20] = kind, conn, text, sense, arg1, arg2
    return "|".join(fields)


ARG1, ARG2 = span((0, 3)), span((3, 6), (9, 11))
RELATIONS = [
    relation("Implicit", "Contingency.Cause.Result ", ARG1, ARG2, text="so"),
    relation("Implicit", "Cmparison.Concession", ARG1, ARG2),
    relation("Implicit", "NoRel", ARG1, ARG2),
    relation("EntRel", "EntRel", ARG1, ARG2),
    relation("Hypophora", "Hypophora", ARG1, ARG2),
    relation("Explicit", "Expansion.Conjunction", span((0, 1)), span((2, 3)), conn=span((1, 2)),
             text="sings"),
]  # fmt: skip


def write_layers(root: Path, name: str, *, text: str = TEXT, relations: list[str] | None = None) -> None:
    rows = []
    for sentence, heads in zip(SENTENCES, HEADS, strict=True):
        for index, (word, head) in enumerate(zip(sentence, heads, strict=True), start=1):
            label = "root" if head == 0 else "dep"
            rows.append(f"{index}\t{word}\t_\tX\tT{index}\t_\t{head}\t{label}\t_\t_")
        rows.append("")

    def coreference(cells: dict[int, str]) -> str:
        lines = [f"{index}\t{word}\t{cells.get(index, '_')}" for index, word in enumerate(WORDS)]
        return "\n".join(["# begin document ", *lines])

    lines = RELATIONS if relations is None else relations
    for file, content in {
        f"rst/gdtb/pdtb/gold/00/{name}": "\n".join(lines) + "\n",
        f"rst/gdtb/pdtb/raw/00/{name}": text,
        f"dep/{name}.conllu": f"# newdoc id = {name}\n" + "\n".join(rows),
        f"const/{name}.ptb": TREES,
        f"coref/ontogum/conll/{name}.conll": coreference(ONTOGUM),
        f"coref/gum/conll/{name}.conll": coreference(GUM),
    }.items():
        path = root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode())


@pytest.fixture
def miniature(tmp_path: Path) -> Path:
    """Two documents; the splits list one more that has no files."""
    write_layers(tmp_path, "GUM_news_goats")
    write_layers(tmp_path, "GUM_bio_ann", relations=RELATIONS[:1])
    parts = "# Splits\n\n## dev\n\n  * GUM_bio_ann\n  * GUM_reddit_masked\n\n## train\n\n  * GUM_news_goats\n"
    (tmp_path / "splits.md").write_text(parts)
    return tmp_path


def kinds(corpus: Corpus) -> Counter[str]:
    return corpus.issues.counts()


def test_documents_have_all_their_layers(miniature: Path) -> None:
    corpus = read_gum(miniature)
    assert (corpus.name, corpus.inventory) == ("gum", "gdtb")
    assert list(corpus.documents) == ["GUM_bio_ann", "GUM_news_goats"]
    assert corpus.parts == {"GUM_bio_ann": "dev", "GUM_news_goats": "train"}
    document = corpus.documents["GUM_news_goats"]
    assert document.text == TEXT
    assert [token.text for token in document.tokens] == WORDS
    assert all(token.text == TEXT[token.start : token.end] for token in document.tokens)
    assert document.tokens[1].tag == "T2"
    first, second = document.sentences
    assert first.dependencies == Dependencies((1, -1, 1), ("dep", "root", "dep"))
    assert second.constituents is not None
    assert second.constituents.labels == ("S", "NP", "NP", "PRN", "NP", "VP")
    assert document.mentions == (Mention(0, 1, 0, "1"), Mention(3, 9, 5, "2"), Mention(3, 4, 3, "1"))


def test_relations_and_known_issues(miniature: Path) -> None:
    corpus = read_gum(miniature)
    relations = [relation for relation in corpus.relations if relation.document == "GUM_news_goats"]
    assert [relation.id for relation in relations] == [f"GUM_news_goats:{line}" for line in range(1, 7)]
    assert [(relation.kind, relation.senses) for relation in relations] == [
        (RelationKind.IMPLICIT, ("Contingency.Cause.Result",)),
        (RelationKind.IMPLICIT, ("Comparison.Concession",)),
        (RelationKind.NOREL, ()),
        (RelationKind.ENTREL, ()),
        (RelationKind.HYPOPHORA, ()),
        (RelationKind.EXPLICIT, ("Expansion.Conjunction",)),
    ]
    first, last = relations[0], relations[-1]
    assert first.arg1.tokens == (0, 1, 2)
    assert first.arg2.tokens == (3, 4, 5, 9, 10)
    assert first.arg2.text == "Her old goat sleeps ."
    assert (first.connective, first.connective_tokens) == ("so", ())
    assert first.where.endswith("GUM_news_goats:1")
    assert (last.connective, last.connective_tokens) == ("sings", (1,))
    assert kinds(corpus) == {"NoRel as a sense": 1}
    assert corpus.issues.findings[0].where.endswith(":3")


@pytest.mark.parametrize(
    ("line", "kind", "kept"),
    [
        (RELATIONS[0] + "|", "bad relation", 0),
        (RELATIONS[0][:50], "bad relation", 0),
        (RELATIONS[0].replace("Implicit", "Implizit"), "bad relation", 0),
        (relation("Implicit", "Expansion.Conjunction", "", ARG2), "bad relation", 0),
        (relation("Implicit", "Expansion.Conjunction", ARG1, "900..950"), "bad relation", 0),
        (relation("Implicit", "Expansion.Conjunction", ARG1, "13..17"), "span cuts a token", 1),
        (relation("EntRel", "Expansion.Conjunction", ARG1, ARG2), "sense of a kind without", 1),
        (relation("Implicit", "Expansion.Conjunction", ARG1, "6..6"), "bad relation", 0),
        (relation("Implicit", "Nonsense.Sense", ARG1, ARG2), "unknown sense", 1),
        (relation("Implicit", "", ARG1, ARG2), "relation without a sense", 1),
        (relation("EntRel", "NoRel", ARG1, ARG2), "kind as a sense", 1),
    ],
)  # fmt: skip
def test_bad_lines_are_reported(miniature: Path, line: str, kind: str, kept: int) -> None:
    write_layers(miniature, "GUM_bio_ann", relations=[RELATIONS[0], line, RELATIONS[5]])
    corpus = read_gum(miniature)
    relations = [relation for relation in corpus.relations if relation.document == "GUM_bio_ann"]
    assert len(relations) == 2 + kept
    assert relations[-1].id == "GUM_bio_ann:3"
    finding = next(finding for finding in corpus.issues.findings if finding.kind == kind)
    assert finding.where.endswith("GUM_bio_ann:2")


def test_doubled_relations_are_reported_and_count_once(miniature: Path) -> None:
    write_layers(miniature, "GUM_bio_ann", relations=[RELATIONS[0], RELATIONS[0]])
    corpus = read_gum(miniature)
    assert sum(relation.document == "GUM_bio_ann" for relation in corpus.relations) == 1
    assert kinds(corpus)["relation twice"] == 1


@pytest.mark.parametrize("damage", ["missing", "broken"])
@pytest.mark.parametrize(
    ("file", "broken", "kind"),
    [
        ("const/GUM_bio_ann.ptb", "(S (NN", "document without trees"),
        ("coref/ontogum/conll/GUM_bio_ann.conll", "0 x", "document without coreference"),
        ("dep/GUM_bio_ann.conllu", "1\tx", "document without tokens"),
        ("rst/gdtb/pdtb/raw/00/GUM_bio_ann", "___ __\n_ _", "document without text"),
    ],
)
def test_a_missing_or_broken_layer(miniature: Path, file: str, broken: str, kind: str, damage: str) -> None:
    if damage == "missing":
        (miniature / file).unlink()
    else:
        (miniature / file).write_text(broken)
    corpus = read_gum(miniature)
    assert kinds(corpus)[kind] == 1
    finding = next(finding for finding in corpus.issues.findings if finding.kind == kind)
    assert "GUM_bio_ann" in finding.where
    assert "GUM_news_goats" in corpus.documents
    document = corpus.documents.get("GUM_bio_ann")
    if kind == "document without trees":
        assert document is not None
        assert [sentence.constituents for sentence in document.sentences] == [None, None]
        assert document.mentions is not None
    elif kind == "document without coreference":
        assert document is not None
        assert document.mentions is None
    else:
        assert document is None
        assert all(relation.document != "GUM_bio_ann" for relation in corpus.relations)


def test_a_document_in_no_part_is_reported(miniature: Path) -> None:
    (miniature / "splits.md").write_text("## train\n\n* GUM_news_goats\n")
    corpus = read_gum(miniature)
    assert corpus.parts == {"GUM_news_goats": "train"}
    assert kinds(corpus)["document without a part"] == 1
    (miniature / "splits.md").unlink()
    assert kinds(read_gum(miniature))["no splits"] == 1


@pytest.mark.parametrize("end", [b"\r", b"\r\n"])
def test_line_ends_do_not_matter(miniature: Path, end: bytes) -> None:
    expected = read_gum(miniature)
    for file in filter(Path.is_file, miniature.rglob("*")):
        file.write_bytes(file.read_bytes().replace(b"\n", end))
    corpus = read_gum(miniature)
    assert (corpus.relations, corpus.documents) == (expected.relations, expected.documents)
    assert (corpus.parts, kinds(corpus)) == (expected.parts, kinds(expected))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_is_not_waited_for(miniature: Path) -> None:
    for file in ("rst/gdtb/pdtb/gold/00/GUM_bio_ann", "const/GUM_bio_ann.ptb"):
        (miniature / file).unlink()
        os.mkfifo(miniature / file)
    assert list(read_gum(miniature).documents) == ["GUM_news_goats"]
    for file in miniature.glob("rst/gdtb/pdtb/*/00/GUM_news_goats"):
        file.unlink()
        os.mkfifo(file)
    with pytest.raises(CorpusError, match="no relations"):
        read_gum(miniature)


def test_another_folder_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(CorpusError, match="no relations") as caught:
            read_gum(path)
        assert caught.value.where == str(path)


def test_the_real_corpus(gum: Path) -> None:
    corpus = read_gum(gum)
    with_sense = Counter(
        corpus.parts[relation.document]
        for relation in corpus.relations
        if relation.kind is RelationKind.IMPLICIT and relation.senses
    )
    assert with_sense == {"train": 3347, "dev": 556, "test": 571}
    assert kinds(corpus) == {
        "NoRel as a sense": 5,
        "kind as a sense": 1,
        "relation twice": 5,
    }
    assert len({relation.id for relation in corpus.relations}) == len(corpus.relations)
    for document in corpus.documents.values():
        assert document.mentions is not None
        assert document.sentences[-1].end == len(document.tokens)
        for sentence in document.sentences:
            assert sentence.dependencies is not None
            assert sentence.constituents is not None
            assert sentence.constituents.ends[0] == len(sentence) == len(sentence.dependencies.heads)
        for token in document.tokens:
            assert token.text == document.text[token.start : token.end]


def test_a_corpus_without_a_usable_document_says_why(miniature: Path) -> None:
    shutil.rmtree(miniature / "dep")
    with pytest.raises(CorpusError, match=r"No document can be used.*GUM_bio_ann\.conllu"):
        read_gum(miniature)
