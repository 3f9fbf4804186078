"""A fine-tuned encoder -> the int8 ONNX file that a bundle holds. Needs PyTorch, onnx and onnxruntime."""

from __future__ import annotations

import logging
import tempfile
import warnings
from pathlib import Path

import torch
from torch import Tensor, nn

from disco2.model.encoder_model import INPUTS, OUTPUT, import_onnxruntime

OPSET = 17


class _States(nn.Module):
    """The encoder with plain tensors in and out, as the exporter needs it."""

    def __init__(self, encoder: nn.Module, takes_types: bool) -> None:
        super().__init__()
        self.encoder, self.takes_types = encoder, takes_types

    def forward(self, ids: Tensor, types: Tensor | None = None) -> Tensor:
        given = {"token_type_ids": types} if self.takes_types else {}
        states: Tensor = self.encoder(input_ids=ids, **given).last_hidden_state
        return states


def export_onnx(encoder: nn.Module, *, takes_types: bool, quantise: bool = True) -> bytes:
    """The encoder's last states for one pair of any length; int8 weights per channel where ``quantise``.

    A pair is never padded, so there is no attention mask, which would cost a tenth of the time.

    Weights use seven of the eight bits: processors without VNNI add up products of 8-bit numbers in 16 bits,
    which would overflow.
    """
    import_onnxruntime()
    from onnxruntime.quantization import QuantType, quantize_dynamic

    encoder.eval()
    names = list(INPUTS) if takes_types else list(INPUTS[:1])
    example = torch.ones(1, 12, dtype=torch.long)
    axes = {name: {1: "pieces"} for name in (*names, OUTPUT)}
    with tempfile.TemporaryDirectory() as folder:
        plain, small = Path(folder) / "plain.onnx", Path(folder) / "int8.onnx"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the exporter warns of shapes that don't depend on the input
            torch.onnx.export(
                _States(encoder, takes_types),
                tuple(example for _ in names),
                str(plain),
                input_names=names,
                output_names=[OUTPUT],
                dynamic_axes=axes,
                opset_version=OPSET,
                dynamo=False,
            )
        if not quantise:
            return plain.read_bytes()
        root = logging.getLogger()
        level = root.level
        root.setLevel(logging.ERROR)  # the quantiser advises a preprocessing that changes nothing here
        try:
            quantize_dynamic(plain, small, per_channel=True, reduce_range=True, weight_type=QuantType.QInt8)
        finally:
            root.setLevel(level)
        return small.read_bytes()
