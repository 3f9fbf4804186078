"""Annotated relations as running text presents them: two whole sentences, one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from disco2.corpora.tokens import argument_from_tokens
from disco2.data import Instance


def across_sentences(instances: Iterable[Instance]) -> list[Instance]:
    """Those whose arguments share no sentence."""
    return [one for one in instances if _sentences(one)[0].isdisjoint(_sentences(one)[1])]


def as_running_text(instances: Sequence[Instance]) -> list[Instance]:
    """Those between two neighbouring sentences, with the whole sentences for arguments.

    Relations within a sentence, and of arguments that touch several, are nothing that a reader of running
    text judges, who knows of sentences alone.
    """
    found = []
    for one in instances:
        first, second = (sorted(sentences) for sentences in _sentences(one))
        if len(first) == len(second) == 1 and second[0] - first[0] == 1:
            arguments = [
                argument_from_tokens(one.document, range(sentence.start, sentence.end))
                for sentence in (one.document.sentences[first[0]], one.document.sentences[second[0]])
            ]
            relation = replace(one.relation, arg1=arguments[0], arg2=arguments[1])
            found.append(replace(one, relation=relation))
    return found


def _sentences(one: Instance) -> tuple[set[int], set[int]]:
    relation, place = one.relation, one.document.sentence_index
    return set(map(place, relation.arg1.tokens)), set(map(place, relation.arg2.tokens))
