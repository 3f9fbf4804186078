"""Annotated documents, as ``disco2 annotate`` writes and ``disco2 predict --document`` reads them."""

from __future__ import annotations

import json
from dataclasses import replace

from disco2.annotation.coreference import parse_coreference
from disco2.annotation.document_json import document_to_json, parse_annotated
from disco2.annotation.layers import document_from_trees, with_dependencies, with_mentions
from disco2.annotation.treebanks import parse_brackets, parse_conllu
from disco2.data import Dirt, Document
from tests.fuzzing.layer_files import CONLLU_OF_TEXT, JSON_WORDS, TEXT, TREES
from tests.fuzzing.sound import check_constituents, check_document
from tests.fuzzing.target import Target
from tests.fuzzing.tiny_model import tiny_pipeline


def read_annotated(content: bytes) -> None:
    """What is taken is sound, and its relations can be predicted."""
    document, _ = parse_annotated(content, where="f")
    check_document(document)
    for sentence in document.sentences:
        if sentence.constituents is not None:
            check_constituents(sentence.constituents, len(sentence))
    tiny_pipeline().relations(document)


def annotated_document() -> Document:
    """Two sentences with all layers."""
    dirt = Dirt()
    document = document_from_trees("d", TEXT, parse_brackets(TREES, where="f"), where="f", dirt=dirt)
    document = with_dependencies(document, parse_conllu(CONLLU_OF_TEXT, where="f"), where="f", dirt=dirt)
    columns = "0\tAnn\t(1)\n1\tslept\t_\n2\t.\t_\n3\tBob\t_\n4\tsang\t_\n5\tto\t_\n6\ther\t(1)\n"
    (chains,) = parse_coreference(columns, where="f", dirt=dirt)
    document = with_mentions(document, chains, where="f", dirt=dirt)
    assert not dirt.findings
    return document


def _without_layers(document: Document) -> Document:
    bare = tuple(replace(one, constituents=None, dependencies=None) for one in document.sentences)
    return replace(document, sentences=bare, mentions=None)


def _json(document: Document) -> bytes:
    return json.dumps(document_to_json(document, annotators="rules")).encode()


_NAMES = b'"start" "end" "heads" "labels" "parents" "mentions" "head" "constituents" "tags"'.split()

TARGETS = (
    Target(
        "annotated-document",
        read_annotated,
        (_json(annotated_document()), _json(_without_layers(annotated_document()))),
        (*JSON_WORDS, *_NAMES),
    ),
)
