"""Made-up documents with all layers of syntax."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from disco2.annotation.layers import with_constituents
from disco2.annotation.treebanks import parse_brackets
from disco2.data import Dependencies, Document, ReadIssues, Sentence, Token
from tests.documents import document_from_words
from tests.strategies import constituents

_TAGGED = (
    "Bob/NNP Tina/NNP Smith/NNP Mrs./NNP Inc./NNP BS/NNP the/DT a/DT this/DT these/DT dog/NN dogs/NNS old/JJ "
    "teacher/NN mother/NN everyone/NN he/PRP her/PRP$ it/PRP they/PRP herself/PRP I/PRP 's/POS and/CC who/WP "
    "there/EX \"/'' ran/VBD two/CD in/IN"
)
WORDS = [tuple(pair.split("/")) for pair in _TAGGED.split()]
_LABELS = "nsubj obj obl nmod:poss appos conj det iobj nsubj:pass acl:relcl punct"
LABELS = _LABELS.split()


def parsed(*sentences: tuple[str, str]) -> Document:
    """A document from sentences, each a tree and its dependencies, such as ``2:nsubj 0:root``."""
    trees = [parse_brackets(tree, where="made up")[0] for tree, _ in sentences]
    document = document_from_words(
        "d", [tree.words for tree in trees], tags=[tree.constituents.tags for tree in trees]
    )
    document = with_constituents(document, trees, where="made up", issues=ReadIssues())
    return replace(
        document,
        sentences=tuple(
            replace(sentence, dependencies=_dependencies(arcs))
            for sentence, (_, arcs) in zip(document.sentences, sentences, strict=True)
        ),
    )


def _dependencies(arcs: str) -> Dependencies:
    pairs = [arc.split(":", 1) for arc in arcs.split()]
    return Dependencies(tuple(int(head) - 1 for head, _ in pairs), tuple(label for _, label in pairs))


def giving(pronoun: str) -> Document:
    """Bob gave Tina the burger. She was hungry."""
    return parsed(
        (
            "(S (NP (NNP Bob)) (VP (VBD gave) (NP (NNP Tina)) (NP (DT the) (NN burger))) (. .))",
            "2:nsubj 0:root 2:iobj 5:det 2:obj 2:punct",
        ),
        (f"(S (NP (PRP {pronoun})) (VP (VBD was) (ADJP (JJ hungry))) (. .))", "3:nsubj 3:cop 0:root 3:punct"),
    )


@st.composite
def parsed_documents(draw: st.DrawFn) -> Document:
    """One to four sentences of few words, some without trees or dependencies, in one or two paragraphs."""
    tokens: list[Token] = []
    sentences: list[Sentence] = []
    text = ""
    for _ in range(draw(st.integers(1, 4))):
        tree = draw(constituents())
        words = draw(st.lists(st.sampled_from(WORDS), min_size=len(tree.tags), max_size=len(tree.tags)))
        first = len(tokens)
        text += draw(st.sampled_from(["", "", "\n\n"]))
        for word, tag in words:
            tokens.append(Token(word, len(text), len(text) + len(word), tag))
            text += word + " "
        sentences.append(
            Sentence(
                first,
                len(tokens),
                replace(tree, tags=tuple(tag for _, tag in words)) if draw(st.integers(0, 4)) else None,
                draw(dependencies(len(words))) if draw(st.integers(0, 4)) else None,
            )
        )
    return Document("d", text, tuple(tokens), tuple(sentences))


@st.composite
def dependencies(draw: st.DrawFn, length: int) -> Dependencies:
    """Any tree: each word but the first in some order hangs on one before it."""
    order = draw(st.permutations(range(length)))
    heads = [-1] * length
    for place in range(1, length):
        heads[order[place]] = order[draw(st.integers(0, place - 1))]
    labels = [draw(st.sampled_from(LABELS)) if head >= 0 else "root" for head in heads]
    return Dependencies(tuple(heads), tuple(labels))
