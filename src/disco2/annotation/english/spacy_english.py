"""The spaCy pipeline of the built-in syntax: sentence starts, tags and dependencies, as in GUM.

This module imports spaCy, which takes long: import it only where a pipeline is made.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from functools import lru_cache, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import LOWER, ORTH, SPACY
from spacy.lang.char_classes import ALPHA, ALPHA_LOWER, ALPHA_UPPER, HYPHENS, LIST_ICONS
from spacy.lang.en.punctuation import TOKENIZER_INFIXES as ENGLISH_INFIXES
from spacy.lang.en.tokenizer_exceptions import TOKENIZER_EXCEPTIONS as ENGLISH_EXCEPTIONS
from spacy.lang.punctuation import TOKENIZER_PREFIXES, TOKENIZER_SUFFIXES
from spacy.lang.tokenizer_exceptions import URL_MATCH
from spacy.language import BaseDefaults, Language
from spacy.strings import StringStore
from spacy.tokenizer import Tokenizer
from spacy.tokens import Doc
from spacy.util import compile_infix_regex, compile_prefix_regex, compile_suffix_regex, load_config_from_str
from spacy.vectors import BaseVectors
from spacy.vocab import Vocab
from srsly import msgpack_dumps
from thinc.api import Model, use_ops

from disco2.annotation.text import ANYWHERE, CAPITALISED
from disco2.vectors import WordVectors

CONFIG_FILE = "config.cfg"
# What spaCy would store besides the components. The vocabulary would list all words seen in training; the
# tokenizer's rules are code.
NOT_STORED = ("vocab", "tokenizer", "meta", "config")


class GumEnglish(Language):  # type: ignore[no-untyped-call]  # spaCy's __init_subclass__
    """English without spaCy's own rules, which take long to compile and are not used."""

    lang = "en"

    class Defaults(BaseDefaults):
        tokenizer_exceptions: dict[str, list[dict[Any, Any]]] = {}  # noqa: RUF012  as spaCy declares it
        prefixes = ()
        suffixes = ()
        infixes = ()


def make_pipeline(config: dict[str, Any], vectors: WordVectors) -> Language:
    """An untrained pipeline with GUM's tokens and these word vectors.

    Its matrices are multiplied by NumPy, which is faster than the library that spaCy prefers.
    """
    with warnings.catch_warnings(), use_ops("numpy", use_blis=False):
        warnings.simplefilter("ignore")
        pipeline = GumEnglish.from_config(config)
    pipeline.tokenizer = gum_tokenizer(pipeline.vocab)
    pipeline.vocab.vectors = SpacyWordVectors(pipeline.vocab.strings, vectors)
    return pipeline


def read_pipeline(files: Mapping[str, bytes], vectors: WordVectors) -> Language:
    """A trained pipeline from the files of its folder: a configuration, and a folder for each component."""
    pipeline = make_pipeline(load_config_from_str(files[CONFIG_FILE].decode()), vectors)
    components: dict[str, dict[str, bytes]] = {}
    for name, content in files.items():
        component, slash, part = name.partition("/")
        if slash:
            components.setdefault(component, {})[part] = content
    packed = {component: msgpack_dumps(parts) for component, parts in components.items()}
    pipeline.from_bytes(msgpack_dumps(packed), exclude=NOT_STORED)
    for name in pipeline.pipe_names:
        for label in getattr(pipeline.get_pipe(name), "labels", ()):
            pipeline.vocab.strings.add(label)
    parts: dict[str, Any] = dict(pipeline.pipeline)
    # The encoder that tagger and parser share, and the one of the sentence splitter.
    for encoder in (parts["tok2vec"].model, parts["senter"].model.layers[0]):
        encoder.layers[:] = [_inference_layer(WindowEncoder(encoder, pipeline.vocab))]
    return pipeline


# The shipped word vectors in the form that spaCy's models need.

REMEMBERED = 50_000  # words whose rows are kept
EMBEDDINGS = 20_000  # words whose embeddings are kept
EPSILON = 1e-8  # of thinc's LayerNorm


class SpacyWordVectors(BaseVectors):  # type: ignore[misc]  # spaCy's class is compiled, without types
    """Vectors by the lower-case form of a word, with the substitutes of ``WordVectors``.

    A word is looked up when it first occurs, so that loading is quick. Unknown words have zeros.
    """

    attr = LOWER
    name = "glove"
    mode = "custom"

    def __init__(self, strings: StringStore, vectors: WordVectors) -> None:
        self.strings = strings
        self._vectors = vectors
        self._row = lru_cache(maxsize=REMEMBERED)(self._look_up)

    def get_batch(self, keys: NDArray[np.uint64]) -> NDArray[np.float32]:
        """The vectors of the words with these hashes, [len(keys), dimensions]."""
        rows = np.array([self._row(key) for key in keys.tolist()], dtype=np.int64)
        taken: NDArray[np.float32] = self._vectors.matrix[rows]
        taken[rows < 0] = 0
        return taken

    def _look_up(self, key: int) -> int:
        row = self._vectors.row(self.strings[key])
        return -1 if row is None else row

    def __getitem__(self, key: int) -> NDArray[np.float32]:
        return self.get_batch(np.array([key], dtype=np.uint64))[0]  # type: ignore[no-any-return]

    def __contains__(self, key: int) -> bool:
        return self._row(key) >= 0

    @property
    def shape(self) -> tuple[int, int]:
        return len(self._vectors), self._vectors.dimensions

    def __len__(self) -> int:
        return len(self._vectors)

    n_keys = property(__len__)


# The encoders, for inference.


class WindowEncoder:
    """A trained ``spacy.Tok2Vec`` of MultiHashEmbed and MaxoutWindowEncoder, in NumPy: twice as fast.

    With x_0 the embeddings, and 0 beyond the edges, each layer computes

        x_{l+1, t} = x_{l, t} + LayerNorm(max over pieces p of W_p [x_{l, t-1}; x_{l, t}; x_{l, t+1}] + b_p).

    An embedding depends on the word, and in one encoder on the space after it, so embeddings are kept.
    """

    def __init__(self, encoder: Model[Any, Any], vocab: Vocab) -> None:
        self._embed, windows = encoder.layers
        self._vocab = vocab
        self._width = int(self._embed.get_dim("nO"))
        self._padding = int(windows.attrs["pad"])  # rows of zeros before each document and after the last
        columns = [column for node in self._embed.walk() for column in node.attrs.get("columns", ())]
        self._spaces = SPACY in columns or "SPACY" in columns
        self._rows: dict[int, int] = {}
        self._table = np.empty((EMBEDDINGS, self._width), dtype=np.float32)
        nodes = list(windows.walk())
        self._layers = [
            (
                np.asarray(maxout.get_param("W")).transpose(2, 1, 0).reshape(3 * self._width, -1).copy(),
                np.asarray(maxout.get_param("b")).T.reshape(-1).copy(),
                norm.get_param("G"),
                norm.get_param("b"),
            )
            for maxout, norm in zip(
                [node for node in nodes if node.name == "maxout"],
                [node for node in nodes if node.name == "layernorm"],
                strict=True,
            )
        ]

    def encode(self, docs: Sequence[Doc]) -> list[NDArray[np.float32]]:
        """The vectors of the tokens of each document, [tokens, width]."""
        if not docs:
            return []
        width, lengths = self._width, [len(doc) for doc in docs]
        ends = np.cumsum(lengths) + self._padding * np.arange(1, len(docs) + 1) + 1
        places = np.concatenate([np.arange(e - n, e) for e, n in zip(ends.tolist(), lengths, strict=True)])
        padded = np.zeros((int(ends[-1]) + self._padding + 1, width), dtype=np.float32)
        padded[places] = self._embeddings(np.concatenate([doc.to_array([ORTH, SPACY]) for doc in docs]))
        states = padded[1:-1]
        for weights, bias, gain, shift in self._layers:
            windows = np.lib.stride_tricks.as_strided(padded, (len(states), 3 * width), padded.strides)
            pieces = np.ascontiguousarray(windows) @ weights
            pieces += bias
            best = reduce(np.maximum, np.split(pieces, pieces.shape[1] // width, axis=1))
            best -= best.mean(axis=1, keepdims=True)
            variance = np.einsum("tw,tw->t", best, best) / np.float32(width)
            best *= (1.0 / np.sqrt(variance + np.float32(EPSILON)))[:, None]
            best *= gain
            best += shift
            states += best
        return [padded[e - n : e] for e, n in zip(ends.tolist(), lengths, strict=True)]

    def _embeddings(self, words: NDArray[np.uint64]) -> NDArray[np.float32]:
        """The embeddings of words, given as their hashes and whether a space follows, [tokens, 2]."""
        keys: list[int] = (words[:, 0] + words[:, 1] if self._spaces else words[:, 0]).tolist()
        unknown = {key: place for place, key in enumerate(keys) if key not in self._rows}
        if len(unknown) + len(self._rows) > len(self._table):
            self._rows.clear()
            unknown = {key: place for place, key in enumerate(keys)}
            if len(unknown) > len(self._table):
                self._table = np.empty((len(unknown), self._width), dtype=np.float32)
        if unknown:
            chosen = words[list(unknown.values())].tolist()
            doc = Doc(
                self._vocab,
                words=[self._vocab.strings[word] for word, _ in chosen],
                spaces=[bool(space) for _, space in chosen],
            )
            first = len(self._rows)
            self._table[first : first + len(unknown)] = self._embed.predict([doc])[0]
            self._rows |= {key: row for row, key in enumerate(unknown, first)}
        return self._table[[self._rows[key] for key in keys]]


def _inference_layer(encoder: WindowEncoder) -> Model[Any, Any]:
    return Model("window_encoder", lambda model, docs, is_train: (encoder.encode(docs), lambda gradient: []))


# The rules of spaCy's tokenizer, changed to split English text as GUM does. GUM follows newer English
# treebanks: hyphens and slashes inside words are separate tokens (``eye - tracking``), except after prefixes
# (``non-profit``, ``co-founder``); clitics and fused words are split (``do n't``, ``gon na``); abbreviations
# and the numbers of list items keep their full stop.


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# After these a hyphen is part of the word.
PREFIXES = _words(
    "ante anti bi bio co counter cross cyber de e ex extra hm inter intra m macro mega meta micro mid mini "
    "mm multi non over post pre pro proto pseudo re semi socio sub super trans tri u uh ultra un uni vice"
)
# Before these a hyphen is part of the word.
SUFFIXES = ("esque", "wise")

# Words that are written as one and split in the treebank.
FUSED = _words("wan|na Wan|na lot|ta Lot|ta out|ta Out|ta ought|a")
# spaCy treats these as contractions without an apostrophe, as emoticons, or as single tokens.
NOT_EXCEPTIONS = _words("id Id wed Wed and/or (=")
_NUMBER_OR_CLOSING_BRACKET = re.compile(r"[)\]].*|\D?\d\D?|\d\D\d|8-.|.-?8")
ABBREVIATIONS = _words(
    "cf. e.g. i.e. ca. approx. vol. vols. Vol. Vols. pp. Fig. Figs. Eq. Eqs. ed. eds. Ed. Eds. div. "
    "Ph.D. M.Sc. B.Sc. M.A. B.A. n.d. yr. yrs. St. Ave."
)
MORE_WHOLES = ("s/he", "S/he", "c/o", "w/o", "w/")

_STOPPED_NUMBER = re.compile(r"\A(?:\d{1,3}\.)+(?=\s)")
_STOPPED_BEFORE_NUMBER = re.compile(r"\b(?:Nos?|nos?|Art|Sec|Ch|ch)\.(?=\s\d)")

_VARIANT = r"[\ufe0e\ufe0f\u20e3\U0001f3fb-\U0001f3ff]*"
_WHOLE = re.compile(
    r"""(?x)
    (?:\+?1-)?(?:\d{3}-)?\d{3}-\d{4}       # a telephone number
    | ['’]?\d*0['’]s | ['’]\d\ds?           # the 80's, the summer of '69
    | [^\W\d_]+\(e?s\)                     # spouse(s)
    """  # noqa: RUF001  typographic apostrophes
)


def gum_tokenizer(vocab: Vocab) -> Tokenizer:
    """spaCy's tokenizer with GUM's rules."""
    return Tokenizer(
        vocab,
        rules=_exceptions(),
        prefix_search=compile_prefix_regex(_prefixes()).search,
        suffix_search=compile_suffix_regex(_suffixes()).search,
        infix_finditer=compile_infix_regex(_infixes()).finditer,
        token_match=_WHOLE.fullmatch,
        url_match=URL_MATCH,
    )


def tokenise_paragraph(tokenizer: Tokenizer, paragraph: str) -> Doc:
    """The tokens of a paragraph.

    A full stop belongs to its word in some contexts: ``2.1.`` at the start of a paragraph, as the number of a
    heading or list item, and ``No.`` before a number.
    """
    doc: Doc = tokenizer(paragraph)
    stopped = [match.span() for match in _STOPPED_BEFORE_NUMBER.finditer(paragraph)]
    if opening := _STOPPED_NUMBER.match(paragraph):
        stopped.insert(0, opening.span())
    wholes = [doc.char_span(start, end) for start, end in stopped]
    parted = [whole for whole in wholes if whole is not None and len(whole) > 1]
    if parted:
        with doc.retokenize() as retokenizer:
            for whole in parted:
                retokenizer.merge(whole)
    return doc


def _exceptions() -> dict[str, list[dict[int, str]]]:
    """Without spaCy's norms: a model must see the same word with any tokenizer."""
    exceptions = {
        whole: [{ORTH: part[ORTH]} for part in parts]
        for whole, parts in ENGLISH_EXCEPTIONS.items()
        if whole not in NOT_EXCEPTIONS and not _NUMBER_OR_CLOSING_BRACKET.fullmatch(whole)
    }
    for word in FUSED:
        exceptions[word.replace("|", "")] = [{ORTH: part} for part in word.split("|")]
    stopped = {*CAPITALISED, *ANYWHERE, *(word.capitalize() for word in ANYWHERE)}
    for word in [*ABBREVIATIONS, *MORE_WHOLES, *(f"{word}." for word in stopped)]:
        exceptions[word] = [{ORTH: word}]
    return exceptions


def _prefixes() -> list[str]:
    """A number sign belongs to the hashtag that follows."""
    return [*(_whole_icon(prefix) for prefix in TOKENIZER_PREFIXES if prefix != "#"), rf"#(?![{ALPHA}])"]


def _suffixes() -> list[str]:
    clitic = rf"(?<=[{ALPHA}])['’](?i:ve|re|ll|d|m)"  # noqa: RUF001
    negation = rf"(?<=[{ALPHA}])(?i:n)['’](?i:t)"  # noqa: RUF001
    return [
        *map(_whole_icon, TOKENIZER_SUFFIXES),
        clitic,
        negation,
        "--+",
        r"(?<=[0-9])(?i:am|pm)",
        rf"(?<=[{ALPHA_LOWER}0-9][{ALPHA_UPPER}])\.",
    ]


def _infixes() -> list[str]:
    hyphen = rf"(?<=[{ALPHA}0-9])(?:{HYPHENS})(?=[{ALPHA}])"
    kept = [_whole_icon(infix) for infix in ENGLISH_INFIXES if infix != hyphen]
    unprefixed = "".join(rf"(?<!\b{prefix})(?<!\b{prefix.capitalize()})" for prefix in PREFIXES)
    unsuffixed = rf"(?!(?i:{'|'.join(SUFFIXES)})\b)"
    return [
        r"(?:—+|--+|–+|[\[\]])",  # noqa: RUF001  dashes; square brackets
        *kept,
        rf"(?<=[{ALPHA}0-9]){unprefixed}-{unsuffixed}(?=[{ALPHA}0-9])",
        r"(?<=[0-9]),(?=[0-9]{4}|[0-9]{1,2}(?![0-9]))",
    ]


def _whole_icon(pattern: str) -> str:
    """An emoji with its skin tone, variant and joined emojis is one token; so is a flag."""
    if pattern not in LIST_ICONS:
        return pattern
    return rf"(?:[\U0001f1e6-\U0001f1ff]{{2}}|{pattern}{_VARIANT}(?:\u200d{pattern}{_VARIANT})*)"
