"""The Stanford parser: with a stand-in for Java, and with the real one where DISCO2_STANFORD_HOME says."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from time import monotonic

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disco2.annotation.annotator import Layer, raw_document
from disco2.annotation.stanford import (
    TAG_SEPARATOR,
    StanfordParser,
    parser_command,
    sentence_line,
    spelling,
)
from disco2.annotation.treebanks import parse_brackets
from disco2.data import Constituents, Document, Sentence, Token
from disco2.errors import LayerError, SettingsError
from tests.documents import document_from_words

CONSTITUENTS = frozenset({Layer.CONSTITUENTS})

# Answers each line in the parser's way: one phrase over all words. Some words make it misbehave.
STAND_IN = f"""#!{sys.executable}
import os, pathlib, sys, time
here = pathlib.Path(__file__).parent
with open(here / "starts", "a") as starts:
    print(sys.argv, file=starts)
print("Loading parser ... done", file=sys.stderr, flush=True)
for line in sys.stdin.buffer:
    with open(here / "lines", "ab") as lines:
        lines.write(line)
    words = [word.split({TAG_SEPARATOR!r})[0] for word in line.decode().split()]
    if words[-1] == "die":
        print("OutOfCheese", file=sys.stderr, flush=True)
        sys.exit(3)
    if words[-1] == "hang":
        time.sleep(60)
    if words[-1] == "noise":
        print("x" * 200000, file=sys.stderr, flush=True)
    tree = "(ROOT (S " + " ".join(f"(NN {{word}})" for word in words) + "))"
    answers = {{"unparsable": "(())", "sent": "(X (SENT))", "rubbish": "Exception in thread"}}
    answers |= {{"unclosed": "(ROOT (S (NN a)", "fewer": "(ROOT (S (NN a)))"}}
    print(answers.get(words[-1], tree), flush=True)
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "stanford-parser.jar").touch()
    (folder / "stanford-parser-3.3.1-models.jar").touch()
    return folder


@pytest.fixture
def java(tmp_path: Path) -> Path:
    if os.name == "nt":
        pytest.skip("the stand-in is a script with a shebang")
    path = tmp_path / "java"
    path.write_text(STAND_IN)
    path.chmod(0o755)
    return path


@pytest.fixture
def parser(home: Path, java: Path) -> Iterator[StanfordParser]:
    with closing(StanfordParser(home, java=str(java), timeout=20.0)) as parser:
        yield parser


def sentence_of(*words: str, tag: str = "NN") -> Document:
    return document_from_words("d", [list(words)], tags=[[tag] * len(words)])


def tree_of(parser: StanfordParser, document: Document) -> Constituents:
    found = parser.annotate([document], layers=CONSTITUENTS)[0].sentences[0].constituents
    assert found is not None
    return found


def starts(java: Path) -> int:
    return len((java.parent / "starts").read_text().splitlines())


def test_one_process_parses_all_sentences(parser: StanfordParser, java: Path) -> None:
    documents = [
        document_from_words(
            "a", [["It", "(", "rained", ")"], ["Go"]], tags=[["PRP", "(", "VBD", ")"], ["VB"]]
        ),
        document_from_words("b", [["some", "noise"]]),
    ]
    first, second = parser.annotate(documents, layers=CONSTITUENTS)
    trees = [sentence.constituents for sentence in (*first.sentences, *second.sentences)]
    assert trees[0] == Constituents(("S",), (0,), (4,), (-1,), ("PRP", "(", "VBD", ")"))
    assert trees[2] == Constituents(("S",), (0,), (2,), (-1,), ("NN", "NN"))
    assert first.tokens == documents[0].tokens
    assert starts(java) == 1
    assert (java.parent / "lines").read_text().splitlines()[0].replace(TAG_SEPARATOR, "/") == (
        "It/PRP -LRB-/-LRB- rained/VBD -RRB-/-RRB-"
    )


def test_nothing_starts_before_the_first_sentence(parser: StanfordParser, java: Path) -> None:
    empty = [raw_document(""), Document("d", "x", (Token("x", 0, 1),), (Sentence(0, 0), Sentence(0, 1)))]
    assert parser.annotate(empty[:1], layers=CONSTITUENTS) == empty[:1]
    assert parser.annotate(empty, layers=frozenset()) == empty
    assert not (java.parent / "starts").exists()
    found = parser.annotate(empty, layers=CONSTITUENTS)[1].sentences
    assert found[0].constituents is None
    assert found[1].constituents is not None


@pytest.mark.parametrize("word", ["unparsable", "sent"])
def test_what_the_grammar_cant_parse_is_one_flat_phrase(parser: StanfordParser, word: str) -> None:
    assert tree_of(parser, sentence_of("so", word)) == Constituents(("X",), (0,), (2,), (-1,), ("NN", "NN"))


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("die", r"d, the sentence at character 0: .* code 3, .* OutOfCheese"),
        ("rubbish", "not a tree"),
        ("unclosed", "not a tree"),
        ("fewer", "not a tree"),
    ],
)
def test_a_process_that_fails_is_an_error_and_started_again(
    parser: StanfordParser, java: Path, word: str, message: str
) -> None:
    with pytest.raises(LayerError, match=message):
        parser.annotate([sentence_of("so", word)], layers=CONSTITUENTS)
    assert len(tree_of(parser, sentence_of("fine")).tags) == 1
    assert starts(java) == 2


def test_a_program_that_hangs_or_is_none_is_an_error(home: Path, java: Path, tmp_path: Path) -> None:
    broken, script = tmp_path / "broken-java", tmp_path / "script-java"
    broken.write_text("#!/nowhere/at/all\n")
    script.write_text(f'#!/bin/sh\n"{java}" "$@"\ntrue\n')  # Java is not the process that is started
    hangs, begin = r"did not answer within 0\.7 seconds", monotonic()
    for program, message in ((java, hangs), (script, hangs), (broken, "can't be started")):
        program.chmod(0o755)
        with (
            closing(StanfordParser(home, java=str(program), timeout=0.7)) as parser,
            pytest.raises(LayerError, match=message),
        ):
            parser.annotate([sentence_of("hang")], layers=CONSTITUENTS)
    assert monotonic() - begin < 40  # not the minute of the stand-in


def test_a_long_sentence_is_parsed_in_pieces(home: Path, java: Path) -> None:
    words = ["a", "b", "c", ",", "d", "e", "f", "g", "h", "i", "j", "k"]
    tags = [word if word == "," else "NN" for word in words]
    with closing(StanfordParser(home, java=str(java), longest=5)) as parser:
        tree = tree_of(parser, document_from_words("d", [words], tags=[tags]))
    assert list(zip(tree.labels, tree.starts, tree.ends, strict=True)) == [
        ("ROOT", 0, 12),
        ("S", 0, 4),
        ("S", 4, 9),
        ("S", 9, 12),
    ]
    assert tree.tags == tuple(tags)


@settings(max_examples=40)
@given(st.text(max_size=20), st.sampled_from(["", "NN", "HYPH", "-NONE-", "x y", "``"]))
def test_a_word_is_sent_as_one_word(word: str, tag: str) -> None:
    line = sentence_line([Token(word, 0, 1, tag), Token("!", 1, 2, ".")])
    sent = line.encode("utf-8", errors="strict").decode()
    assert len(sent.split()) == len(sent.splitlines()) + 1 == 2
    assert sent.count(TAG_SEPARATOR) <= 2
    assert parse_brackets(f"(S (NN {spelling(word)}))", where="").pop().words


@pytest.mark.parametrize(
    ("word", "tag", "sent"),
    [
        ("(", "-LRB-", "-LRB-/-LRB-"),
        ('"', "``", "``/``"),
        ("[", "-LRB-", "-LRB-/-LRB-"),
        ("\u20ac", "$", "$/$"),
        ("?!", ".", "?/."),
        ("\u2022", ":", "--/:"),
        ("To", "IN", "To/TO"),
        ("\u2019s", "POS", "'s/POS"),
        ("http://x.org", "ADD", "http://x.org/NN"),
        ("glorp", "GW", "glorp"),
        ("10\u00a0000", "CD", "10_000/CD"),
        ("a" * 10_000, "NN", "a" * 80 + "/NN"),
    ],
)
def test_words_and_tags_are_spelled_as_in_the_wall_street_journal(word: str, tag: str, sent: str) -> None:
    assert sentence_line([Token(word, 0, 1, tag)]).replace(TAG_SEPARATOR, "/") == sent


def test_the_tree_is_one_over_the_documents_own_tokens(parser: StanfordParser, java: Path) -> None:
    text = "The well-known, hard - won long-term plan-"
    words = ["The", "well", "-", "known", ",", "hard", "-", "won", "long", "-", "term", "plan", "-"]
    tags = ["DT", "RB", "HYPH", "VBN", ",", "RB", "HYPH", "VBN", "JJ", "HYPH", "NN", "NN", "HYPH"]
    document = document_from_words("d", [words], text, [tags])
    tree = tree_of(parser, document)
    assert (tree.labels, tree.ends) == (("S",), (13,))
    assert tree.tags == tuple(token.tag for token in document.tokens)
    line = (java.parent / "lines").read_text().replace(TAG_SEPARATOR, "/")
    assert line == "The/DT well-known/JJ ,/, hard/RB -/NN won/VBN long-term/JJ plan/NN -/NN\n"


def test_what_is_missing_is_named(home: Path, java: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="needs Java, and there is no program 'no-such-java'"):
        StanfordParser(home, java="no-such-java")
    for folder in (tmp_path / "nowhere", tmp_path):
        with pytest.raises(SettingsError, match=r"no stanford-parser\.jar"):
            StanfordParser(folder, java=str(java))
    (home / "stanford-parser-3.3.1-models.jar").unlink()
    with pytest.raises(SettingsError, match=r"no englishPCFG\.ser\.gz"):
        StanfordParser(home, java=str(java))
    (home / "englishPCFG.ser.gz").touch()
    command = parser_command(home, java=str(java), longest=70)
    assert command[-2:] == [str(home / "englishPCFG.ser.gz"), "-"]
    assert command[:2] == [str(java), "-Xmx2g"]


def test_the_real_parser() -> None:
    folder = os.environ.get("DISCO2_STANFORD_HOME")
    if not folder:
        pytest.skip("set DISCO2_STANFORD_HOME to the folder of the Stanford parser to run this test")
    document = document_from_words(
        "d",
        [["The", "well", "-", "known", "cat", "(", "Tom", ")", "sat", "."], ["so", ","] * 60],
        "The well-known cat (Tom) sat." + " so," * 60,
        [["DT", "RB", "HYPH", "VBN", "NN", "-LRB-", "NNP", "-RRB-", "VBD", "."], ["RB", ","] * 60],
    )
    with closing(StanfordParser(Path(folder))) as parser:
        found = parser.annotate([document], layers=CONSTITUENTS)[0]
    first, second = (sentence.constituents for sentence in found.sentences)
    assert first is not None
    assert second is not None
    nodes = set(zip(first.labels, first.starts, first.ends, strict=True))
    assert {("S", 0, 10), ("NP", 0, 8), ("PRN", 5, 8), ("VP", 8, 9)} <= nodes
    assert (first.tags[2], len(second.tags)) == ("HYPH", 120)
