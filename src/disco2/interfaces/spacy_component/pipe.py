"""The component that a spaCy pipeline holds: documents in, the same documents with their relations out."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import WeakSet

from spacy.pipeline import Pipe

from disco2.annotation.english.annotators import EnglishOnDemand
from disco2.data import Document
from disco2.errors import BundleError, SettingsError
from disco2.files import HIDDEN_LIST, folder_in_place
from disco2.inference.batch_size import check_batch_size
from disco2.inference.candidates import PARAGRAPH_BREAKS
from disco2.inference.json_form import text_result
from disco2.inference.pipeline import Pipeline
from disco2.inference.prediction import Prediction, RelationChoice
from disco2.interfaces.spacy_component.layers import CONSTITUENTS, SpacyLayers
from disco2.interfaces.spacy_component.model_source import (
    CONFIGURATION,
    FOLDER,
    ModelSource,
    read_files,
    saved_source,
)
from disco2.interfaces.spacy_component.relations import store, stored
from disco2.shipped import absolute_model, shipped_names

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

    from disco2.inference.view import RelationView

LANGUAGE = "en"
MOST_TOKENS = 20_000  # in documents that are annotated at a time, unless a single one has more
SAME = 1e-4  # how far probabilities may lie apart that stand for the same answer

Answer = tuple[Document, list[Prediction], str]  # with who made the document's layers


@dataclass(frozen=True, slots=True, kw_only=True)
class Disco2Settings:
    """How a component reads documents."""

    paragraphs: str
    coref_prefix: str
    constituents: str
    kinds: str = ""  # separated by commas; all but NoRel where none is named
    between_only: bool = False

    @property
    def choice(self) -> RelationChoice:
        """Which relations are put on a document."""
        return RelationChoice.of(self.kinds or None, between_only=self.between_only)

    def __post_init__(self) -> None:
        self.choice  # noqa: B018  refused where a kind is unknown
        _check_choice("paragraphs", self.paragraphs, tuple(PARAGRAPH_BREAKS))
        _check_choice("constituents", self.constituents, CONSTITUENTS)
        if not self.coref_prefix:
            raise SettingsError(
                "The component disco2 needs a coref_prefix.", hint='Leave it out for "coref_clusters".'
            )


def check_language(nlp: Language, *, model: str | None) -> None:
    """The shipped models are for English; a model of one's own may be for any language, with a warning."""
    if nlp.lang == LANGUAGE:
        return
    if model is None or model in shipped_names():
        raise SettingsError(
            f"The shipped models are for English, and the language of this pipeline is '{nlp.lang}'.",
            hint="Use an English pipeline, or give the folder of a model of your own as 'model'.",
        )
    warnings.warn(
        f"Layers that this pipeline ('{nlp.lang}') lacks are made by disco2's English annotators.",
        stacklevel=2,
    )


class Disco2Pipe(Pipe):
    """Finds the relations of documents; everything is loaded when the first one comes."""

    living: ClassVar[WeakSet[Disco2Pipe]] = WeakSet()  # where ``render`` looks for the model of a document

    def __init__(
        self,
        name: str,
        settings: Disco2Settings,
        *,
        model: str | None = None,
        pipeline: str = "spaCy",
    ) -> None:
        self.name = name
        self.settings = settings
        self._made_by = pipeline
        # Absolute, as the current folder may be another one by the time the model is loaded.
        self._source = ModelSource(absolute_model(model))
        self._english = EnglishOnDemand.shared()
        self._opened: Pipeline | None = None
        self.living.add(self)

    def __call__(self, doc: Doc) -> Doc:
        self._model()  # what is wrong with it is no fault of the document
        try:
            self._put(doc, *self._answers([doc])[0])
        except Exception as error:
            self.get_error_handler()(self.name, self, [doc], error)
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Documents in order, many annotated and scored at a time.

        Where one fails, its batch is halved until that one is alone, and the error handler gets it.
        """
        check_batch_size(batch_size, of="documents")
        self._model()
        for docs in _portions(stream, batch_size):
            for doc, answer in zip(docs, self._answers_or_errors(docs), strict=True):
                if isinstance(answer, Exception):
                    self.get_error_handler()(self.name, self, [doc], answer)
                else:
                    self._put(doc, *answer)
                    yield doc

    def views(self, doc: Doc, *, most: int) -> list[RelationView] | None:
        """What can be drawn of the document's first relations: its layers are read and made once more.

        None where they give other answers than those on the document, because it was changed since.
        """
        [(_, predictions, _)] = self._answers([doc])
        said = stored(doc)
        relations = said["relations"] if said is not None else []
        if len(relations) != len(predictions) or not all(map(_is_same, relations, predictions)):
            return None
        pipeline = self._model()
        return [pipeline.view(prediction) for prediction in predictions[:most]]

    def made(self, said: dict[str, Any]) -> bool:
        """Whether what is on a document could have been put there by this component."""
        try:
            return bool(
                said["settings"] == asdict(self.settings) and said["model"]["digest"] == self._digest()
            )
        except BundleError:
            return False

    def to_disk(self, path: str | Path, *, exclude: Sequence[str] = (), force: bool = False) -> None:
        """Write a folder; a model that does not ship is copied into it.

        ``files.check_folder_place`` says what may be there already, and what ``force`` does.
        """
        with folder_in_place(Path(path), HIDDEN_LIST, force=force) as folder:
            if "cfg" not in exclude:
                (folder / CONFIGURATION).write_text(
                    json.dumps(self._description(), indent=1), encoding="utf-8"
                )
            if FOLDER not in exclude and not self._source.is_shipped:
                (folder / FOLDER).mkdir()
                for name, content in self._source.content().items():
                    (folder / FOLDER / name).write_bytes(content)

    def from_disk(self, path: str | Path, *, exclude: Sequence[str] = ()) -> Disco2Pipe:
        """Take the model of a saved component; BundleError where it is missing, damaged or another one."""
        folder = Path(path)
        try:
            said = (
                json.loads((folder / CONFIGURATION).read_text(encoding="utf-8"))
                if "cfg" not in exclude
                else None
            )
            copied = read_files(folder / FOLDER) if FOLDER not in exclude else {}
        except (OSError, ValueError) as error:
            raise BundleError(
                f"The saved component can't be read: {error}.",
                where=str(folder),
                hint="Save the pipeline again.",
            ) from error
        return self._take(said, copied, where=str(folder))

    def to_bytes(self, *, exclude: Sequence[str] = ()) -> bytes:
        """The same as bytes."""
        from spacy.util import to_bytes

        files = self._source.content
        parts: dict[str, Callable[[], Any]] = {"cfg": self._description, FOLDER: files}
        content: bytes = to_bytes(parts, exclude)
        return content

    def from_bytes(self, content: bytes, *, exclude: Sequence[str] = ()) -> Disco2Pipe:
        from spacy.util import from_bytes

        found: dict[str, Any] = {}
        readers: dict[str, Callable[[Any], Any]] = {
            "cfg": lambda said: found.update(cfg=said),
            FOLDER: lambda files: found.update(files=files),
        }
        try:
            from_bytes(content, readers, exclude)
        except Exception as error:  # whatever msgpack raises
            raise BundleError("These are not the bytes of a saved component.") from error
        return self._take(found.get("cfg"), found.get("files") or {}, where="the pipeline's bytes")

    def __reduce__(self) -> tuple[Any, ...]:
        """How it goes to another process: what it has loaded stays behind."""
        handler = self.error_handler if hasattr(self, "error_handler") else None
        return _sent, (self.name, self.settings, self._made_by, self._source, handler)

    def _take(self, said: Any, files: Any, *, where: str) -> Disco2Pipe:
        if said is not None:
            self._source, self._opened = saved_source(said, files, where=where), None
            if not self._source.is_shipped:
                self._model()  # verified now, and not when the first document comes
        return self

    def _model(self) -> Pipeline:
        if self._opened is None:
            self._opened = self._source.open(self._english)
        return self._opened

    def _digest(self) -> str:
        return self._opened.info.digest if self._opened is not None else self._source.digest()

    def _description(self) -> dict[str, Any]:
        info = self._model().info
        if self._source.digest() != info.digest:
            raise BundleError(
                "The model's folder was changed since the model was loaded, so it can't be copied.",
                where=self._source.model or "",
                hint="Make the pipeline anew, with the model that is there now.",
            )
        return self._source.description(name=info.name)

    def _answers_or_errors(self, docs: Sequence[Doc]) -> Sequence[Answer | Exception]:
        try:
            return self._answers(docs)
        except Exception as error:
            if len(docs) == 1:
                return [error]
            half = len(docs) // 2
            return [*self._answers_or_errors(docs[:half]), *self._answers_or_errors(docs[half:])]

    def _answers(self, docs: Sequence[Doc]) -> list[Answer]:
        """The documents' layers made together, and all their pairs scored together."""
        pipeline = self._model()
        layers = SpacyLayers(
            pipeline=self._made_by,
            paragraphs=self.settings.paragraphs,
            constituents=self.settings.constituents,
            coref_prefix=self.settings.coref_prefix,
            english=self._english,
        )
        found = layers.documents(docs)
        relations = pipeline.find_all(
            [document for document, _ in found], self.settings.choice, paragraphs=self.settings.paragraphs
        )
        return [
            (document, predictions, makers)
            for (document, makers), predictions in zip(found, relations, strict=True)
        ]

    def _put(self, doc: Doc, document: Document, predictions: list[Prediction], makers: str) -> None:
        result = text_result(self._model(), document, predictions, annotators=makers)
        store(doc, result, asdict(self.settings))


def _portions(stream: Iterable[Doc], most: int) -> Iterator[list[Doc]]:
    """Documents as they come, at most so many at a time and, where they are long, fewer."""
    portion: list[Doc] = []
    tokens = 0
    for doc in stream:
        portion.append(doc)
        tokens += len(doc)
        if len(portion) >= most or tokens >= MOST_TOKENS:
            yield portion
            portion, tokens = [], 0
    if portion:
        yield portion


def _is_same(said: dict[str, Any], prediction: Prediction) -> bool:
    places = [[[part.start, part.end] for part in span.pieces] for span in (prediction.arg1, prediction.arg2)]
    return (
        said["sense"] == prediction.sense
        and [[list(part) for part in said[name]] for name in ("arg1", "arg2")] == places
        and abs(said["probability"] - prediction.probability) < SAME
    )


def _check_choice(name: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise SettingsError(
            f"The component disco2 knows no {name} '{value}'.", hint=f"Choose {', '.join(known)}."
        )


def _sent(
    name: str, settings: Disco2Settings, made_by: str, source: ModelSource, handler: Callable[..., Any] | None
) -> Disco2Pipe:
    pipe = Disco2Pipe(name, settings, pipeline=made_by)
    pipe._source = source
    if handler is not None:
        pipe.set_error_handler(handler)
    return pipe
