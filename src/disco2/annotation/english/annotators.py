"""The built-in English annotators: which there are, and how they are loaded from verified files."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from hashlib import sha256
from importlib import import_module
from itertools import pairwise, starmap
from pathlib import Path, PurePosixPath
from threading import Lock
from typing import TYPE_CHECKING, ClassVar, Protocol, Self

from disco2.annotation.annotator import ALL_LAYERS, Annotators, Layer, Layers, raw_document
from disco2.annotation.text import LINE_END
from disco2.data import Document, Sentence
from disco2.errors import BundleError, Disco2Error
from disco2.files import read_listed_files
from disco2.threads import single_threaded

if TYPE_CHECKING:
    from disco2.vectors import WordVectors

DIGITS = 8
SHIPPED = Path(__file__).resolve().parents[2] / "models" / "english"
# Each with the layers it makes, in the order in which they can be trained.
COMPONENTS: dict[str, Layers] = {
    "syntax": frozenset({Layer.TOKENS, Layer.TAGS, Layer.DEPENDENCIES}),
    "constituents": frozenset({Layer.CONSTITUENTS}),
    "coreference": frozenset({Layer.COREFERENCE}),
}

# Imported late: spaCy and NumPy take long to import.
_MODELS = {"syntax": "SpacySyntax", "constituents": "SpanParser", "coreference": "MentionRanker"}

Files = Mapping[str, bytes]  # the content of each file, by its path in the folder
VectorReader = Callable[[], "WordVectors"]


class Model(Protocol):
    """What a component runs: ``SpacySyntax``, ``SpanParser`` or ``MentionRanker``."""

    NAME: ClassVar[str]
    REQUIRES: ClassVar[Mapping[Layer, Layers]]

    @classmethod
    def load(cls, files: Files, vectors: VectorReader) -> Self: ...

    def annotate(self, documents: Sequence[Document], *, layers: Layers) -> list[Document]: ...


class Component:
    """A built-in annotator. Its files are verified at once and parsed when ``model`` is first needed."""

    def __init__(self, kind: type[Model], folder: Path, vectors: VectorReader) -> None:
        self._kind, self._folder, self._vectors = kind, folder, vectors
        self._files: Files = read_listed_files(folder)
        self._model: Model | None = None
        self._lock = Lock()  # so that two threads do not parse the same files
        self.name = self.fingerprint = f"{kind.NAME} {weights_digest(self._files)}"
        self.requires = kind.REQUIRES

    def annotate(self, documents: Sequence[Document], *, layers: Layers) -> list[Document]:
        return self.model.annotate(documents, layers=layers) if documents else []

    @property
    def model(self) -> Model:
        """The model; raises BundleError if its files can't be parsed."""
        with self._lock:
            if self._model is None:
                try:
                    self._model = self._kind.load(self._files, self._vectors)
                except Disco2Error:
                    raise
                except Exception as error:  # spaCy and safetensors raise exceptions of many kinds
                    raise BundleError(
                        f"The model can't be read ({type(error).__name__}: {error}).",
                        where=str(self._folder),
                        hint="Install disco2 again, or train the annotators: disco2 annotator train --help",
                    ) from error
                self._files = {}  # not needed any more
            return self._model


def weights_digest(files: Files) -> str:
    """The first digits of the SHA-256 of files: names, sizes, contents."""
    total = sha256()
    for name in sorted(files, key=lambda name: PurePosixPath(name).parts):
        total.update(f"{name}\n{len(files[name])}\n".encode("utf-8", "surrogateescape"))
        total.update(files[name])
    return total.hexdigest()[:DIGITS]


def load_component(name: str, folder: Path | None = None, vectors: VectorReader | None = None) -> Component:
    """A component by its name, from a folder of its own; default: the shipped one."""
    from disco2.vectors.source import read_shipped

    module = import_module(f"disco2.annotation.english.{name}")
    return Component(getattr(module, _MODELS[name]), folder or SHIPPED / name, vectors or read_shipped)


def english_annotators(
    folder: Path = SHIPPED, *, layers: Layers = ALL_LAYERS, on_demand: bool = False
) -> list[Component]:
    """The components that make these layers; with ``on_demand`` each is parsed at its first use."""
    from disco2.vectors.source import read_shipped

    vectors = cache(read_shipped)  # read once for two components
    found = [
        load_component(name, folder / name, vectors) for name, made in COMPONENTS.items() if made & layers
    ]
    if not on_demand:
        for component in found:
            _ = component.model
    return found


@cache
def shared_english() -> Annotators:
    """The built-in annotators of all layers, loaded on demand and once per process."""
    return Annotators(english_annotators(on_demand=True))


@single_threaded()
def split_sentences(documents: Sequence[Document], *, line_ends: bool = False) -> list[Document]:
    """Add sentences to documents with tokens: they begin where the built-in annotator begins one in the text.

    With ``line_ends`` each line ends a sentence.
    """
    texts = [raw_document(_lines_as_paragraphs(one.text) if line_ends else one.text) for one in documents]
    tokens_only = frozenset({Layer.TOKENS})
    split = shared_english().maker(Layer.TOKENS).annotate(texts, layers=tokens_only)
    found: list[Document] = []
    for document, made in zip(documents, split, strict=True):
        places = [token.start for token in document.tokens]
        begins = (made.tokens[sentence.start].start for sentence in made.sentences)
        bounds = sorted({0, len(places), *(bisect_left(places, begin) for begin in begins)})
        found.append(replace(document, sentences=tuple(starmap(Sentence, pairwise(bounds)))))
    return found


def _lines_as_paragraphs(text: str) -> str:
    """With Unicode's separator of paragraphs in place of line ends, as many characters as before."""
    return LINE_END.sub(lambda end: "\u2029" * len(end[0]), text)
