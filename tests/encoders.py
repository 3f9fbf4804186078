"""A small encoder for tests: an ONNX graph of two table look-ups and a tokenizer of some words."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from disco2.model import EncoderModel, ModelSettings

SIZE = 6
TEXT = """
it rained so we left because the match was cancelled she he hungry gave tom anna . , !
"""
WORDS = TEXT.split()
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


@cache
def tokenizer_json() -> bytes:
    vocabulary = {word: number for number, word in enumerate([*SPECIAL, *WORDS])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))  # noqa: S106
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.add_special_tokens(SPECIAL)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    return tokenizer.to_str().encode()


def small_onnx(*, extra_nodes: Sequence[onnx.NodeProto] = (), external: bool = False) -> bytes:
    """h_t = words[ids_t] + sides[types_t]; a pair's states don't depend on anything else."""
    random = np.random.default_rng(1)
    rows = len(SPECIAL) + len(WORDS)
    tables = {"words": random.normal(size=(rows, SIZE)), "sides": random.normal(size=(2, SIZE))}
    weights = [numpy_helper.from_array(table.astype(np.float32), name) for name, table in tables.items()]
    if external:
        weights[0].data_location = TensorProto.EXTERNAL
        entry = weights[0].external_data.add()
        entry.key, entry.value = "location", "/etc/passwd"
        weights[0].ClearField("raw_data")
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, [1, "pieces"])
        for name in ("input_ids", "token_type_ids")
    ]
    output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [1, "pieces", SIZE])
    nodes = [
        helper.make_node("Gather", ["words", "input_ids"], ["a"]),
        helper.make_node("Gather", ["sides", "token_type_ids"], ["b"]),
        helper.make_node("Add", ["a", "b"], ["last_hidden_state"]),
        *extra_nodes,
    ]
    graph = helper.make_graph(nodes, "small", inputs, [output], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return bytes(model.SerializeToString())


def write_encoder(folder: Path, words: Collection[str]) -> None:
    """An untrained encoder of two layers in Hugging Face's layout; needs the extra ``train``."""
    import torch
    from transformers import BertConfig, BertModel

    vocabulary = {word: number for number, word in enumerate([*SPECIAL, *sorted({*words, *WORDS})])}
    tokenizer = json.loads(tokenizer_json())
    tokenizer["model"]["vocab"] = vocabulary
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=64,
    )
    torch.manual_seed(1)
    BertModel(config, add_pooling_layer=False).save_pretrained(folder)


def small_encoder(
    labels: Sequence[str] = ("Comparison.Concession", "Contingency.Cause", "NoRel"),
) -> EncoderModel:
    random = np.random.default_rng(2)
    return EncoderModel(
        settings=ModelSettings(kind="encoder"),
        labels=tuple(labels),
        onnx=small_onnx(),
        tokenizer=tokenizer_json(),
        weights=random.normal(size=(len(labels), 2 * SIZE)).astype(np.float32),
        bias=random.normal(size=len(labels)).astype(np.float32),
    )


def text_scores(model: EncoderModel, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
    """W [m1; m2] + b, [n, Y]: the scores without the terms of entities and features."""
    return model.pool(pairs) @ model.weights.T + model.bias
