"""Documents with gold layers -> what spaCy learns from."""

from __future__ import annotations

from collections.abc import Sequence

from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from disco2.annotation.english.syntax import sentence_groups
from disco2.annotation.spacy_documents import SPACY_ROOT, to_spacy
from disco2.errors import LayerError
from disco2.records import Document, Sentence


def syntax_examples(documents: Sequence[Document], vocab: Vocab) -> list[Example]:
    """One example for each group of neighbouring sentences, on gold tokens."""
    return [_example(document, group, vocab) for document in documents for group in sentence_groups(document)]


def _example(document: Document, group: list[Sentence], vocab: Vocab) -> Example:
    marked = to_spacy(document, vocab, group[0].start, group[-1].end)
    words = [word.text for word in marked]
    spaces = [bool(word.whitespace_) for word in marked]
    heads, labels = _parse(document, group)
    gold = Doc(
        vocab,
        words=words,
        spaces=spaces,
        tags=[token.tag for token in document.tokens[group[0].start : group[-1].end]],
        heads=heads,
        deps=labels,
        sent_starts=[bool(word.is_sent_start) for word in marked],
    )
    return Example(Doc(vocab, words=words, spaces=spaces), gold)


def _parse(document: Document, group: list[Sentence]) -> tuple[list[int], list[str]]:
    """Heads counted from the group's first token, where a root is its own head, and labels."""
    heads: list[int] = []
    labels: list[str] = []
    for sentence in group:
        tree = sentence.dependencies
        if tree is None or not all(token.tag for token in document.tokens[sentence.start : sentence.end]):
            raise LayerError(
                "A sentence has no dependencies or no tags.",
                where=document.id,
                hint="Train on documents with gold tags and dependencies.",
            )
        offset = sentence.start - group[0].start
        for index, (head, label) in enumerate(zip(tree.heads, tree.labels, strict=True)):
            heads.append(offset + (index if head < 0 else head))
            labels.append(SPACY_ROOT if head < 0 else label)
    return heads, labels
