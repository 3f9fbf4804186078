"""A component of the built-in English annotator that is loaded when it first has something to annotate."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import ClassVar, Protocol

from disco2.annotation.annotator import Annotator, Layer, Layers
from disco2.annotation.english.weights_digest import named, weights_digest
from disco2.records import Document


class Component(Protocol):
    """What is known of a component before its weights are read."""

    NAME: ClassVar[str]
    REQUIRES: ClassVar[Mapping[Layer, Layers]]


class ComponentOnDemand:
    """Goes by the name of the component whose weights lie in a folder, and reads them when needed."""

    def __init__(self, kind: type[Component], folder: Path, load: Callable[[Path], Annotator]) -> None:
        self._folder = folder
        self._load = load
        self._loaded: Annotator | None = None
        self._lock = Lock()  # threads that come together must not all load the same weights
        self.name = self.fingerprint = named(kind.NAME, weights_digest(folder))
        self.requires = kind.REQUIRES

    def annotate(self, documents: Sequence[Document], *, layers: Layers) -> list[Document]:
        return self.loaded().annotate(documents, layers=layers) if documents else []

    def loaded(self) -> Annotator:
        """The component itself."""
        with self._lock:
            if self._loaded is None:
                self._loaded = self._load(self._folder)
            return self._loaded
