"""The built-in English annotators as one, each loaded when it is first needed."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import ClassVar
from weakref import ReferenceType, ref

from disco2.annotation.annotator import Annotators, Layer, Layers
from disco2.annotation.english.annotators import english_annotators
from disco2.annotation.english.component_on_demand import ComponentOnDemand
from disco2.annotation.english.syntax import SpacySyntax
from disco2.records import Document
from disco2.threads import single_threaded


class EnglishOnDemand(Annotators):
    """An annotator of all layers that reads no more of the shipped models than it is asked for."""

    _living: ClassVar[ReferenceType[EnglishOnDemand] | None] = None
    _lock: ClassVar[Lock] = Lock()

    def __init__(self) -> None:
        super().__init__(english_annotators(on_demand=True))

    @classmethod
    def shared(cls) -> EnglishOnDemand:
        """The one that others in this process have, if any: its models are large, and nothing alters them."""
        with cls._lock:
            living = cls._living() if cls._living is not None else None
            if living is None:
                living = cls()
                cls._living = ref(living)
            return living

    def names(self, layers: Layers) -> list[str]:
        """Who makes these layers."""
        return list(dict.fromkeys(self.maker(layer).name for layer in Layer if layer in layers))

    @single_threaded()
    def split(self, documents: Sequence[Document], *, line_ends: bool = False) -> list[Document]:
        """Documents with tokens, given sentences."""
        component = self.maker(Layer.TOKENS)
        assert isinstance(component, ComponentOnDemand)  # noqa: S101
        syntax = component.loaded()
        assert isinstance(syntax, SpacySyntax)  # noqa: S101
        return syntax.split(documents, line_ends=line_ends)
