"""The author's spaces and paragraphs, from CoNLL-U."""

from __future__ import annotations

from disco2.annotation.layers import document_as_written, document_from_words
from disco2.annotation.treebanks import parse_conllu


def conllu(*sentences: tuple[str, bool, list[tuple[str, bool]]]) -> str:
    lines = []
    for text, opens_paragraph, words in sentences:
        lines += ["# newpar"] * opens_paragraph + [f"# text = {text}"]
        for number, (word, glued) in enumerate(words, 1):
            space = "SpaceAfter=No" if glued else "_"
            lines.append(f"{number}\t{word}\t_\tX\tX\t_\t{number - 1}\tdep\t_\t{space}")
        lines.append("")
    return "\n".join(lines)


LAYER = conllu(
    ("Don't go.", True, [("Do", True), ("n't", False), ("go", True), (".", False)]),
    ("It rained!", False, [("It", False), ("rained", True), ("!", False)]),
    ("We left.", True, [("We", False), ("left", True), (".", False)]),
)


def test_tokens_lie_on_the_text_as_written() -> None:
    parses = parse_conllu(LAYER, where="made up")
    words, tags = [parse.words for parse in parses], [parse.tags for parse in parses]
    spaced = document_from_words("d", words, tags=tags)
    written = document_as_written("d", parses)
    assert written.text == "Don't go. It rained!\n\nWe left."
    assert [written.text[token.start : token.end] for token in written.tokens] == [
        token.text for token in spaced.tokens
    ]
    assert [token.tag for token in written.tokens] == [token.tag for token in spaced.tokens]
    assert written.sentences == spaced.sentences


def test_words_may_be_spelled_otherwise() -> None:
    words = ["Do", "n’t", "go", ".", "It", "rained", "!", "We", "left", "…"]  # noqa: RUF001
    written = document_as_written("d", parse_conllu(LAYER, where="made up"), words=words)
    assert written.text == "Don’t go. It rained!\n\nWe left…"  # noqa: RUF001
    assert written.words(range(10)) == words


def test_no_sentences_no_text() -> None:
    assert document_as_written("d", []) == document_from_words("d", [])
