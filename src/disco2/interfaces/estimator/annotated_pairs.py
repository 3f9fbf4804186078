"""Pairs of texts -> relations with layers, each pair annotated once in a process."""

from __future__ import annotations

import atexit
from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from functools import cache
from threading import RLock

from disco2.annotation.annotator import ALL_LAYERS, Annotator, Layer, Layers
from disco2.annotation.choice import AnnotatorChoice, ChosenAnnotators
from disco2.data import Document, Instance
from disco2.inference.given_pair import GivenPair
from disco2.interfaces.estimator.inputs import read_relations
from disco2.interfaces.estimator.refusals import UnusableSettingsError, as_value_errors

PAIRS_AT_ONCE = 64
MOST_TOKENS = 500_000  # that are kept, with all their layers: about 170 megabytes


class AnnotatorsOnDemand:
    """The annotators of a choice, loaded when first needed and once in a process.

    It holds nothing but the choice, so it can be copied and sent to other processes.
    """

    def __init__(self, choice: AnnotatorChoice) -> None:
        self.choice = choice

    @property
    def name(self) -> str:
        return _opened(self.choice).name

    @property
    def requires(self) -> Mapping[Layer, Layers]:
        return _opened(self.choice).requires

    def annotate(self, documents: Sequence[Document], *, layers: Layers) -> list[Document]:
        return _opened(self.choice).annotate(documents, layers=layers)


@cache
def _opened(choice: AnnotatorChoice) -> ChosenAnnotators:
    annotators = choice.open()
    atexit.register(annotators.close)
    return annotators


def annotators_of(given: object) -> Annotator:
    """The built-in English annotators for None, those of a choice, or the annotator itself."""
    if given is None:
        return AnnotatorsOnDemand(AnnotatorChoice())
    if isinstance(given, AnnotatorChoice):
        return AnnotatorsOnDemand(given)
    if all(hasattr(given, name) for name in ("name", "requires", "annotate")) and not isinstance(given, type):
        annotator: Annotator = given  # type: ignore[assignment]  # it has what the protocol asks for
        return annotator
    raise UnusableSettingsError(
        f"annotators is of type {type(given).__name__}.",
        hint="Give None for the built-in English ones, an AnnotatorChoice, or an annotator.",
    )


class AnnotationMemory:
    """The relations of the pairs that were last asked for, at most so many tokens of them.

    In cross-validation and searches the same pairs come again and again, and annotating takes longer than
    most trainings.
    """

    def __init__(self, *, most_tokens: int = MOST_TOKENS) -> None:
        self._most_tokens = most_tokens
        self._kept: OrderedDict[Hashable, Instance] = OrderedDict()
        self._tokens = 0
        self._lock = RLock()  # annotators are not for several threads at once

    def __len__(self) -> int:
        return len(self._kept)

    def relations(self, pairs: Sequence[GivenPair], annotators: Annotator) -> list[Instance]:
        """A relation for each pair, in order."""
        who = _identity(annotators)
        with self._lock:
            asked = [(who, pair.arg1, pair.arg2) for pair in pairs]
            new = {key: pair for key, pair in zip(asked, pairs, strict=True) if key not in self._kept}
            found = {key: self._kept[key] for key in asked if key not in new}
            waiting = list(new.items())
            for begin in range(0, len(waiting), PAIRS_AT_ONCE):
                some = waiting[begin : begin + PAIRS_AT_ONCE]
                made = _annotated([pair for _, pair in some], annotators)
                found |= {key: instance for (key, _), instance in zip(some, made, strict=True)}
            for key, instance in found.items():
                self._keep(key, instance)
            return [found[key] for key in asked]

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()
            self._tokens = 0

    def _keep(self, key: Hashable, instance: Instance) -> None:
        if key not in self._kept:
            self._tokens += len(instance.document.tokens)
        self._kept[key] = instance
        self._kept.move_to_end(key)
        while self._tokens > self._most_tokens:
            _, oldest = self._kept.popitem(last=False)
            self._tokens -= len(oldest.document.tokens)


def _identity(annotators: Annotator) -> Hashable:
    """What tells annotators apart, also where they were copied or came from another process."""
    if isinstance(annotators, AnnotatorsOnDemand):
        return annotators.choice
    return type(annotators), annotators.name  # the class itself: a notebook may define it again


def _annotated(pairs: Sequence[GivenPair], annotators: Annotator) -> list[Instance]:
    documents = annotators.annotate([pair.document() for pair in pairs], layers=ALL_LAYERS)
    return [pair.candidate(found).instance for pair, found in zip(pairs, documents, strict=True)]


MEMORY = AnnotationMemory()


def with_layers(given: Sequence[GivenPair] | Sequence[Instance], annotators: Annotator) -> list[Instance]:
    """Relations as they are; pairs annotated."""
    instances = [one for one in given if isinstance(one, Instance)]
    pairs = [one for one in given if isinstance(one, GivenPair)]
    return instances or MEMORY.relations(pairs, annotators)


def relations_of_pairs(X: object, *, annotators: object = None) -> list[Instance]:
    """Pairs of texts as relations that have their layers: annotate once, then fit as often as you like.

    Worth it where several processes cross-validate, each of which would have to annotate the texts itself.
    """
    with as_value_errors():
        return with_layers(read_relations(X), annotators_of(annotators))
