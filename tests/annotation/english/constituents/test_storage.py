"""The parser's folder, whole and damaged."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from disco2.annotation.english.constituents.parser import (
    SHIPPED,
    VOCABULARY_FILE,
    WEIGHTS_FILE,
    StoredParser,
    read_parser,
    write_parser,
)
from disco2.errors import BundleError


@pytest.fixture(scope="module")
def parser() -> StoredParser:
    """A parser of the smallest size, all of whose weights are 0.5."""
    shapes = {
        "words": (4, 1),
        "pieces": (2, 1),
        "tags": (4, 1),
        "encoder.0.inputs": (2, 5, 4),
        "encoder.0.recurrent": (2, 1, 4),
        "encoder.0.bias": (2, 4),
        "encoder.1.inputs": (2, 2, 4),
        "encoder.1.recurrent": (2, 1, 4),
        "encoder.1.bias": (2, 4),
        "spans.starts": (2, 3),
        "spans.ends": (2, 3),
        "spans.bias": (3,),
        "spans.gain": (3,),
        "spans.shift": (3,),
        "spans.outputs": (2, 3),
        "spans.output_bias": (2,),
    }
    weights = {name: np.full(shape, 0.5, dtype=np.float32) for name, shape in shapes.items()}
    return StoredParser(weights, ("S", "S+VP"), ("the",), ("-e",), ("DT",))


def test_a_parser_survives_the_round_trip(parser: StoredParser, tmp_path: Path) -> None:
    write_parser(parser, tmp_path / "parser")
    found = read_parser(tmp_path / "parser")
    assert (found.labels, found.words, found.pieces, found.tags) == (
        parser.labels,
        parser.words,
        parser.pieces,
        parser.tags,
    )
    assert found.parameters.keys() == parser.parameters.keys()
    assert all(np.array_equal(value, parser.parameters[name]) for name, value in found.parameters.items())


def test_weights_that_do_not_fit_the_vocabulary_are_refused(parser: StoredParser, tmp_path: Path) -> None:
    write_parser(parser, tmp_path / "parser")
    file = tmp_path / "parser" / VOCABULARY_FILE
    vocabulary = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps(vocabulary | {"labels": ["S"]}), encoding="utf-8")
    with pytest.raises(BundleError, match=r"spans.outputs, spans.output_bias have another shape"):
        read_parser(tmp_path / "parser")


def test_missing_weights_are_named(parser: StoredParser, tmp_path: Path) -> None:
    weights = {name: value for name, value in parser.parameters.items() if name != "spans.gain"}
    write_parser(
        StoredParser(weights, parser.labels, parser.words, parser.pieces, parser.tags), tmp_path / "parser"
    )
    with pytest.raises(BundleError, match=r"lacks the weights spans.gain"):
        read_parser(tmp_path / "parser")


@pytest.mark.parametrize(
    "text",
    ["", "[]", "null", '{"format": 2}', '{"format": 1}', "\x00", "[" * 100_000],
    ids=lambda text: text[:20],
)
def test_a_damaged_vocabulary_is_a_clear_error(parser: StoredParser, tmp_path: Path, text: str) -> None:
    write_parser(parser, tmp_path / "parser")
    (tmp_path / "parser" / VOCABULARY_FILE).write_text(text, encoding="utf-8")
    with pytest.raises(BundleError, match="can't be read"):
        read_parser(tmp_path / "parser")


def test_damaged_weights_are_a_clear_error(parser: StoredParser, tmp_path: Path) -> None:
    write_parser(parser, tmp_path / "parser")
    (tmp_path / "parser" / WEIGHTS_FILE).write_bytes(b"not a tensor")
    with pytest.raises(BundleError, match="can't be read"):
        read_parser(tmp_path / "parser")


def test_the_shipped_weights_are_small() -> None:
    assert sum(file.stat().st_size for file in SHIPPED.iterdir()) < 12_000_000
