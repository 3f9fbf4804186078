"""The miniature corpora have something in every cell of every experiment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pytest

from disco2.corpora.catalogue import read_corpus
from disco2.corpora.protocols import PARTS, documents_with_coreference, split_relations
from disco2.corpora.tasks import CLASSES, binary_task, task_for
from disco2.data import Corpus, RelationKind
from disco2.data.tree import shared_entities

Options = Mapping[str, Mapping[str, str]]
NAMES = ("pdtb2", "pdtb3", "conll16")


@pytest.fixture(scope="module")
def corpora(miniature_corpora: Options) -> Mapping[str, Corpus]:
    return {
        name: read_corpus(name, given["--path"], trees=given["--trees"], coreference=given["--coref"])
        for name, given in miniature_corpora.items()
    }


def test_the_layout_is_read_without_faults(corpora: Mapping[str, Corpus]) -> None:
    assert tuple(corpora) == NAMES
    for name, corpus in corpora.items():
        sections = {document[4:6] for document in corpus.documents}
        assert len(sections) == (22 if name == "conll16" else 25)
        assert all(one.constituents for document in corpus.documents.values() for one in document.sentences)
        # Half of the documents are not in OntoNotes, and one sentence a document was too much for the parser.
        assert set(corpus.issues.counts()) <= {"not UTF-8", "document without coreference", "no parse"}
        assert len(documents_with_coreference(corpus).documents) == len(corpus.documents) // 2


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("protocol", ["lin", "ji", "own", *(f"cv12-{fold}" for fold in range(12))])
@pytest.mark.parametrize("intersected", [False, True])
def test_every_part_has_every_class_and_kind(
    corpora: Mapping[str, Corpus], name: str, protocol: str, intersected: bool
) -> None:
    corpus = documents_with_coreference(corpora[name]) if intersected else corpora[name]
    parts = split_relations(corpus, protocol, seed=1)
    for part in PARTS:
        relations = parts[part]
        if not relations:
            assert _may_be_empty(name, protocol, part)
            continue
        kinds = {str(one.kind) for one in relations}
        assert kinds == {
            "Implicit",
            "Explicit",
            "AltLex",
            "EntRel",
            *([] if name == "conll16" else ["NoRel"]),
        }
        implicit = [one for one in relations if one.kind is RelationKind.IMPLICIT]
        shared = shared_entities(corpus.documents, implicit)
        cells = Counter(
            (one.senses[0].split(".")[0], entity) for one, entity in zip(implicit, shared, strict=True)
        )
        assert set(cells) == {(label, entity) for label in CLASSES for entity in (False, True)}
        explicit = {one.senses[0].split(".")[0] for one in relations if one.kind is RelationKind.EXPLICIT}
        assert explicit == set(CLASSES)


@pytest.mark.parametrize("name", NAMES)
def test_the_usual_tasks_have_instances(corpora: Mapping[str, Corpus], name: str) -> None:
    corpus = corpora[name]
    parts = split_relations(corpus, "lin", seed=1)
    task = task_for(name)
    labels = task.label_set(parts["train"])
    kept, dropped = task.instances(corpus, parts["train"], labels)
    assert not dropped
    assert len({label for one in kept for label in one.gold}) >= 7
    assert len({label for one in task.instances(corpus, parts["test"], labels)[0] for label in one.gold}) >= 7
    for positive in CLASSES:
        binary = binary_task(positive)
        counts = Counter(
            one.gold for one in binary.instances(corpus, parts["test"], binary.label_set(parts["train"]))[0]
        )
        assert set(counts) == {(positive,), ("Other",)}


def test_some_relations_have_two_senses(corpora: Mapping[str, Corpus]) -> None:
    assert all(any(len(one.senses) > 1 for one in corpus.relations) for corpus in corpora.values())


def _may_be_empty(name: str, protocol: str, part: str) -> bool:
    if protocol == "own":
        return name != "conll16"  # the treebanks have no parts of their own
    if protocol == "lin":
        return part == "dev"
    return name == "conll16" and part != "train"  # the shared task lacks the sections 0, 1 and 24
