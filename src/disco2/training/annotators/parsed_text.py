"""Documents as the scorer of syntax takes them."""

from __future__ import annotations

from disco2.evaluation.syntax import ParsedText
from disco2.records import Document


def parsed_text(document: Document) -> ParsedText:
    """Sentences without dependencies have roots only, without labels."""
    heads: list[int] = []
    labels: list[str] = []
    for sentence in document.sentences:
        tree = sentence.dependencies
        if tree is None:
            heads.extend([-1] * len(sentence))
            labels.extend([""] * len(sentence))
        else:
            heads.extend(head if head < 0 else sentence.start + head for head in tree.heads)
            labels.extend(tree.labels)
    return ParsedText(
        tokens=[(token.start, token.end) for token in document.tokens],
        sentences=[(sentence.start, sentence.end) for sentence in document.sentences],
        tags=[token.tag for token in document.tokens],
        heads=heads,
        labels=labels,
    )
