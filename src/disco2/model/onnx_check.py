"""Refuse ONNX files that could do more than multiply matrices.

A model is read as Protocol Buffers wire format, as far as needed: its nodes, its tensors, its functions.
Allowed are the operators of an exported encoder, with all weights inside the file. Loops, branches,
functions, operators of other domains and weights in other files are refused before onnxruntime sees it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

# The operators that an encoder of the BERT family, quantised or not, is exported with.
_OPERATORS = """
Abs Add And Cast Clip Concat Constant ConstantOfShape Cos CumSum DequantizeLinear Div DynamicQuantizeLinear
Equal Erf Exp Expand Flatten Gather Gelu Gemm Greater GreaterOrEqual Identity IsNaN LayerNormalization Less
LessOrEqual Log MatMul MatMulInteger Max Min Mod Mul Neg Not Or Pow QuantizeLinear Range Reciprocal ReduceMean
ReduceSum Reshape Shape Sigmoid Sin Slice Softmax Split Sqrt Squeeze Sub Tanh Tile Transpose Unsqueeze Where
"""
OPERATORS = frozenset(_OPERATORS.split())
DOMAINS = ("", "ai.onnx")
MOST_NODES = 100_000

# Fields of onnx.proto, by the numbers on the way to them.
Path = tuple[int, ...]
GRAPH: Path = (7,)
NODE = (*GRAPH, 1)
OPERATOR, ATTRIBUTE, DOMAIN = (*NODE, 4), (*NODE, 5), (*NODE, 7)
TENSORS = ((*GRAPH, 5), (*ATTRIBUTE, 5), (*ATTRIBUTE, 10))
MESSAGES = frozenset({GRAPH, NODE, ATTRIBUTE, *TENSORS})  # what is looked into
REFUSED = {
    (25,): "defines functions",
    (*GRAPH, 15): "has sparse weights",
    (*ATTRIBUTE, 6): "has loops or branches",
    (*ATTRIBUTE, 11): "has loops or branches",
    **{(*tensor, 13): "keeps weights in another file" for tensor in TENSORS},
}
LOCATIONS = frozenset((*tensor, 14) for tensor in TENSORS)  # 0: inside the file


def check_onnx(content: bytes) -> None:
    """Raise ValueError unless the file is a plain encoder with its weights inside."""
    counts: Counter[Path] = Counter()
    for path, value in _fields(content):
        counts[path] += 1
        if path in REFUSED:
            raise ValueError(f"its encoder {REFUSED[path]}, which is not allowed")
        if path in LOCATIONS and value:
            raise ValueError("its encoder keeps weights in another file, which is not allowed")
        if path in (OPERATOR, DOMAIN):
            name = value.decode("utf-8", errors="replace") if isinstance(value, bytes) else str(value)
            if name not in (OPERATORS if path == OPERATOR else DOMAINS):
                raise ValueError(f"its encoder uses the operator or domain {name}, which is not allowed")
    if counts[GRAPH] != 1 or not 0 < counts[NODE] <= MOST_NODES or counts[OPERATOR] < counts[NODE]:
        raise ValueError("its encoder is not an ONNX model of a usable size")


def _fields(content: bytes, path: Path = ()) -> Iterator[tuple[Path, int | bytes]]:
    """The fields of a message, and before them those of the messages in it: paths, and a number or bytes."""
    place, end = 0, len(content)
    while place < end:
        key, place = _varint(content, place)
        here, kind = (*path, key >> 3), key & 7
        if kind == 0 and here not in MESSAGES:
            value, place = _varint(content, place)
            yield here, value
            continue
        if kind == 2:
            size, place = _varint(content, place)
        elif kind in (1, 5) and here not in MESSAGES:
            size = 8 if kind == 1 else 4
        else:
            raise ValueError("its encoder is not an ONNX model")
        if place + size > end:
            raise ValueError("its encoder is not a whole ONNX model")
        inside = content[place : place + size]
        if here in MESSAGES:
            yield from _fields(inside, here)
        yield here, inside
        place += size


def _varint(content: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while place < len(content) and shift < 64:
        byte = content[place]
        value |= (byte & 127) << shift
        place, shift = place + 1, shift + 7
        if byte < 128:
            return value, place
    raise ValueError("its encoder is not a whole ONNX model")
