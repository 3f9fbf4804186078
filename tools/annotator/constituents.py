"""Train the constituency parser on documents with trees, and write it to a folder."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save

from disco2.annotation.annotator import Layer
from disco2.annotation.english.constituents import (
    CHAIN,
    FORMAT,
    UNKNOWN,
    VOCABULARY_FILE,
    WEIGHTS_FILE,
    LabelledSpan,
    Lexicon,
    SpanParser,
    pieces,
)
from disco2.annotation.english.span_network import TAG, VECTOR, WORD, Floats, Integers
from disco2.data import Constituents, Document
from disco2.errors import CorpusError, MissingExtraError
from disco2.files import HIDDEN_LIST, folder_in_place
from disco2.vectors import WordVectors
from disco2.vectors.word_vectors import read_shipped
from tools.annotator.scores import Bracket, BracketEvaluation, evaluate_brackets


@dataclass(frozen=True)
class ParserSettings:
    """Sizes and training of the constituency parser; the defaults are those of the shipped one."""

    word_size: int = 50  # dimensions of the embedding of frequent words
    piece_size: int = 50  # dimensions of the embedding of prefixes, suffixes and shapes
    tag_size: int = 32  # dimensions of the embedding of tags
    hidden: int = 144  # hidden size of the encoder, in each direction
    span_hidden: int = 192  # hidden size of the scorer of spans
    word_count: int = 3  # minimum count of a word with an embedding
    piece_count: int = 10  # minimum count of a prefix, suffix or shape
    label_count: int = 3  # minimum count of a chain of labels
    epochs: int = 24  # passes over the training sentences
    batch_tokens: int = 800  # tokens in a step
    rate: float = 0.002  # highest learning rate of Adam
    warm_up: int = 200  # steps until the highest rate
    decay: float = 0.0  # decay of the weights (AdamW)
    clip: float = 5.0  # largest norm of a gradient
    averaging: float = 0.998  # decay of the running mean of the weights that is kept
    input_dropout: float = 0.25  # dropout of the encoder's inputs
    dropout: float = 0.33  # dropout after each layer of the encoder
    unknown_word: float = 0.15  # share of words whose own embedding is hidden
    unknown_vector: float = 0.03  # share of words whose vector is hidden
    unknown_tag: float = 0.2  # share of tags that are hidden
    unknown_tags: float = 0.15  # share of sentences all of whose tags are hidden
    redrawn_tag: float = 0.3  # share of tags drawn anew, as a weak tagger would
    tag_loss: float = 0.2  # weight of predicting the tags as a second task


def build_lexicon(
    words: Iterable[str], tags: Iterable[str], *, vectors: WordVectors, word_count: int, piece_count: int
) -> Lexicon:
    """The lexicon of a training corpus: words and pieces with these minimum counts, the most frequent first.

    A suffix is marked by position, so a piece is counted once for each word that has it.
    """
    forms = Counter(words)
    lower: Counter[str] = Counter()
    parts: Counter[str] = Counter()
    for word, count in forms.items():
        lower[word.lower()] += count
        for piece in pieces(word):
            parts[piece] += count
    return Lexicon(
        vectors=vectors,
        words=_frequent(lower, word_count),
        pieces=_frequent(parts, piece_count),
        tags=_frequent(Counter(tags), 1),
    )


def _frequent(counts: Counter[str], least: int) -> tuple[str, ...]:
    kept = [(-count, item) for item, count in counts.items() if count >= least]
    return tuple(item for _, item in sorted(kept))


# Tags that a weak tagger might give a word: those that the word, or a similar one, has elsewhere.
#
# A tagger is better on its training texts than on new text, so a parser trained on its tags relies on them
# too much. So the parser is trained on gold tags, some of them replaced by tags from here.

RARE = 5  # a word with fewer occurrences gets the tags of its kind


def collect_tags(documents: Sequence[Document], lexicon: Lexicon) -> dict[str, Integers]:
    """The rows of the tags of all occurrences of each word, and of all words of a kind."""
    rows: dict[str, list[int]] = defaultdict(list)
    for document in documents:
        for token in document.tokens:
            row = lexicon.tag_rows.get(token.tag, UNKNOWN)
            rows[token.text.lower()].append(row)
            rows[_kind(token.text)].append(row)
    return {key: np.array(found, dtype=np.int32) for key, found in rows.items()}


def _kind(word: str) -> str:
    """The ending and the case of a word, which a tagger uses for unknown words."""
    case = "capital" if word[:1].isupper() else "small"
    return f"{case} -{word[-2:].lower()}"


# Training examples, made harder at random.

SEED = 1
DRAWS = 8  # weak tags for each word, of which one is used at a time


@dataclass(frozen=True, slots=True)
class Example:
    """A sentence's numbers, the labelled spans of its gold tree and the rows of its gold tags."""

    numbers: Integers
    starts: Integers
    ends: Integers
    labels: Integers
    tags: Integers  # edges included
    redrawn: Integers  # [words + 2, DRAWS]: tags that a weak tagger might give


def label_chains(documents: Iterable[Document], *, least: int) -> tuple[str, ...]:
    """The chains of labels with this minimum count, and all single labels, the most frequent first."""
    counts: Counter[str] = Counter()
    for document in documents:
        for sentence in document.sentences:
            if sentence.constituents is not None:
                counts.update(chain for _, _, chain in tree_to_spans(sentence.constituents))
                counts.update(dict.fromkeys(sentence.constituents.labels, 0))
    kept = [chain for chain, count in counts.items() if count >= least or CHAIN not in chain]
    return tuple(sorted(kept, key=lambda chain: (-counts[chain], chain)))


def nearest_chain(chain: str, known: dict[str, int]) -> int:
    """The number of a chain; of a rare chain the innermost labels are removed until it is known."""
    while chain not in known:
        chain = chain.rpartition(CHAIN)[0]
    return known[chain]


def make_examples(documents: Sequence[Document], lexicon: Lexicon, labels: Sequence[str]) -> list[Example]:
    """All sentences that have trees."""
    number = {label: index for index, label in enumerate(labels)}
    random = np.random.default_rng(SEED)
    tags_of = collect_tags(documents, lexicon)
    examples: list[Example] = []
    for document in documents:
        for sentence in document.sentences:
            tree = sentence.constituents
            if tree is None:
                continue
            tokens = document.tokens[sentence.start : sentence.end]
            words = [token.text for token in tokens]
            numbers = lexicon.numbers(words, [token.tag for token in tokens])
            spans = tree_to_spans(tree)
            redrawn = np.repeat(numbers[:, TAG, None], DRAWS, axis=1)
            for place, word in enumerate(words, 1):
                rows = tags_of[word.lower()]
                if len(rows) < RARE:
                    rows = tags_of[_kind(word)]
                redrawn[place] = rows[random.integers(len(rows), size=DRAWS)]
            examples.append(
                Example(
                    numbers=numbers,
                    starts=np.array([start for start, _, _ in spans], dtype=np.int32),
                    ends=np.array([end for _, end, _ in spans], dtype=np.int32),
                    labels=np.array([nearest_chain(chain, number) for _, _, chain in spans], dtype=np.int32),
                    tags=lexicon.numbers(words, tree.tags)[:, TAG],
                    redrawn=redrawn,
                )
            )
    return examples


def disturb(
    example: Example, settings: ParserSettings, random: np.random.Generator, *, no_vector: int
) -> Integers:
    """The sentence with words, vectors and tags hidden or redrawn at random."""
    numbers = example.numbers.copy()
    size = len(numbers)
    inner = np.ones(size, dtype=np.bool_)
    inner[[0, -1]] = False

    def chosen(share: float) -> NDArray[np.bool_]:
        return inner & (random.random(size) < share)

    drawn = example.redrawn[np.arange(size), random.integers(example.redrawn.shape[1], size=size)]
    redrawn = chosen(settings.redrawn_tag)
    numbers[redrawn, TAG] = drawn[redrawn]
    hidden = 1.0 if random.random() < settings.unknown_tags else settings.unknown_tag
    numbers[chosen(settings.unknown_vector), VECTOR] = no_vector
    numbers[chosen(settings.unknown_word), WORD] = UNKNOWN
    numbers[chosen(hidden), TAG] = UNKNOWN
    return numbers


def tree_to_spans(tree: Constituents) -> list[LabelledSpan]:
    """The spans of a tree in pre-order; the first covers the sentence."""
    chains: dict[tuple[int, int], list[str]] = {}
    for label, start, end in zip(tree.labels, tree.starts, tree.ends, strict=True):
        chains.setdefault((start, end), []).append(label)
    return [(start, end, CHAIN.join(labels)) for (start, end), labels in chains.items()]


def half_precision(parameters: Mapping[str, Floats]) -> dict[str, NDArray[np.float16]]:
    """The parameters as they are stored."""
    return {name: np.ascontiguousarray(value, dtype=np.float16) for name, value in parameters.items()}


def write_parser(
    folder: Path,
    parameters: Mapping[str, Floats],
    labels: Sequence[str],
    lexicon: Lexicon,
) -> None:
    """Write a parser's folder, all of it or nothing."""
    vocabulary = {
        "format": FORMAT,
        "labels": labels,
        "tags": lexicon.tags,
        "words": lexicon.words,
        "pieces": lexicon.pieces,
    }
    with folder_in_place(folder, HIDDEN_LIST, force=True) as fresh:
        (fresh / WEIGHTS_FILE).write_bytes(save(half_precision(parameters)))
        text = json.dumps(vocabulary, ensure_ascii=False, indent=0)
        (fresh / VOCABULARY_FILE).write_text(text + "\n", encoding="utf-8")


CONSTITUENTS = frozenset({Layer.CONSTITUENTS})


def train_constituents(
    training: Sequence[Document],
    development: Sequence[Document],
    folder: Path,
    *,
    settings: ParserSettings | None = None,
    vectors: WordVectors | None = None,
    progress: Callable[[str], None] = print,
) -> None:
    """Learn from the trees of ``training``; the pass with the best labelled F1 on ``development`` is kept.

    The parser gets the tags of the tokens: gold tags for training, which are disturbed, and the tags of the
    tagger it will be used with for development. The weights are the same each time on the same machine.
    """
    try:
        import torch
    except ImportError:
        raise MissingExtraError("torch", "train", "Training the constituency parser") from None
    from tools.annotator.span_module import train_passes

    settings = settings or ParserSettings()
    vectors = vectors if vectors is not None else read_shipped()
    for documents in (training, development):
        if not any(sentence.constituents for document in documents for sentence in document.sentences):
            raise CorpusError(
                "There are no trees to learn from, or none to choose by.",
                hint="Give documents with constituents.",
            )
    lexicon = build_lexicon(
        (token.text for document in training for token in document.tokens),
        (token.tag for document in training for token in document.tokens),
        vectors=vectors,
        word_count=settings.word_count,
        piece_count=settings.piece_count,
    )
    labels = label_chains(training, least=settings.label_count)
    examples = make_examples(training, lexicon, labels)
    best = -1.0
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # sums in a fixed order
    try:
        made = train_passes(examples, lexicon, labels=len(labels), settings=settings)
        for number, parameters in enumerate(made, 1):
            rounded = {name: value.astype(np.float32) for name, value in half_precision(parameters).items()}
            parsed = SpanParser(rounded, labels, lexicon).annotate(development, layers=CONSTITUENTS)
            figures = compare_trees(development, parsed)
            progress(
                f"pass {number}: labelled F1 {100 * figures.labelled.f1:.2f}, "
                f"unlabelled {100 * figures.unlabelled.f1:.2f}"
            )
            if figures.labelled.f1 > best:
                best = figures.labelled.f1
                write_parser(folder, rounded, labels, lexicon)
    finally:
        torch.set_num_threads(threads)


# The trees of documents against gold ones.


def compare_trees(
    gold: Sequence[Document],
    parsed: Sequence[Document],
    *,
    most: int | None = None,
    longest: int | None = None,
) -> BracketEvaluation:
    """Bracket scores over the sentences that have a gold tree; the documents have the same sentences.

    With ``longest`` only sentences up to this length count, and with ``most`` only that many of them, in the
    order of the documents.
    """
    pairs = [
        (sentence.constituents, guess.constituents)
        for document, other in zip(gold, parsed, strict=True)
        for sentence, guess in zip(document.sentences, other.sentences, strict=True)
        if sentence.constituents is not None and (longest is None or len(sentence) <= longest)
    ][:most]
    return evaluate_brackets(
        [_brackets(truth) for truth, _ in pairs], [_brackets(guess) for _, guess in pairs]
    )


def _brackets(tree: Constituents | None) -> list[Bracket]:
    return list(zip(tree.labels, tree.starts, tree.ends, strict=True)) if tree is not None else []
