"""The corpora by name: reading them, their licences, and layers made by annotators in place of gold ones."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

from disco2.annotation.annotator import Annotator, Layer, Layers
from disco2.annotation.text import Span, pair_spans, pair_text
from disco2.corpora.reading import TokenSpans, find_character_spans, gc_disabled
from disco2.data import Corpus, Document, ReadIssues, Relation
from disco2.errors import CorpusError, SettingsError

CORPORA: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("corpora.toml").read_text(encoding="utf-8")
)
CORPUS_NAMES = tuple(CORPORA)
_UNKNOWN_LICENCE = "that of its corpus; ask the publisher before passing the model on"


@gc_disabled()
def read_corpus(
    name: str,
    path: Path | str,
    *,
    trees: Path | str | None = None,
    coreference: Path | str | None = None,
    dependencies: Path | str | None = None,
    raw: Path | str | None = None,
    offsets: str = "auto",
) -> Corpus:
    """Read the corpus of that kind at a path.

    ``trees``, ``coreference`` and ``dependencies`` are folders with layers for the Penn Discourse Treebanks
    and CoNLL-16, ``raw`` is the folder of PDTB 2's text if it is elsewhere, and ``offsets`` says whether the
    ends of PDTB 3's spans are inclusive or exclusive. For DISRPT, ``dependencies`` holds the tokens if they
    are not beside the relations. An option that the corpus does not take raises SettingsError.
    """
    kind = known_corpus(name)
    options = {"trees": trees, "coreference": coreference, "dependencies": dependencies, "raw": raw}
    given: dict[str, Any] = {option: Path(value) for option, value in options.items() if value is not None}
    if offsets != "auto":
        given["offsets"] = offsets
    reader = kind.replace("-", "_")
    module = "pdtb" if reader.startswith("pdtb") else reader
    # Imported here, so that reading one corpus does not load the readers of all others.
    read = getattr(import_module(f"disco2.corpora.{module}"), f"read_{reader}")
    takes = signature(read).parameters.keys() & {*options, "offsets"}
    if refused := given.keys() - takes:
        raise SettingsError(
            f"The corpus '{kind}' does not take the option '{min(refused)}'.",
            hint=f"Options it takes: {', '.join(sorted(takes)) or 'none'}.",
        )
    try:
        Path(path).stat()
        corpus: Corpus = read(Path(path), **given)
    except OSError as error:
        raise CorpusError(
            f"It can't be read ({error.strerror or error}).",
            where=str(error.filename or path),
            hint=f"For '{kind}', give {CORPORA[kind]['expected']}.",
        ) from error
    return corpus


def known_corpus(name: str) -> str:
    """Find the corpus of that name; case and hyphens don't matter."""
    kinds = {kind.replace("-", ""): kind for kind in CORPUS_NAMES}
    try:
        return kinds[name.lower().replace("-", "")]
    except KeyError:
        known = ", ".join(CORPUS_NAMES)
        raise CorpusError(f"Unknown corpus '{name}'.", hint=f"Known corpora: {known}.") from None


def licence_of(corpus_name: str) -> str:
    """The licence of a model that was trained on the corpus."""
    return str(CORPORA.get(corpus_name, {}).get("licence", _UNKNOWN_LICENCE))


def licences_of_texts(corpus_name: str) -> tuple[str, ...]:
    """One line for each group of texts with its licence; empty if all have that of the corpus."""
    return tuple(CORPORA.get(corpus_name, {}).get("texts", ()))


DOCUMENTS_AT_ONCE = 16
ALL, NONE = "all", "none"


def read_layers(text: str) -> Layers:
    """The layers that a user names: ``all``, ``none``, or names with commas between them."""
    names = [name.strip().lower() for name in text.split(",")]
    if names == [NONE]:
        return frozenset()
    for name in names:
        if name not in {ALL, *Layer}:
            hint = f"Use {ALL}, {NONE}, or some of: {', '.join(Layer)}."
            raise SettingsError(f"Unknown layer '{name}'.", where="--automatic", hint=hint)
    return frozenset(Layer if ALL in names else map(Layer, names))


def usual_layers(corpus: str) -> str:
    """The layers that annotators make by default: all for a corpus of plain texts, else none."""
    return ALL if CORPORA.get(corpus, {}).get("bare") else NONE


def with_automatic_layers(
    corpus: Corpus,
    annotators: Annotator,
    layers: Layers,
    *,
    progress: Callable[[int], None] = lambda documents: None,
) -> Corpus:
    """The corpus with these layers made by annotators; the others stay as the corpus has them.

    If the tokens are new, arguments and connectives are the tokens under the same characters. A relation
    that loses an argument, because no new token lies there, is left out with a finding.
    """
    documents: dict[str, Document] = {}
    waiting = list(corpus.documents.values())
    for begin in range(0, len(waiting), DOCUMENTS_AT_ONCE):
        some = annotators.annotate(waiting[begin : begin + DOCUMENTS_AT_ONCE], layers=layers)
        documents |= {document.id: document for document in some}
        progress(len(documents))
    issues = ReadIssues(list(corpus.issues.findings))
    return replace(
        corpus,
        documents=documents,
        relations=_realigned(corpus, documents, issues) if Layer.TOKENS in layers else corpus.relations,
        issues=issues,
        automatic=tuple(layer.value for layer in Layer if layer in layers),
        annotators=annotators.name,
    )


def _realigned(corpus: Corpus, documents: Mapping[str, Document], issues: ReadIssues) -> tuple[Relation, ...]:
    relations: list[Relation] = []
    tokens = {name: TokenSpans(document) for name, document in documents.items()}
    for relation in corpus.relations:
        old, new = corpus.documents[relation.document], tokens[relation.document]
        (arg1, _), (arg2, _) = map(new.argument, _argument_spans(old, relation))
        if not arg1.tokens or not arg2.tokens:
            detail = f"No token lies under an argument of {relation.id}; it was left out."
            issues.add("argument without automatic tokens", relation.where or relation.id, detail)
            continue
        connective, _ = new.under(find_character_spans(old, relation.connective_tokens))
        relations.append(replace(relation, arg1=arg1, arg2=arg2, connective_tokens=connective))
    return tuple(relations)


def _argument_spans(document: Document, relation: Relation) -> tuple[list[Span], list[Span]]:
    """The places of the arguments: the two texts of a pair's document, else those of their tokens."""
    texts = relation.arg1.text, relation.arg2.text
    if document.text == pair_text(*texts):
        first, second = pair_spans(*texts)
        return [first], [second]
    both = relation.arg1.tokens, relation.arg2.tokens
    return find_character_spans(document, both[0]), find_character_spans(document, both[1])
