"""How well sentences that open with a connective are marked, on GUM.

    python -m benchmarks.connectives --gum DIR [--part dev]

Gold is an explicit connective that opens its sentence and whose first argument lies before it. Neighbouring
sentences of a paragraph count, with GUM's tokens; tags and dependencies, which guard against false hits, are
GUM's own or automatic.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from disco2.annotation.annotator import Annotators, Layer
from disco2.annotation.english.annotators import english_annotators
from disco2.corpora.catalogue import with_automatic_layers
from disco2.corpora.gum import read_gum
from disco2.data import Corpus, Document, RelationKind
from disco2.inference.candidates import adjacent_sentences


def counts(corpus: Corpus, part: str) -> tuple[int, int, int]:
    """Marked and right, marked, and gold pairs of sentences."""
    linked = linked_openings(corpus)
    right = marked = gold = 0
    for name, document in corpus.documents.items():
        if corpus.parts[name] != part:
            continue
        for candidate in adjacent_sentences(document, marking=True):
            is_linked = (name, candidate.instance.relation.arg2.tokens[0]) in linked
            marked += bool(candidate.connective)
            gold += is_linked
            right += bool(candidate.connective) and is_linked
    return right, marked, gold


def linked_openings(corpus: Corpus) -> set[tuple[str, int]]:
    """Documents and first tokens of the sentences that open with a connective that links backwards."""
    linked: set[tuple[str, int]] = set()
    for relation in corpus.relations:
        document = corpus.documents[relation.document]
        if relation.kind is RelationKind.EXPLICIT and relation.connective_tokens:
            first = relation.connective_tokens[0]
            sentence = document.sentences[document.sentence_index(first)]
            if first == _first_word(document, sentence.start) and relation.arg1.tokens[-1] < sentence.start:
                linked.add((document.id, sentence.start))
    return linked


def _first_word(document: Document, token: int) -> int:
    while not any(map(str.isalnum, document.tokens[token].text)):
        token += 1
    return token


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--gum", type=Path, required=True, help="folder of a checkout of GUM")
    options.add_argument("--part", default="dev")
    given = options.parse_args()
    own = read_gum(given.gum)
    layers = frozenset({Layer.TAGS, Layer.DEPENDENCIES})
    automatic = with_automatic_layers(own, Annotators(english_annotators(layers=layers)), layers)
    for name, corpus in (("GUM's tags", own), ("automatic tags", automatic)):
        right, marked, gold = counts(corpus, given.part)
        print(f"{given.part}, {name}: precision {right / marked:.1%}, recall {right / gold:.1%} of {gold}")


if __name__ == "__main__":
    main()
