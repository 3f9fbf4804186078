"""The components of the built-in English annotator: names, weights, loading."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import ClassVar
from weakref import ReferenceType, ref

from disco2.annotation.annotator import ALL_LAYERS, Annotator, Annotators, Layer, Layers
from disco2.data import Document
from disco2.errors import BundleError
from disco2.threads import single_threaded

DIGITS = 8


def weights_digest(folder: Path) -> str:
    """First digits of the SHA-256 of the folder's files (names, sizes, contents), without hidden ones."""
    total = sha256()
    try:
        files = {file.relative_to(folder): file for file in folder.rglob("*") if file.is_file()}
        for name in sorted(files, key=lambda name: name.parts):
            if not any(part.startswith(".") for part in name.parts):
                content = files[name].read_bytes()
                total.update(f"{name.as_posix()}\n{len(content)}\n".encode("utf-8", "surrogateescape"))
                total.update(content)
    except OSError as error:
        raise BundleError(f"The weights can't be read ({error}).", where=str(folder)) from error
    return total.hexdigest()[:DIGITS]


class Component:
    """Base class of the components: their names, and the layers they need for each that they make."""

    NAME: ClassVar[str]
    REQUIRES: ClassVar[Mapping[Layer, Layers]]
    digest: str  # of the folder with the weights; empty where they come from elsewhere

    @property
    def name(self) -> str:
        return f"{self.NAME} {self.digest}" if self.digest else self.NAME

    @property
    def fingerprint(self) -> str:
        """Cache key for this annotator's output; empty without weights from a folder."""
        return self.name if self.digest else ""

    @property
    def requires(self) -> Mapping[Layer, Layers]:
        return self.REQUIRES


class ComponentOnDemand:
    """A component whose weights are read at first use; its name is known before."""

    def __init__(self, kind: type[Component], folder: Path, load: Callable[[Path], Annotator]) -> None:
        self._folder = folder
        self._load = load
        self._loaded: Annotator | None = None
        self._lock = Lock()  # so that two threads do not load the same weights
        self.name = self.fingerprint = f"{kind.NAME} {weights_digest(folder)}"
        self.requires = kind.REQUIRES

    def annotate(self, documents: Sequence[Document], *, layers: Layers) -> list[Document]:
        return self.loaded().annotate(documents, layers=layers) if documents else []

    def loaded(self) -> Annotator:
        """The component, read now if it was not yet."""
        with self._lock:
            if self._loaded is None:
                self._loaded = self._load(self._folder)
            return self._loaded


SHIPPED = Path(__file__).resolve().parents[2] / "models" / "english"
# Each with the layers it makes, in the order in which they can be trained.
COMPONENTS: dict[str, Layers] = {
    "syntax": frozenset({Layer.TOKENS, Layer.TAGS, Layer.DEPENDENCIES}),
    "constituents": frozenset({Layer.CONSTITUENTS}),
    "coreference": frozenset({Layer.COREFERENCE}),
}


def english_annotators(
    folder: Path = SHIPPED, *, layers: Layers = ALL_LAYERS, on_demand: bool = False
) -> list[Annotator]:
    """The components that make these layers; with ``on_demand`` each is loaded at first use."""
    from disco2.vectors.source import read_shipped

    annotators: list[Annotator] = []
    vectors = cache(read_shipped)  # once for two components

    def add(component: str, kind: type[Component], load: Callable[[Path], Annotator]) -> None:
        place = folder / component
        annotators.append(ComponentOnDemand(kind, place, load) if on_demand else load(place))

    if layers & COMPONENTS["syntax"]:
        from disco2.annotation.english.syntax import SpacySyntax

        add("syntax", SpacySyntax, lambda place: SpacySyntax.load(place, vectors=vectors()))
    if layers & COMPONENTS["constituents"]:
        from disco2.annotation.english.constituents import SpanParser

        add("constituents", SpanParser, lambda place: SpanParser.load(place, vectors=vectors()))
    if layers & COMPONENTS["coreference"]:
        from disco2.annotation.english.coreference import MentionRanker

        add("coreference", MentionRanker, MentionRanker.load)
    return annotators


class EnglishOnDemand(Annotators):
    """An annotator of all layers that loads each shipped model at first use."""

    _living: ClassVar[ReferenceType[EnglishOnDemand] | None] = None
    _lock: ClassVar[Lock] = Lock()

    def __init__(self) -> None:
        super().__init__(english_annotators(on_demand=True))

    @classmethod
    def shared(cls) -> EnglishOnDemand:
        """The instance that this process shares: its models are large and never change."""
        with cls._lock:
            living = cls._living() if cls._living is not None else None
            if living is None:
                living = cls()
                cls._living = ref(living)
            return living

    def names(self, layers: Layers) -> list[str]:
        """The names of the annotators that make these layers."""
        return list(dict.fromkeys(self.maker(layer).name for layer in Layer if layer in layers))

    @single_threaded()
    def split(self, documents: Sequence[Document], *, line_ends: bool = False) -> list[Document]:
        """Add sentences to documents with tokens."""
        from disco2.annotation.english.syntax import SpacySyntax

        component = self.maker(Layer.TOKENS)
        assert isinstance(component, ComponentOnDemand)  # noqa: S101
        syntax = component.loaded()
        assert isinstance(syntax, SpacySyntax)  # noqa: S101
        return syntax.split(documents, line_ends=line_ends)
