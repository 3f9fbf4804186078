"""Stanza as an annotator: all layers, for users who have its models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from disco2.annotation.annotator import ALL_LAYERS, Layer, Layers, check_provided, first_line
from disco2.annotation.cache import file_fingerprint
from disco2.annotation.heads import head_of_span, single_rooted
from disco2.annotation.treebanks import parse_brackets
from disco2.data import Constituents, Dependencies, Document, Mention, Sentence, Token
from disco2.errors import Disco2Error, LayerError, MissingExtraError, SettingsError

LANGUAGE = "en"
# Stanza's processors that each layer needs, after those of tokens.
PROCESSORS = {
    Layer.TOKENS: ("tokenize", "mwt"),
    Layer.TAGS: ("pos",),
    Layer.DEPENDENCIES: ("pos", "lemma", "depparse"),
    Layer.CONSTITUENTS: ("pos", "constituency"),
    Layer.COREFERENCE: ("coref",),
}
_ORDER = ("tokenize", "mwt", "pos", "lemma", "constituency", "depparse", "coref")


class StanzaPipeline:
    """A Stanza pipeline; documents with tokens keep tokens and sentences, unless new ones are requested.

    Trees and dependencies are made from Stanza's tags, whatever tags the document has.
    """

    def __init__(self, pipeline: Any) -> None:
        self._pipeline = pipeline
        self.name = f"Stanza {version('stanza')} ({LANGUAGE})"
        needs_tokens = frozenset({Layer.TOKENS})
        self.requires: Mapping[Layer, Layers] = {
            layer: needs_tokens - {layer}
            for layer, needed in PROCESSORS.items()
            if set(pipeline.processors) >= set(needed) - {"mwt"}
        }

    @classmethod
    def load(
        cls, *, folder: Path | None = None, download: bool = False, layers: Layers = ALL_LAYERS
    ) -> StanzaPipeline:
        """Stanza's English models of these layers; default: from Stanza's own folder."""
        packages = ("stanza", "transformers", "peft") if Layer.COREFERENCE in layers else ("stanza",)
        for package in packages:
            if find_spec(package) is None:
                raise MissingExtraError(package, "stanza", "Stanza")
        stanza = import_module("stanza")
        needed = {name for layer in layers | {Layer.TOKENS} for name in PROCESSORS[layer]}
        processors = ",".join(name for name in _ORDER if name in needed)
        place = {} if folder is None else {"dir": str(folder)}
        try:
            pipeline = stanza.Pipeline(
                LANGUAGE,
                processors=processors,
                # With REUSE_RESOURCES only what is missing is fetched.
                download_method=stanza.DownloadMethod.REUSE_RESOURCES if download else None,
                verbose=False,
                **place,
            )
        except Exception as error:  # missing or unreadable models, an unknown language, no network
            fetch = f"stanza.download('{LANGUAGE}', processors='{processors}')"
            raise SettingsError(
                f"Stanza's models for '{LANGUAGE}' can't be loaded: {first_line(error)}",
                where=str(folder or ""),
                hint=f'Fetch them with --stanza-download, or with: python -c "import stanza; {fetch}"',
            ) from error
        return cls(pipeline)

    @property
    def fingerprint(self) -> str:
        """Cache key of its output; empty if its folder is not known."""
        folder = getattr(self._pipeline, "dir", None)
        if not folder or not (Path(folder) / LANGUAGE).is_dir():
            return ""
        # resources.json names the default models.
        files = file_fingerprint(Path(folder) / LANGUAGE, Path(folder) / "resources.json")
        return f"{self.name}, {files}"

    def annotate(self, documents: Sequence[Document], *, layers: Layers) -> list[Document]:
        check_provided(self, layers)
        return [self._annotated(document, layers) for document in documents]

    def _annotated(self, document: Document, layers: Layers) -> Document:
        processors = [name for name in _ORDER if any(name in PROCESSORS[layer] for layer in layers)]
        from_text = Layer.TOKENS in layers and bool(document.text.strip())
        try:
            given: str | StanzaDocument = document.text if from_text else to_stanza(document)
            if isinstance(given, str) or given.sentences:
                given = self._pipeline.process(given, processors=processors)
            convert = document_from_stanza if Layer.TOKENS in layers else with_stanza_layers
            return convert(given, document, layers=layers)
        except Disco2Error:
            raise
        except Exception as error:  # a model may raise anything
            raise LayerError(f"Stanza failed: {first_line(error)}", where=document.id) from error


# Conversion of documents. Stanza's words are our tokens. A Stanza token may have several words without
# offsets. If their forms make up the token (``don't``: ``do``, ``n't``), each gets its part; if not
# (``won't``: ``will``, ``not``), they share its characters evenly, in order, and keep their forms.


# Stanza is not typed.
StanzaDocument = Any
StanzaSentence = Any
StanzaTree = Any


def to_stanza(document: Document) -> StanzaDocument:
    """A Stanza document with the same words and sentences, each word as one token."""
    sentences = [
        [
            {"id": number, "text": token.text or "_", "start_char": token.start, "end_char": token.end}
            for number, token in enumerate(document.tokens[sentence.start : sentence.end], start=1)
        ]
        for sentence in document.sentences
        if len(sentence)
    ]
    return import_module("stanza.models.common.doc").Document(sentences, text=document.text)


def document_from_stanza(
    stanza_document: StanzaDocument, document: Document, *, layers: Layers = ALL_LAYERS
) -> Document:
    """The document's text with Stanza's tokens and sentences, and the other requested layers.

    Tags are XPOS, or UPOS for a word without XPOS.
    """
    tokens: list[Token] = []
    sentences: list[Sentence] = []
    for sentence in stanza_document.sentences:
        first = len(tokens)
        tags = _tags(sentence) if Layer.TAGS in layers else [""] * len(sentence.words)
        tokens.extend(
            Token(form, start, end, tag)
            for (form, start, end), tag in zip(_words(sentence, document), tags, strict=True)
        )
        sentences.append(Sentence(first, len(tokens)))
    fresh = replace(document, tokens=tuple(tokens), sentences=tuple(sentences), mentions=None)
    return with_stanza_layers(stanza_document, fresh, layers=layers - {Layer.TAGS})


def with_stanza_layers(stanza_document: StanzaDocument, document: Document, *, layers: Layers) -> Document:
    """Add the requested layers; the Stanza document has the same tokens and sentences."""
    tokens = list(document.tokens)
    parsed = iter(stanza_document.sentences)
    sentences: list[Sentence] = []
    starts: list[int] = []  # of the sentences that Stanza has
    for sentence in document.sentences:
        if not len(sentence):
            sentences.append(sentence)
            continue
        found = next(parsed)
        starts.append(sentence.start)
        if Layer.TAGS in layers:
            tagged = zip(tokens[sentence.start : sentence.end], _tags(found), strict=True)
            tokens[sentence.start : sentence.end] = [replace(token, tag=tag) for token, tag in tagged]
        if Layer.DEPENDENCIES in layers:
            sentence = replace(sentence, dependencies=_dependencies(found))
        if Layer.CONSTITUENTS in layers:
            sentence = replace(sentence, constituents=_constituents(found, where=document.id))
        sentences.append(sentence)
    document = replace(document, tokens=tuple(tokens), sentences=tuple(sentences))
    if Layer.COREFERENCE not in layers:
        return document
    return replace(document, mentions=_mentions(stanza_document, document, starts))


def _words(sentence: StanzaSentence, document: Document) -> Iterator[tuple[str, int, int]]:
    """The form and span of each word."""
    for token in sentence.tokens:
        start, end = token.start_char, token.end_char
        if start is None or not 0 <= start < end <= len(document.text):
            raise LayerError(
                f"Stanza's token '{token.text}' has no place in the text.",
                where=document.id,
                hint="Check that Stanza was given the same text.",
            )
        shares = len(token.words)
        for number, word in enumerate(token.words):
            if shares == 1:
                yield document.text[start:end], start, end
            elif word.start_char is not None:
                yield document.text[word.start_char : word.end_char], word.start_char, word.end_char
            else:
                left = min(start + (end - start) * number // shares, end - 1)
                right = start + (end - start) * (number + 1) // shares
                yield word.text, left, max(right, left + 1)


def _tags(sentence: StanzaSentence) -> list[str]:
    return [word.xpos or word.upos or "" for word in sentence.words]


def _dependencies(sentence: StanzaSentence) -> Dependencies | None:
    """Heads from 0, -1 for the root; None if Stanza made none."""
    if any(word.head is None for word in sentence.words):
        return None
    return single_rooted(
        [word.head - 1 if word.head > 0 else -1 for word in sentence.words],
        [word.deprel or "" for word in sentence.words],
    )


def _constituents(sentence: StanzaSentence, *, where: str) -> Constituents | None:
    tree = sentence.constituency
    if tree is None:
        return None
    found = parse_brackets(_brackets(tree), where=where)
    if len(found) != 1 or len(found[0].words) != len(sentence.words):
        raise LayerError("Stanza's tree is not one over the words of its sentence.", where=where)
    return found[0].constituents


def _brackets(tree: StanzaTree) -> str:
    """The tree as brackets, without words: a Stanza word may contain a space."""
    pieces: list[str] = []
    stack: list[StanzaTree | str] = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            pieces.append(node)
        elif node.is_leaf():
            pieces.append("_")
        else:
            label = (node.label or "").replace("(", "-LRB-").replace(")", "-RRB-")
            pieces.append(f"({label} ")
            stack.append(") ")
            stack.extend(reversed(node.children))
    return "".join(pieces)


def _mentions(stanza_document: StanzaDocument, document: Document, starts: list[int]) -> tuple[Mention, ...]:
    """The mentions of all chains; those of dropped pronouns, which have no words, are left out."""
    found: dict[tuple[int, int, str], Mention] = {}
    for chain in stanza_document.coref:
        for mention in chain.mentions:
            if isinstance(mention.start_word, int) and mention.start_word < mention.end_word:
                start = starts[mention.sentence] + mention.start_word
                end = starts[mention.sentence] + mention.end_word
                name = str(chain.index)
                head = head_of_span(document, start, end)
                found.setdefault((start, end, name), Mention(start, end, head, name))
    return tuple(sorted(found.values(), key=lambda mention: (mention.start, -mention.end)))
