"""Every reader of a corpus, fed with the files it reads: relations, texts and tokens, alone and together."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

from disco2.corpora.role_pairs import write_role_pairs
from disco2.inference.pairs import numbered_lines, parse_pair_line
from tests.corpora import test_conll16, test_disrpt, test_gum
from tests.corpora.discogem_files import write_discogem, write_questions
from tests.corpora.miniature import (
    documents,
    write_coreference,
    write_dependencies,
    write_pdtb2,
    write_pdtb3,
    write_trees,
)
from tests.fuzzing.corpus_folder import corpus_folder
from tests.fuzzing.target import Target

DOCUMENT = documents()[0].id
_PLACE = f"{DOCUMENT[4:6]}/{DOCUMENT}"
GUM_NAME = "GUM_news_goats"
Options = dict[str, Path]

_PIECES = (
    b"\0",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\r\n",
    b"\r",
    b"\n",
    b"\t",
    b"\xed\xa0\x80",
    "\u2028".encode(),
)
_NUMBERS = (b"0", b"-1", b"1", b"99999999999", b"1" + b"0" * 12, "\u0663".encode(), "\u00b2".encode())
_SPANS = (b"0..0", b"0..999999999", b"5..3", b"-1..4", b"..", b";", b"0..5;0..5", b"1..2;")
_SENSES = (
    b"Comparison.Contrast",
    b"Expansion.Conjunction",
    b"EntRel",
    b"NoRel",
    b"Implicit",
    b"Explicit",
    b"AltLex",
)
_JSON = (
    b"{}",
    b"[]",
    b"null",
    b"true",
    b'"',
    b"NaN",
    b"1e999",
    b"\\ud800",
    b"\\u0000",
    b"[[[[",
    b"{",
    b"}",
    b",",
    b":",
)
PIPES = (*_PIECES, *_NUMBERS, *_SPANS, *_SENSES, b"|", b"||||||||", b"_")
NATIVE = (
    *(*_PIECES, *_NUMBERS, *_SPANS, *_SENSES, b"_" * 56, b"#### Text ####", b"##############"),
    *(
        b"#### Features ####",
        b"____Arg1____",
        b"____Arg2____",
        b"____Implicit____",
        b"____NoRel____",
        b"0,1,2;3",
    ),
)
TEXTS = (
    *_PIECES,
    b".START ",
    b"\n\n",
    b". ",
    "\u00ad".encode(),
    "\U0001f600".encode(),
    b"www.",
    b"a@b.c",
    b"n't",
)
CONLL = (
    *(*_PIECES, *_NUMBERS, *_SENSES, *_JSON, b'"TokenList"', b'"Arg1"', b'"Sense"', b'"DocID"', b'"ID"'),
    *(
        b'"sentences"',
        b'"words"',
        b'"parsetree"',
        b'"dependencies"',
        b'"CharacterOffsetBegin"',
        b"ROOT-0",
        b"(())",
    ),
)
RELS = (
    *_PIECES,
    *_NUMBERS,
    *_SENSES,
    b"1-9",
    b"1-1,1-1",
    b"9-1",
    b"_",
    b"<*>",
    b"# newdoc id = x\n",
    b"unit1_toks",
)
TABLES = (
    *_PIECES,
    *_NUMBERS,
    b'"',
    b'""',
    b",",
    b";",
    b"arg1,arg2\n",
    b"arg1\targ2\n",
    b"label",
    b"split",
    b"EntRel",
)
LINES = (
    *_PIECES,
    *_NUMBERS,
    *_JSON,
    b'"arg1"',
    b'"ARG1"',
    b'"arg2"',
    b'"label"',
    b'"id"',
    b'"split"',
    b'"kind"',
)


def pdtb2(encoding: str) -> Callable[[Path], Options]:
    def write(root: Path) -> Options:
        write_pdtb2(root, documents()[:1], encoding=encoding)
        return {}

    return write


def pdtb2_by_trees(root: Path) -> Options:
    docs = documents()[:1]
    write_pdtb2(root, docs)
    shutil.rmtree(root / "raw")
    return {"trees": write_trees(root / "trees", docs)}


def pdtb3(root: Path) -> Options:
    docs = documents()[:1]
    write_pdtb3(root, docs)
    return {
        "trees": write_trees(root / "trees", docs),
        "coreference": write_coreference(root / "coreference", docs),
        "dependencies": write_dependencies(root / "dependencies", docs),
    }


def gum(root: Path) -> Options:
    test_gum.write_layers(root, GUM_NAME)
    (root / "splits.md").write_text(f"## train\n* {GUM_NAME}\n")
    return {}


def conll16(root: Path) -> Options:
    test_conll16.write(root, [test_conll16.relation(number) for number in range(3)])
    return {}


def conll16_without_text(root: Path) -> Options:
    test_conll16.write(root, [test_conll16.relation(1)], raw=None)
    return {}


def disrpt(root: Path) -> Options:
    header = test_disrpt.HEADER_2025
    test_disrpt.write(root, header, [test_disrpt.row(header)] * 2, name="x_train")
    return {}


PAIRS = tuple(
    "".join(json.dumps(pair) + "\n" for pair in pairs).encode()
    for pairs in (
        [{"arg1": "It rained.", "arg2": "We (both) left.", "label": ["A", "B"], "split": "train", "id": 3}]
        * 2,
        [{"arg1": "It rained.", "arg2": "We left.", "votes": {"A": 0.75, "B": 1}}],
        [
            {
                "Arg1": "Hm, (two)!",
                "arg2": "\u00e9t\u00e9 12",
                "label": True,
                "kind": "EntRel",
                "more": {"x": [1]},
            }
        ],
    )
)
TABLE = b'arg1,arg2,label\n"It rained, and so",We left.,A\nHi,"""Oh"", x",B\n"two\nlines",x y,NoRel\n'


def pairs(name: str, content: bytes) -> Callable[[Path], Options]:
    def write(root: Path) -> Options:
        (root / name).write_bytes(content)
        return {}

    return write


def discogem(root: Path) -> Options:
    write_discogem(root, 1)
    write_questions(root, [("tale00_item_1", "result:0.75; norel:0.25; differentcon:0")])
    return {}


def role_pairs(root: Path) -> Options:
    write_role_pairs(root, size=10)
    return {}


def read_pair_lines(content: bytes) -> None:
    """As ``disco2 predict-pairs`` does: every line is a pair or says what is wrong."""
    numbers = []
    for number, line in numbered_lines(BytesIO(content)):
        found = parse_pair_line(number, line)
        assert found.number == number
        assert (found.pair is None) == bool(found.error)
        found.error.encode("utf-8")
        json.dumps(found.id, ensure_ascii=False).encode("utf-8")
        if found.pair is not None:
            found.pair.document().text.encode("utf-8")
        numbers.append(number)
    assert numbers == sorted(set(numbers))
    assert len(numbers) <= content.count(b"\n") + 1


NATIVE_FOLDER = corpus_folder("pdtb2", pdtb2("native"))
PIPE_FOLDER = corpus_folder("pdtb2", pdtb2("pipe"))
TREES_FOLDER = corpus_folder("pdtb2", pdtb2_by_trees)
PDTB3_FOLDER = corpus_folder("pdtb3", pdtb3)
GUM_FOLDER = corpus_folder("gum", gum)
CONLL_FOLDER = corpus_folder("conll16", conll16)
CONLL_WITHOUT_TEXT = corpus_folder("conll16", conll16_without_text)
DISRPT_FOLDER = corpus_folder("disrpt", disrpt)
DISCOGEM_FOLDER = corpus_folder("discogem", discogem)
ROLE_FOLDER = corpus_folder("role-pairs", role_pairs)
GOLD, RAW = f"rst/gdtb/pdtb/gold/00/{GUM_NAME}", f"rst/gdtb/pdtb/raw/00/{GUM_NAME}"

TARGETS: tuple[Target, ...] = (
    NATIVE_FOLDER.target("pdtb2-native", f"data/{_PLACE}.pdtb", tokens=NATIVE),
    NATIVE_FOLDER.target(
        "pdtb2-native-and-text", f"raw/{_PLACE}", f"data/{_PLACE}.pdtb", tokens=(*NATIVE, *TEXTS)
    ),
    TREES_FOLDER.target(
        "pdtb2-by-trees",
        f"data/{_PLACE}.pdtb",
        f"trees/combined/wsj/{_PLACE}.mrg",
        tokens=(*NATIVE, b"(", b")", b"(X "),
    ),
    PIPE_FOLDER.target("pdtb2-pipe", f"data/{_PLACE}.pipe", tokens=PIPES),
    PIPE_FOLDER.target(
        "pdtb2-pipe-and-text", f"raw/{_PLACE}", f"data/{_PLACE}.pipe", tokens=(*PIPES, *TEXTS)
    ),
    PDTB3_FOLDER.target("pdtb3", f"gold/{_PLACE}", tokens=PIPES),
    PDTB3_FOLDER.target("pdtb3-and-text", f"raw/{_PLACE}", f"gold/{_PLACE}", tokens=(*PIPES, *TEXTS)),
    PDTB3_FOLDER.target(
        "pdtb3-layers",
        *(file for file in PDTB3_FOLDER.files if not file.startswith(("gold", "raw"))),
        tokens=(
            *TEXTS,
            b"(",
            b")",
            b"(X ",
            b"(1",
            b"1)",
            b"-NONE-",
            b"_",
            b"#begin document (x); part 000\n",
        ),
    ),
    GUM_FOLDER.target("gum-relations", GOLD, tokens=(*PIPES, b"GDTB::DOC:4;_;1-3;4-6,10-11")),
    GUM_FOLDER.target(
        "gum", *GUM_FOLDER.files, tokens=(*PIPES, *TEXTS, b"(", b")", b"## dev\n", b"SpaceAfter=No")
    ),
    CONLL_FOLDER.target("conll16-relations", "relations.json", tokens=CONLL),
    CONLL_FOLDER.target("conll16-parses", "parses.json", tokens=CONLL),
    CONLL_FOLDER.target("conll16", "relations.json", "raw/wsj_9901", "parses.json", tokens=(*CONLL, *TEXTS)),
    CONLL_WITHOUT_TEXT.target("conll16-without-text", "parses.json", "relations.json", tokens=CONLL),
    DISRPT_FOLDER.target("disrpt-rels", "x_train.rels", tokens=RELS),
    DISRPT_FOLDER.target(
        "disrpt", "x_train.conllu", "x_train.rels", tokens=(*RELS, b"SpaceAfter=No", b"1-2\t", b"1.1")
    ),
    DISCOGEM_FOLDER.target(
        "discogem", *DISCOGEM_FOLDER.files, tokens=(*TABLES, b"result:0.5; ", b"NA", b"itemid")
    ),
    corpus_folder("pairs", pairs("pairs.jsonl", PAIRS[0]), path="pairs.jsonl").target(
        "pairs-json", "pairs.jsonl", tokens=LINES, seeds=PAIRS[1:]
    ),
    corpus_folder("pairs", pairs("pairs.csv", TABLE), path="pairs.csv").target(
        "pairs-table",
        "pairs.csv",
        tokens=TABLES,
        seeds=(TABLE.replace(b",", b"\t"), TABLE.replace(b",", b";")),
    ),
    corpus_folder("pairs", pairs("pairs", PAIRS[1]), path="pairs").target(
        "pairs-by-content",
        "pairs",
        tokens=(*LINES, *TABLES),
        seeds=(TABLE, b"\xff\xfe" + TABLE.decode().encode("utf-16-le")),
    ),
    ROLE_FOLDER.target("role-pairs", *ROLE_FOLDER.files, tokens=(*LINES, b"(", b")", b"(1", b"_")),
    Target("pair-lines", read_pair_lines, PAIRS, LINES),
)
