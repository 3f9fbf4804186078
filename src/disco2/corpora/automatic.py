"""A corpus with some of its layers made anew by annotators, its relations on the new tokens."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from disco2.annotation.annotator import Annotator, Layer, Layers
from disco2.annotation.text import Span, pair_spans, pair_text
from disco2.corpora.tokens import TokenSpans, character_spans
from disco2.data import Corpus, Dirt, Document, Relation
from disco2.errors import SettingsError

DOCUMENTS_AT_ONCE = 16
ALL, NONE = "all", "none"
BARE = ("pairs", "discogem")  # corpora that are nothing but texts
_HINT = f"Use {ALL}, {NONE}, or some of: {', '.join(Layer)}."


def read_layers(text: str) -> Layers:
    """The layers that a user names: ``all``, ``none``, or names with commas between them."""
    names = [name.strip().lower() for name in text.split(",") if name.strip()]
    if not names:
        raise SettingsError("No layer is named.", hint=_HINT)
    if names == [NONE]:
        return frozenset()
    unknown = [name for name in names if name not in {ALL, *Layer}]
    if unknown:
        said = f"There is no layer '{unknown[0]}'."
        raise SettingsError(
            f"'{NONE}' stands alone." if unknown[0] == NONE else said, where="--automatic", hint=_HINT
        )
    return frozenset(Layer if ALL in names else map(Layer, names))


def usual_layers(corpus: str) -> str:
    """What annotators make by default: all layers of a corpus that brings none of its own."""
    return ALL if corpus in BARE else NONE


def with_automatic_layers(
    corpus: Corpus,
    annotators: Annotator,
    layers: Layers,
    *,
    progress: Callable[[int], None] = lambda documents: None,
) -> Corpus:
    """The corpus with these layers made by annotators; the others stay as the corpus has them.

    Where the tokens are new, arguments and connectives are the tokens under the same characters. A relation
    that loses an argument, because no new token lies there, is left out with a finding.
    """
    documents: dict[str, Document] = {}
    waiting = list(corpus.documents.values())
    for begin in range(0, len(waiting), DOCUMENTS_AT_ONCE):
        some = annotators.annotate(waiting[begin : begin + DOCUMENTS_AT_ONCE], layers=layers)
        documents |= {document.id: document for document in some}
        progress(len(documents))
    dirt = Dirt(list(corpus.dirt.findings))
    return replace(
        corpus,
        documents=documents,
        relations=_realigned(corpus, documents, dirt) if Layer.TOKENS in layers else corpus.relations,
        dirt=dirt,
        automatic=tuple(layer.value for layer in Layer if layer in layers),
        annotators=annotators.name,
    )


def _realigned(corpus: Corpus, documents: Mapping[str, Document], dirt: Dirt) -> tuple[Relation, ...]:
    relations: list[Relation] = []
    tokens = {name: TokenSpans.of(document) for name, document in documents.items()}
    for relation in corpus.relations:
        old, new = corpus.documents[relation.document], tokens[relation.document]
        (arg1, _), (arg2, _) = map(new.argument, _argument_spans(old, relation))
        if not arg1.tokens or not arg2.tokens:
            dirt.add(
                "argument without automatic tokens",
                where=relation.where or relation.id,
                detail=f"No token lies under an argument of {relation.id}; it was left out.",
            )
            continue
        connective = new.under(character_spans(old, relation.connective_tokens)).tokens
        relations.append(replace(relation, arg1=arg1, arg2=arg2, connective_tokens=connective))
    return tuple(relations)


def _argument_spans(document: Document, relation: Relation) -> tuple[list[Span], list[Span]]:
    """Where the arguments lie: as the two texts that make up their document, else under their tokens."""
    arg1, arg2 = relation.arg1, relation.arg2
    if document.text == pair_text(arg1.text, arg2.text):
        first, second = pair_spans(arg1.text, arg2.text)
        return [first], [second]
    return character_spans(document, arg1.tokens), character_spans(document, arg2.tokens)
