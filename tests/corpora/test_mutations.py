"""Damaged files, by the hundred: every reader answers with a sound corpus or with an error of ours."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from disco2.corpora.catalogue import read_corpus
from disco2.corpora.role_pairs import write_role_pairs
from disco2.errors import Disco2Error
from disco2.records import Corpus
from tests.corpora import test_conll16, test_disrpt, test_gum
from tests.corpora.miniature import (
    documents,
    write_coreference,
    write_dependencies,
    write_pdtb2,
    write_pdtb3,
    write_trees,
)

CASES = 60
SNIPPETS = (
    *(b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\r\n", b"\n", b"\t", b"|", b"(", b"))", b" ", b";", b",", b".."),
    *(b"{}", b"[]", b"null", b'"', b"NaN", b"1e999", b"\\ud800", b"-NONE-", b"-LRB-", b"#", b"_"),
    *(b"99999999999", b"-1", "\u0663".encode(), "\u2028".encode(), "\U0001f600".encode(), b"\xed\xa0\x80"),
)


def mutated(data: bytes, random: Random) -> bytes:
    """A few bytes changed, put in or cut out, lines swapped, or numbers replaced."""
    for _ in range(random.choice((1, 1, 2, 5))):
        at = random.randrange(len(data) + 1)
        way = random.randrange(6)
        if way == 0:
            data = data[:at] + bytes([random.randrange(256)]) + data[at + 1 :]
        elif way == 1:
            data = data[:at] + random.choice(SNIPPETS) + data[at:]
        elif way == 2:
            data = data[:at] + data[at + random.choice((1, 2, 20, 200)) :]
        elif way == 3:
            data = data[:at]
        elif way == 4:
            lines = data.split(b"\n")
            one, other = random.randrange(len(lines)), random.randrange(len(lines))
            lines[one], lines[other] = lines[other], lines[one]
            data = b"\n".join(lines)
        elif numbers := list(re.finditer(rb"\d+", data)):
            number = random.choice(numbers)
            other_number = random.choice((b"0", b"1", b"7", b"-1", b"50", b"100000", b"99999999"))
            data = data[: number.start()] + other_number + data[number.end() :]
    return data


def write_pdtb2_native(root: Path) -> dict[str, Path]:
    docs = documents()[:2]
    write_pdtb2(root, docs)
    return layers(root)


def write_pdtb2_pipe(root: Path) -> dict[str, Path]:
    write_pdtb2(root, documents()[:2], encoding="pipe")
    return {}


def write_pdtb2_without_text(root: Path) -> dict[str, Path]:
    docs = documents()[:1]
    write_pdtb2(root, docs)
    shutil.rmtree(root / "raw")
    return {"trees": write_trees(root / "trees", docs)}


def write_pdtb3_with_layers(root: Path) -> dict[str, Path]:
    write_pdtb3(root, documents()[:2])
    return layers(root)


def layers(root: Path) -> dict[str, Path]:
    docs = documents()[:2]
    return {
        "trees": write_trees(root / "trees", docs),
        "coreference": write_coreference(root / "coreference", docs),
        "dependencies": write_dependencies(root / "dependencies", docs),
    }


def write_gum(root: Path) -> dict[str, Path]:
    test_gum.write_layers(root, "GUM_news_goats")
    (root / "splits.md").write_text("## train\n* GUM_news_goats\n")
    return {}


def write_conll16(root: Path) -> dict[str, Path]:
    test_conll16.write(root, [test_conll16.relation(number) for number in range(3)])
    return {}


def write_disrpt(root: Path) -> dict[str, Path]:
    header = test_disrpt.HEADER_2025
    test_disrpt.write(root, header, [test_disrpt.row(header)] * 2)
    return {}


def write_jsonl(root: Path) -> dict[str, Path]:
    pairs = [
        {"arg1": "It rained.", "arg2": "We (both) left.", "label": ["A", "B"], "split": "train", "id": 3}
    ]
    root.mkdir()
    (root / "pairs.jsonl").write_text("".join(json.dumps(pair) + "\n" for pair in pairs * 3))
    return {}


def write_csv(root: Path) -> dict[str, Path]:
    root.mkdir()
    (root / "pairs.csv").write_text('arg1,arg2,label\n"It rained, and so",We left.,A\nHi,"""Oh"", x",B\n')
    return {}


def write_role(root: Path) -> dict[str, Path]:
    write_role_pairs(root, size=10)
    return {}


WRITERS: dict[str, tuple[str, Callable[[Path], dict[str, Path]]]] = {
    "pdtb2 native": ("pdtb2", write_pdtb2_native),
    "pdtb2 pipe": ("pdtb2", write_pdtb2_pipe),
    "pdtb2 without text": ("pdtb2", write_pdtb2_without_text),
    "pdtb3": ("pdtb3", write_pdtb3_with_layers),
    "gum": ("gum", write_gum),
    "conll16": ("conll16", write_conll16),
    "disrpt": ("disrpt", write_disrpt),
    "pairs, JSON lines": ("pairs", write_jsonl),
    "pairs, table": ("pairs", write_csv),
    "role pairs": ("role-pairs", write_role),
}


@pytest.mark.parametrize("name", WRITERS)
def test_damaged_files_give_a_sound_corpus_or_one_of_our_errors(name: str, tmp_path: Path) -> None:
    kind, write = WRITERS[name]
    root = tmp_path / "corpus"
    options = write(root)
    files = sorted(path for path in root.rglob("*") if path.is_file() and path.suffix != ".prd")
    path = files[0] if kind == "pairs" else root
    check_sound(read_corpus(kind, path, **options))
    read = 0
    for case in range(CASES):
        random = Random(f"{name} {case}")  # noqa: S311
        file = random.choice(files)
        good = file.read_bytes()
        file.write_bytes(mutated(good, random))
        try:
            check_sound(read_corpus(kind, path, **options))
            read += 1
        except Disco2Error:
            continue
        finally:
            file.write_bytes(good)
    assert read > 0


def check_sound(corpus: Corpus) -> None:
    """What all other rooms rely on."""
    for relation in corpus.relations:
        length = len(corpus.documents[relation.document].tokens)
        for argument in (relation.arg1, relation.arg2):
            assert argument.tokens == tuple(sorted(set(argument.tokens)))
            assert 0 <= argument.tokens[0] <= argument.tokens[-1] < length
    for document in corpus.documents.values():
        assert all(0 <= token.start <= token.end <= len(document.text) for token in document.tokens)
        ends = [0, *(sentence.end for sentence in document.sentences)]
        assert [sentence.start for sentence in document.sentences] == ends[:-1]
        assert ends[-1] == len(document.tokens)
        for sentence in document.sentences:
            if sentence.constituents is not None:
                assert len(sentence.constituents.tags) == len(sentence)
            if sentence.dependencies is not None:
                assert all(-1 <= head < len(sentence) for head in sentence.dependencies.heads)
                assert len(sentence.dependencies.heads) == len(sentence)
        for mention in document.mentions or ():
            assert 0 <= mention.start <= mention.head < mention.end <= len(document.tokens)
