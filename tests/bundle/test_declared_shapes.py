"""Settings and headers that declare more than is there: refused before room is made for it."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from disco2.bundle import load_bundle
from disco2.bundle.manifest import PARAMETERS
from disco2.model.settings import PAPER_KINDS
from tests.bundle.test_bundle import refused, sealed
from tests.bundle.test_word_table import saved


@pytest.mark.parametrize(
    "settings",
    [
        *({"kind": kind, "K": 10**9} for kind in PAPER_KINDS),
        *({"kind": kind, "K": 6, "rank": 10**9} for kind in ("entities", "upward", "additive")),
        {"K": 6, "surface_members": 10**9},
        {"K": 10**3000},
        {"K": 6, "factor_scale": 1e999},
        {"kind": "transformer", "K": 6},
        {"kind": "\x1b[31m" + "x" * 100_000, "K": 6},
        {"K": 6, "__class__": "os.system"},
    ],
    ids=lambda settings: str(settings)[:60],
)
def test_settings_are_not_taken_at_their_word(settings: dict[str, object], folder: Path) -> None:
    sealed(folder, model=settings)
    refused(folder)


def tensors(header: object, data: bytes = b"") -> bytes:
    text = (header if isinstance(header, str) else json.dumps(header)).encode()
    return struct.pack("<Q", len(text)) + text + data


ONE = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
TWIN = json.dumps(ONE)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff" * 8,
        struct.pack("<Q", 1 << 40) + b"{}",
        tensors("[" * 100_000),
        tensors("null"),
        tensors({"a": None}),
        tensors({"parameters.b": ONE | {"shape": [2**40, 2**40]}}, b"\0" * 8),
        tensors({"parameters.b": ONE | {"shape": [10**12], "data_offsets": [0, 4 * 10**12]}}, b"\0" * 8),
        tensors({"parameters.b": ONE | {"shape": [-2]}}, b"\0" * 8),
        tensors({"parameters.b": ONE | {"shape": [0] * 1000, "data_offsets": [0, 0]}}),
        tensors({"parameters.b": ONE | {"data_offsets": [8, 0]}}, b"\0" * 8),
        tensors({"parameters.b": ONE, "parameters.A3": ONE}, b"\0" * 8),
        tensors({"parameters.b": ONE}, b"\0" * 16),
        tensors(f'{{"parameters.b": {TWIN}, "parameters.b": {TWIN}}}', b"\0" * 8),
        *(tensors({"parameters.b": ONE | {"dtype": kind}}, b"\0" * 8) for kind in ("F99", 1, None, "BF16")),
    ],
    ids=lambda content: repr(content[:60]),
)
def test_a_header_is_not_taken_at_its_word(content: bytes, folder: Path) -> None:
    (folder / PARAMETERS).write_bytes(content)
    sealed(folder)
    refused(folder)


def test_arrays_of_other_names_types_and_values_are_refused(folder: Path) -> None:
    good = load_file(folder / PARAMETERS)
    one = np.zeros(1, dtype=np.float32)
    wrongs = [good | {name: one} for name in ("evil", "parameters.C", "parameters.", "vectors.mean", "..")]
    for name, array in good.items():
        wrongs += [good | {name: array.astype(kind)} for kind in (np.int8, np.int32, np.bool_, np.complex64)]
        for value in (np.nan, np.inf, -np.inf):
            damaged = array.copy()
            damaged.flat[-1] = value
            wrongs.append(good | {name: damaged})
    for wrong in wrongs:
        save_file(wrong, folder / PARAMETERS)
        sealed(folder)
        refused(folder)
    save_file({name: array.astype(np.float64) for name, array in good.items()}, folder / PARAMETERS)
    sealed(folder)
    load_bundle(folder)  # double precision is as good


@pytest.mark.parametrize("K", [20_000, 101])
@pytest.mark.parametrize("axes", [True, False])
def test_dimensions_the_shipped_vectors_do_not_have_take_no_room(K: int, axes: bool, tmp_path: Path) -> None:
    """A table has 50,000 rows: 160 kilobytes of means would ask for four gigabytes."""
    saved(tmp_path / "m")
    arrays = load_file(tmp_path / "m" / PARAMETERS)
    arrays |= {"vectors.mean": np.zeros(K), "vectors.deviation": np.ones(K)}
    if axes:
        arrays |= {"vectors.centre": np.zeros(1), "vectors.axes": np.zeros((1, K))}
    else:
        del arrays["vectors.centre"], arrays["vectors.axes"]
    save_file(arrays, tmp_path / "m" / PARAMETERS)
    sealed(tmp_path / "m")
    assert "names its word vectors" in refused(tmp_path / "m")
