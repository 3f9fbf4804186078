"""Refuse ONNX files that could do more than multiply matrices.

A model is read as Protocol Buffers wire format, as far as needed: its nodes, its tensors, its functions.
Allowed are the operators of an exported encoder, with all weights inside the file. Loops, branches,
functions, operators of other domains and weights in other files are refused before onnxruntime sees it.
"""

from __future__ import annotations

from collections.abc import Iterator

# The operators that an encoder of the BERT family, quantised or not, is exported with.
_OPERATORS = """
Abs Add And Cast Clip Concat Constant ConstantOfShape Cos CumSum DequantizeLinear Div DynamicQuantizeLinear
Equal Erf Exp Expand Flatten Gather Gelu Gemm Greater GreaterOrEqual Identity IsNaN LayerNormalization Less
LessOrEqual Log MatMul MatMulInteger Max Min Mod Mul Neg Not Or Pow QuantizeLinear Range Reciprocal ReduceMean
ReduceSum Reshape Shape Sigmoid Sin Slice Softmax Split Sqrt Squeeze Sub Tanh Tile Transpose Unsqueeze Where
"""
OPERATORS = frozenset(_OPERATORS.split())
DOMAINS = (b"", b"ai.onnx")
MOST_NODES = 100_000
# Field numbers of onnx.proto.
_MODEL_GRAPH, _MODEL_FUNCTIONS = 7, 25
_GRAPH_NODE, _GRAPH_INITIALIZER, _GRAPH_SPARSE = 1, 5, 15
_NODE_OPERATOR, _NODE_ATTRIBUTE, _NODE_DOMAIN = 4, 5, 7
_ATTRIBUTE_TENSOR, _ATTRIBUTE_GRAPH, _ATTRIBUTE_GRAPHS = 5, 6, 11
_TENSOR_EXTERNAL, _TENSOR_LOCATION = 13, 14


def check_onnx(content: bytes) -> None:
    """Raise ValueError unless the file is a plain encoder with its weights inside."""
    graphs = []
    for number, value in _fields(content):
        if number == _MODEL_FUNCTIONS:
            raise ValueError("its encoder defines functions of its own, which is not allowed")
        if number == _MODEL_GRAPH:
            graphs.append(_bytes(value))
    if len(graphs) != 1:
        raise ValueError("its encoder is not an ONNX model")
    nodes = 0
    for number, value in _fields(graphs[0]):
        if number == _GRAPH_NODE:
            nodes += 1
            _check_node(_bytes(value))
        elif number == _GRAPH_INITIALIZER:
            _check_tensor(_bytes(value))
        elif number == _GRAPH_SPARSE:
            raise ValueError("its encoder has sparse weights, which are not allowed")
    if not 0 < nodes <= MOST_NODES:
        raise ValueError("its encoder is not an ONNX model of a usable size")


def _check_node(content: bytes) -> None:
    operator, domain = b"", b""
    for number, value in _fields(content):
        if number == _NODE_OPERATOR:
            operator = _bytes(value)
        elif number == _NODE_DOMAIN:
            domain = _bytes(value)
        elif number == _NODE_ATTRIBUTE:
            for inner, tensor in _fields(_bytes(value)):
                if inner in (_ATTRIBUTE_GRAPH, _ATTRIBUTE_GRAPHS):
                    raise ValueError("its encoder has loops or branches, which are not allowed")
                if inner == _ATTRIBUTE_TENSOR:
                    _check_tensor(_bytes(tensor))
    name = operator.decode("utf-8", errors="replace")
    if name not in OPERATORS or domain not in DOMAINS:
        where = f"{domain.decode('utf-8', errors='replace')}." if domain else ""
        raise ValueError(f"its encoder uses the operator {where}{name}, which is not allowed")


def _check_tensor(content: bytes) -> None:
    for number, value in _fields(content):
        if number == _TENSOR_EXTERNAL or (number == _TENSOR_LOCATION and value):
            raise ValueError("its encoder keeps weights in another file, which is not allowed")


def _bytes(value: int | bytes) -> bytes:
    if isinstance(value, int):
        raise ValueError("its encoder is not an ONNX model")
    return value


def _fields(content: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields of a message: their numbers, and a whole number or the bytes."""
    place, end = 0, len(content)
    while place < end:
        key, place = _varint(content, place)
        number, kind = key >> 3, key & 7
        if kind == 0:
            value, place = _varint(content, place)
            yield number, value
            continue
        if kind == 2:
            size, place = _varint(content, place)
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
        else:
            raise ValueError("its encoder is not an ONNX model")
        if place + size > end:
            raise ValueError("its encoder is not a whole ONNX model")
        yield number, content[place : place + size]
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
