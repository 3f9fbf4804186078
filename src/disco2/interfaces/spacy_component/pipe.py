"""The component of a spaCy pipeline: reads spaCy's documents, adds missing layers, predicts relations.

Tokens are the document's own, without whitespace tokens. Sentences, tags and dependencies are the pipeline's
if it made them. The built-in English annotators make the rest on the document's own tokens, and sentence
boundaries that they find are written to the document.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import srsly
from spacy.pipeline import Pipe

from disco2.annotation.annotator import Annotators, Layer, analysis_of, sentence_spans
from disco2.annotation.english.annotators import shared_english, split_sentences
from disco2.annotation.text import INVISIBLE, SPACE
from disco2.bundle.folder import EVERY_FILE, unverified_bytes
from disco2.data import Document, Sentence, Token
from disco2.errors import BundleError, SettingsError
from disco2.files import HIDDEN_LIST, folder_in_place
from disco2.inference.pipeline import Pipeline, check_batch_size, load, model_digest
from disco2.inference.prediction import Prediction, RelationChoice, text_result
from disco2.interfaces.spacy_component import store, stored
from disco2.shipped import MANIFEST, absolute_model, find_model, is_shipped, shipped_names
from disco2.version import VERSION

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

    from disco2.inference.view import RelationView

MAX_TOKENS = 20_000  # per batch of documents, unless one document has more
CONFIGURATION, FOLDER = "cfg.json", "bundle"  # names in a saved pipeline
_VISIBLE = re.compile(rf"[^{SPACE}{INVISIBLE}]")
_SAVE_AGAIN = "Save the pipeline again with nlp.to_disk."


def check_language(nlp: Language, *, model: str | None) -> None:
    """The bundled models are for English; a user's own model may be for any language, with a warning."""
    if nlp.lang == "en":
        return
    if model is None or model in shipped_names():
        what = f"The bundled models are for English, but the language of this pipeline is '{nlp.lang}'."
        hint = "Use an English pipeline, or give the folder of your own model as 'model'."
        raise SettingsError(what, hint=hint)
    warnings.warn(
        f"Layers that this pipeline ('{nlp.lang}') does not have are made by disco2's English annotators.",
        stacklevel=2,
    )


@dataclass
class _Reading:
    """A spaCy document being read."""

    doc: Doc
    document: Document
    split: bool  # whether the pipeline set sentence boundaries
    missing: frozenset[Layer]
    makers: list[str]  # names of the makers of layers
    predictions: Sequence[Prediction] = field(default_factory=list)


def read_documents(
    docs: Sequence[Doc], *, paragraphs: str, pipeline: str, english: Annotators
) -> list[_Reading]:
    """Convert spaCy documents to documents with all layers; ``pipeline`` is the name of their maker."""
    readings = [_read_doc(doc, f"doc{number}", pipeline) for number, doc in enumerate(docs)]
    if unsplit := [one for one in readings if one.document.tokens and not one.document.sentences]:
        split = split_sentences([one.document for one in unsplit], line_ends=paragraphs == "line")
        for one, document in zip(unsplit, split, strict=True):
            one.document = document
            one.makers += english.names(frozenset({Layer.TOKENS}))
    for layers in {one.missing for one in readings}:  # documents that lack the same layers together
        members = [one for one in readings if one.missing == layers and one.document.tokens]
        made = english.annotate([one.document for one in members], layers=layers) if members else []
        for one, document in zip(members, made, strict=True):
            one.document = document
            one.makers += english.names(layers)
    return readings


def _read_doc(doc: Doc, name: str, pipeline: str) -> _Reading:
    """Tokens, and the sentences, tags and dependencies that the pipeline made."""
    words = [_VISIBLE.search(token.text) is not None for token in doc]
    split = len(doc) > 0 and doc.has_annotation("SENT_START")
    tagged, parsed = (
        all(key or not word for key, word in zip(doc.to_array(column).tolist(), words, strict=True))
        for column in ("TAG", "DEP")
    )
    parsed = parsed and split
    found = analysis_of(doc, sentence_spans(doc), tagged=tagged, parsed=parsed, words=words)
    tags = found.tags or [""] * len(found.starts)
    tokens = tuple(
        Token(doc.text[start:end], start, end, tag)
        for start, end, tag in zip(found.starts, found.ends, tags, strict=True)
    )
    sentences = tuple(
        Sentence(start, end, dependencies=tree)
        for (start, end), tree in zip(found.sentences, found.dependencies, strict=True)
    )
    missing = {Layer.CONSTITUENTS, Layer.COREFERENCE}
    missing |= ({Layer.TAGS} if not tagged else set()) | ({Layer.DEPENDENCIES} if not parsed else set())
    document = Document(name, doc.text, tokens, sentences if split else ())
    return _Reading(doc, document, split, frozenset(missing), [pipeline])


@dataclass(frozen=True)
class ModelSource:
    """A model as ``disco2.load`` takes it, or its files in memory."""

    model: str | None = None
    files: dict[str, bytes] | None = None
    name: str = ""  # of a model in memory

    def open(self, english: Annotators) -> Pipeline:
        """Load and verify the model; BundleError if it is missing or damaged."""
        if self.files is None:
            return load(self.model, annotators=english)
        with TemporaryDirectory() as scratch:
            for name, content in self.files.items():
                (Path(scratch) / name).write_bytes(content)
            pipeline = load(Path(scratch), annotators=english)
        pipeline.info = replace(pipeline.info, name=self.name)
        return pipeline


def _read_model_files(folder: Path) -> dict[str, bytes]:
    try:
        found = {name: unverified_bytes(folder, name) for name in (MANIFEST, *EVERY_FILE)}
    except OSError as error:
        raise BundleError(f"Could not read the model: {error}.", where=str(folder)) from error
    return {name: content for name, content in found.items() if content is not None}


def _saved_source(saved: Any, files: Any, *, where: str) -> ModelSource:
    """The model that a saved pipeline names, not yet verified; BundleError if it is not there."""
    if not isinstance(saved, dict):
        raise BundleError("The saved pipeline does not name its model.", where=where, hint=_SAVE_AGAIN)
    name, version = str(saved.get("name", "")), saved.get("disco2")
    if saved.get("model") == "own":
        # Only known names, so that no other file is ever written; only bytes, as bytes(10**13) is huge.
        known = {one: files.get(one) for one in (MANIFEST, *EVERY_FILE)} if isinstance(files, dict) else {}
        return ModelSource(
            files={one: kept for one, kept in known.items() if isinstance(kept, bytes)}, name=name
        )
    for shipped in shipped_names():  # by digest, as the default model may have changed since
        with suppress(BundleError):  # a damaged model has none
            if model_digest(shipped) == saved.get("digest"):
                return ModelSource(shipped)
    what = f"The pipeline was saved with the model '{name}' of disco2 {version}; found a different one."
    hint = f"Install disco2 {version}, or add the component again with a model of this version."
    raise BundleError(what, where=where, hint=hint)


class Disco2Pipe(Pipe):
    """The component. Model and annotators are loaded with the first document."""

    def __init__(
        self,
        name: str,
        choice: RelationChoice,
        *,
        paragraphs: str = "blank",
        model: str | None = None,
        pipeline: str = "spaCy",
    ) -> None:
        self.name = name
        self._choice = choice
        self._paragraphs = paragraphs
        self._made_by = pipeline
        self._source = ModelSource(absolute_model(model))  # the current folder may change before loading
        self._opened: Pipeline | None = None

    def __call__(self, doc: Doc) -> Doc:
        self._model()  # a missing model is not an error of the document
        try:
            self._write(self._predict([doc])[0])
        except Exception as error:
            self.get_error_handler()(self.name, self, [doc], error)
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Process documents in order, ``batch_size`` at a time.

        If a batch fails, its documents are processed one by one, and the error handler gets those that fail.
        """
        check_batch_size(batch_size, of="documents")
        self._model()
        for docs in _batches(stream, batch_size):
            try:
                readings = iter(self._predict(docs))
            except Exception:
                readings = iter(())
            for doc in docs:
                try:
                    self._write(next(readings, None) or self._predict([doc])[0])
                except Exception as error:
                    self.get_error_handler()(self.name, self, [doc], error)
                else:
                    yield doc

    def views(self, doc: Doc, *, limit: int) -> list[RelationView] | None:
        """What ``render`` draws of the first relations; None if this component now finds other relations."""

        def outcome(one: dict[str, Any]) -> tuple[Any, ...]:
            return one["sense"], one["arg1"], one["arg2"], round(one["probability"], 3)

        predictions = self._predict([doc])[0].predictions
        relations = (stored(doc) or {"relations": []})["relations"]
        if list(map(outcome, relations)) != [outcome(one.to_json()) for one in predictions]:
            return None
        return [self._model().view(prediction) for prediction in predictions[:limit]]

    def to_disk(self, path: str | Path, *, exclude: Sequence[str] = (), force: bool = False) -> None:
        """Save to a folder, with a copy of the model unless it is bundled; all of it, whatever is excluded.

        See ``files.check_folder_place`` for what the folder may contain, and what ``force`` does.
        """
        saved = self._saved()
        with folder_in_place(Path(path), HIDDEN_LIST, force=force) as folder:
            (folder / CONFIGURATION).write_text(json.dumps(saved["cfg"], indent=1), encoding="utf-8")
            if saved[FOLDER]:
                (folder / FOLDER).mkdir()
            for name, content in saved[FOLDER].items():
                (folder / FOLDER / name).write_bytes(content)

    def from_disk(self, path: str | Path, *, exclude: Sequence[str] = ()) -> Disco2Pipe:
        """Use the model of a saved component; BundleError if it is missing, damaged or a different one."""
        folder = Path(path)
        try:
            saved = json.loads((folder / CONFIGURATION).read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            message = f"Could not read the saved component: {error}."
            raise BundleError(message, where=str(folder), hint=_SAVE_AGAIN) from error
        return self._use(saved, _read_model_files(folder / FOLDER), where=str(folder))

    def to_bytes(self, *, exclude: Sequence[str] = ()) -> bytes:
        """The same as bytes."""
        return bytes(srsly.msgpack_dumps(self._saved()))

    def from_bytes(self, content: bytes, *, exclude: Sequence[str] = ()) -> Disco2Pipe:
        try:
            saved = dict(srsly.msgpack_loads(content))
        except Exception as error:  # msgpack raises many types
            raise BundleError("These are not the bytes of a saved component.") from error
        return self._use(saved.get("cfg"), saved.get(FOLDER), where="the pipeline's bytes")

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle without the loaded model, for other processes."""
        return type(self), (self.name, self._choice), vars(self) | {"_opened": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)

    def _use(self, saved: Any, files: Any, *, where: str) -> Disco2Pipe:
        source = _saved_source(saved, files, where=where)
        opened = None if source.files is None else source.open(shared_english())  # verify its files now
        if opened and opened.info.digest != saved.get("digest"):
            message = "The saved pipeline has another model than the one it was saved with."
            raise BundleError(message, where=where, hint=_SAVE_AGAIN)
        self._source, self._opened = source, opened
        return self

    def _model(self) -> Pipeline:
        if self._opened is None:
            self._opened = self._source.open(shared_english())
        return self._opened

    def _saved(self) -> dict[str, Any]:
        """What a saved pipeline says about its model, and the files of a model that is not bundled."""
        files = self._source.files
        if files is None:
            folder = find_model(self._source.model)
            files = {} if is_shipped(folder) else _read_model_files(folder)
        kind, info = "own" if files else "shipped", self._model().info
        return {
            "cfg": {"model": kind, "name": info.name, "digest": info.digest, "disco2": VERSION},
            FOLDER: files,
        }

    def _predict(self, docs: Sequence[Doc]) -> list[_Reading]:
        """Annotate and score documents together."""
        readings = read_documents(
            docs, paragraphs=self._paragraphs, pipeline=self._made_by, english=shared_english()
        )
        documents = [one.document for one in readings]
        found = self._model().find_all(documents, self._choice, paragraphs=self._paragraphs)
        for one, predictions in zip(readings, found, strict=True):
            one.predictions = predictions
        return readings

    def _write(self, one: _Reading) -> None:
        """Store the relations on the spaCy document, and sentence boundaries if it has none."""
        makers = " + ".join(dict.fromkeys(one.makers))
        store(one.doc, text_result(self._model(), one.document, one.predictions, annotators=makers))
        if not one.split and one.document.sentences:
            starts = {one.document.tokens[sentence.start].start for sentence in one.document.sentences}
            for token in one.doc:
                token.is_sent_start = token.i == 0 or (token.idx in starts and token.idx != min(starts))


def _batches(stream: Iterable[Doc], size: int) -> Iterator[list[Doc]]:
    """At most ``size`` documents and about ``MAX_TOKENS`` tokens at a time."""
    batch: list[Doc] = []
    for doc in stream:
        batch.append(doc)
        if len(batch) >= size or sum(map(len, batch)) >= MAX_TOKENS:
            yield batch
            batch = []
    if batch:
        yield batch
