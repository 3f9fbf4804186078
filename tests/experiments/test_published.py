"""Published figures stand beside ours where the corpus is the paper's."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from disco2.corpora.protocols import documents_with_coreference
from disco2.data import Corpus
from disco2.experiments.bench import Bench
from disco2.experiments.configuration import Configuration
from disco2.experiments.published import SOURCE, is_papers_corpus, notes_beside
from tests.corpora.made_up import corpus, relation


def pdtb2(*, without: str = "") -> Corpus:
    """Two documents; one may be without coreference."""
    made = corpus([relation(name, 1, ["Contingency.Cause"]) for name in ("wsj_0201", "wsj_2301")])
    documents = {
        name: replace(one, mentions=None if name == without else ()) for name, one in made.documents.items()
    }
    return replace(made, name="pdtb2", inventory="pdtb2", documents=documents)


def is_beside(made: Corpus, **changes: Any) -> bool:
    settings = {f"task.{name}": value for name, value in changes.items()}
    return is_papers_corpus(Bench({"own": made}, Configuration().changed(settings), seeds=(1,)), "lin")


def test_the_usual_task_on_the_papers_corpus() -> None:
    assert is_beside(pdtb2())
    assert is_beside(pdtb2(), level=2)
    assert not is_beside(replace(pdtb2(), name="pdtb3"))
    assert not is_beside(pdtb2(), protocol="ji")


@pytest.mark.parametrize(
    "changes",
    [
        {"level": 1},
        {"minimum": 5},
        {"labels": ("Contingency.Cause", "Expansion.List")},
        {"keep": ("Contingency.Condition",)},
        {"excluded": ("List",)},
        {"outcomes": "running-text"},
        {"versus": "Expansion"},
    ],
)
def test_another_task_is_not_the_papers(changes: dict[str, Any]) -> None:
    assert not is_beside(pdtb2(), **changes)


def test_the_intersection_is_not_the_papers_corpus() -> None:
    assert not is_beside(documents_with_coreference(pdtb2(without="wsj_0201")))
    assert is_beside(documents_with_coreference(pdtb2())), "nothing was left out"


def test_documents_without_coreference_are_counted() -> None:
    assert notes_beside(Bench({"own": pdtb2()}, Configuration(), seeds=(1,))) == (SOURCE,)
    partial = notes_beside(Bench({"own": pdtb2(without="wsj_0201")}, Configuration(), seeds=(1,)))
    assert "1 of 2 documents have none" in partial[1]
