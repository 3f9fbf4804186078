"""Layers: brackets, CoNLL-U and coreference files, annotated documents, answers of other parsers."""

from __future__ import annotations

import json
from dataclasses import replace

import spacy

from disco2.annotation.cache import document_to_json, parse_annotated
from disco2.annotation.coreference import parse_coreference
from disco2.annotation.layers import (
    document_as_written,
    document_from_trees,
    with_constituents,
    with_dependencies,
    with_mentions,
)
from disco2.annotation.treebanks import parse_brackets, parse_conllu
from disco2.corpora.reading import read_text
from disco2.data import Document, ReadIssues
from tests.documents import document_from_words
from tests.fuzzing.target import NEXT_FILE, Target, check_document, scratch_folder
from tests.fuzzing.tiny_model import tiny_pipeline

TEXT = "Ann slept. Bob sang to her, and she woke up."
TREES = """\
(ROOT (S (NP-SBJ (NNP Ann)) (VP (VBD slept)) (. .)))
( (S (NP (NNP Bob)) (VP (VBD sang) (-NONE- *T*-1) (PP (TO to) (NP (PRP her)))) (, ,) (CC and)
     (S (NP (PRP she)) (VP (VBD woke) (ADVP|PRT (RB up)))) (. .)) )
"""
CONLLU = """\
# newdoc id = wsj_0001
# newpar
# text = Ann slept.
1\tAnn\tAnn\tPROPN\tNNP\t_\t2\tnsubj\t_\t_
2\tslept\tsleep\tVERB\tVBD\t_\t0\troot\t_\tSpaceAfter=No
3\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_

1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
1\tdo\tdo\tAUX\tVBP\t_\t0\troot\t_\t_
2\tn't\tnot\tPART\tRB\t_\t1\tadvmod\t_\t_
2.1\tsing\t_\t_\t_\t_\t_\t_\t1:dep\t_
"""
COLUMNS = """\
#begin document (wsj_0001); part 000
wsj_0001 0 0 Ann NNP * - - - - (7)
wsj_0001 0 1 slept VBD * - - - - -

wsj_0001 0 0 Bob NNP * - - - - (8|(7
wsj_0001 0 1 woke VBD * - - - - 7)|8)
#end document
"""
GUM_COLUMNS = (
    "# begin document GUM_made_up\n0\tAnn\t(person-1-Ann_Lee)\n1\tthe\t(place-2\n2\ttown\tplace-2)\n"
)
ONTONOTES = """\
<DOC DOCNO="nw/wsj/00/wsj_0099@0099@wsj@nw@en@on">
<TEXT PARTNO="000">
<COREF ID="3" TYPE="IDENT">The ferry -AMP- <COREF ID="4" TYPE="APPOS">a boat</COREF></COREF> was late *T*-1 .
</TEXT>
</DOC>
"""
CHAINS = "0\tAnn\t(1)\n1\tslept\t_\n2\t.\t_\n3\tBob\t_\n4\tsang\t_\n5\tto\t_\n6\ther\t(1)\n"
_BLANK = spacy.blank("en")


def conllu_row(number: int | str, head: int | str, *, word: str = "a") -> str:
    """A line of CoNLL-U."""
    label = "root" if head == 0 else "dep"
    return "\t".join(map(str, (number, word, "_", "X", "NN", "_", head, label, "_", "_")))


def conllu_of(words: str) -> str:
    """One sentence of the words, all of them below the first."""
    rows = [conllu_row(at, 0 if at == 1 else 1, word=word) for at, word in enumerate(words.split(), start=1)]
    return "\n".join([*rows, ""])


CONLLU_OF_TEXT = "\n".join(map(conllu_of, ("Ann slept .", "Bob sang to her , and she woke up .")))


def text_of(content: bytes) -> str:
    """The text of a file with these bytes, as readers of corpora decode it."""
    with scratch_folder() as folder:
        (folder / "layer").write_bytes(content)
        return read_text(folder / "layer", issues=ReadIssues())


def read_brackets(content: bytes) -> None:
    """The trees are trees."""
    found = parse_brackets(text_of(content), where="f")
    document = document_from_words("d", [tree.words for tree in found])
    check_document(with_constituents(document, found, where="f", issues=ReadIssues()))


def read_conllu(content: bytes) -> None:
    """The sentences make documents."""
    text = text_of(content)
    sentences = parse_conllu(text, where="f")
    for sentence in sentences:
        assert len(sentence.words) == len(sentence.tags) == len(sentence.glued)
    words, tags = [one.words for one in sentences], [one.tags for one in sentences]
    document = document_from_words("d", words, tags=tags)
    check_document(with_dependencies(document, sentences, where="f", issues=ReadIssues()))
    check_document(document_as_written("d", sentences))


def read_coreference(content: bytes) -> None:
    """The columns of CoNLL, OntoGUM and GUM, or OntoNotes's own files, distinguished as the corpora do it."""
    text = text_of(content)
    for found in parse_coreference(text, where="f", issues=ReadIssues()):
        for start, end, name in found.spans:
            assert 0 <= start < end <= len(found.words)
            assert name
        if all(found.words):
            document = document_from_words("d", [found.words])
            check_document(with_mentions(document, found, where="f", issues=ReadIssues()))


def read_layers_on_text(content: bytes) -> None:
    """A text with trees, dependencies and coreference that may be another text's."""
    text, trees, parses, chains = map(text_of, [*content.split(NEXT_FILE, 3), b"", b"", b""][:4])
    issues = ReadIssues()
    bracketed = parse_brackets(trees, where="trees")
    document = document_from_trees("d", text, bracketed, where="trees", issues=issues)
    check_document(document)
    parsed = parse_conllu(parses, where="parses")
    document = with_dependencies(document, parsed, where="parses", issues=issues)
    check_document(document)
    for found in parse_coreference(chains, where="chains", issues=issues)[:1]:
        document = with_mentions(document, found, where="chains", issues=issues)
        check_document(document)
    flat = document_from_words("d", [one.words for one in parsed])
    check_document(with_constituents(flat, bracketed, where="trees", issues=issues))


def read_annotated(content: bytes) -> None:
    """Annotated documents, as ``disco2 predict --document`` reads them; relations can be predicted."""
    document, _ = parse_annotated(content, where="f")
    check_document(document)
    tiny_pipeline().relations(document)


def annotated_document() -> Document:
    """Two sentences with all layers."""
    issues = ReadIssues()
    document = document_from_trees("d", TEXT, parse_brackets(TREES, where="f"), where="f", issues=issues)
    document = with_dependencies(document, parse_conllu(CONLLU_OF_TEXT, where="f"), where="f", issues=issues)
    (chains,) = parse_coreference(CHAINS, where="f", issues=issues)
    document = with_mentions(document, chains, where="f", issues=issues)
    assert not issues.findings
    return document


def _json(document: Document) -> bytes:
    return json.dumps(document_to_json(document, annotators="rules")).encode()


_WHOLE = annotated_document()
_BARE = tuple(replace(one, constituents=None, dependencies=None) for one in _WHOLE.sentences)
TARGETS = (
    Target("brackets", read_brackets, (TREES.encode(), b"(NN dog)", "(NN do\u00a0g)".encode("utf-16"))),
    Target("conllu", read_conllu, (CONLLU.encode(), CONLLU_OF_TEXT.encode())),
    Target("coreference", read_coreference, (COLUMNS.encode(), GUM_COLUMNS.encode(), ONTONOTES.encode())),
    Target(
        "layers-on-text",
        read_layers_on_text,
        (NEXT_FILE.join(part.encode() for part in (TEXT, TREES, CONLLU_OF_TEXT, CHAINS)),),
    ),
    Target(
        "annotated-document",
        read_annotated,
        (_json(_WHOLE), _json(replace(_WHOLE, sentences=_BARE, mentions=None))),
    ),
)
