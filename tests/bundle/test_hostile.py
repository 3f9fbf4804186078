"""Bundles that are damaged, or made to mislead with right hashes: refused, and nothing waits or grows."""

from __future__ import annotations

import json
import os
import random
import struct
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from disco2.bundle import folder as bundle_folder
from disco2.bundle import load_bundle, save_bundle
from disco2.bundle.folder import CARD, FEATURES, HASHED, LARGEST, PARAMETERS
from disco2.errors import BundleError, InputError
from disco2.model.parameters import PAPER_KINDS
from disco2.shipped import MANIFEST
from disco2.vectors import WordVectors
from tests.bundle.conftest import refused, sealed, small_model, store
from tests.instances import reasons_and_results

# Any byte that differs.


def test_500_random_flips_over_all_files_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "m"
    save_bundle(small_model(), folder, data={"corpus": "erfunden, schön"}, figures={"accuracy": 0.1})
    files = sorted(path.name for path in folder.iterdir())
    assert files == sorted([*HASHED, MANIFEST])
    generator = random.Random(1)  # noqa: S311
    for number in range(500):
        name = files[number % len(files)]  # by turns: most bytes are parameters
        content = (folder / name).read_bytes()
        flipped = bytearray(content)
        flipped[generator.randrange(len(content))] ^= generator.randrange(1, 256)
        (folder / name).write_bytes(flipped)
        with pytest.raises(BundleError):
            load_bundle(folder)
        (folder / name).write_bytes(content)
    load_bundle(folder)


@pytest.mark.parametrize(
    "rewrite",
    [
        lambda text: text.replace('"labels"', '"\\u006cabels"'),
        lambda text: text.replace("?", "\\ud800"),  # which has the same digest
        lambda text: text.replace("0.25", "25e-2"),
        lambda text: text + "\n",
        lambda text: "\ufeff" + text,
        lambda text: '{"format": 1,' + text[1:],
        lambda text: json.dumps(json.loads(text), indent=1),
    ],
)
def test_the_same_manifest_written_otherwise_is_refused(
    rewrite: Callable[[str], str], tmp_path: Path
) -> None:
    save_bundle(small_model(), tmp_path / "m", data={"corpus": "schön?"}, figures={"accuracy": 0.25})
    file = tmp_path / "m" / MANIFEST
    text = file.read_text(encoding="utf-8")
    assert rewrite(text) != text
    file.write_text(rewrite(text), encoding="utf-8")
    with pytest.raises(BundleError, match=MANIFEST):
        load_bundle(tmp_path / "m")


def test_a_manifest_in_lines_of_windows_is_read(folder: Path) -> None:
    content = (folder / MANIFEST).read_bytes()
    assert b"\r" not in content
    (folder / MANIFEST).write_bytes(content.replace(b"\n", b"\r\n"))
    load_bundle(folder)


# Files and paths.


@pytest.mark.parametrize(
    "name",
    ["../secret", "/etc/hostname", "C:\\secret", "a\0b", "", MANIFEST, "./" + CARD, "\x1b[2J", "x" * 99_999],
)
def test_no_path_comes_from_a_manifest(name: str, folder: Path) -> None:
    (folder.parent / "secret").write_text("x")
    hashes = json.loads((folder / MANIFEST).read_text())["hashes"]
    sealed(folder, hashes=hashes | {name: sha256(b"x").hexdigest()})
    assert "names a file" in refused(folder)


@pytest.mark.parametrize("name", HASHED)
@pytest.mark.parametrize("wrong", ["absent", None, 1, "", "0" * 63, ["0"]])
def test_every_file_needs_its_hash(name: str, wrong: object, folder: Path) -> None:
    hashes = json.loads((folder / MANIFEST).read_text())["hashes"]
    del hashes[name]
    sealed(folder, hashes=hashes if wrong == "absent" else hashes | {name: wrong})
    assert name in refused(folder)


@pytest.mark.parametrize("name", [*HASHED, MANIFEST])
@pytest.mark.parametrize("kind", ["folder", "pipe", "link to a device", "link to itself", "link to nothing"])
def test_what_is_no_file_is_refused_and_not_waited_for(name: str, kind: str, folder: Path) -> None:
    file = folder / name
    file.unlink()
    if kind == "folder":
        file.mkdir()
    elif kind == "pipe":
        if not hasattr(os, "mkfifo"):
            pytest.skip("no pipes here")
        os.mkfifo(file)
    else:
        targets = {"link to a device": "/dev/zero", "link to itself": file, "link to nothing": folder / "no"}
        file.symlink_to(targets[kind])
    refused(folder)


def test_links_and_further_files_are_no_matter(folder: Path) -> None:
    """The hash decides, wherever the bytes lie; what is not in the manifest is not looked at."""
    for name in (PARAMETERS, CARD):
        (folder / name).rename(folder.parent / name)
        (folder / name).symlink_to(folder.parent / name)
    (folder / "pytorch_model.bin").write_bytes(b"\x80\x04.")
    (folder / "more").mkdir()
    load_bundle(folder)
    (folder.parent / PARAMETERS).write_bytes(b"other")
    refused(folder)


@pytest.mark.parametrize("name", [*HASHED, MANIFEST])
def test_a_file_of_holes_takes_no_room(name: str, folder: Path) -> None:
    """Larger than such a file may be: a terabyte of nothing."""
    os.truncate(folder / name, 1 << 40)
    refused(folder)


def test_a_file_is_read_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another content, put in place after the hashing, is not what is loaded."""
    expected = load_bundle(folder)[0]
    true = bundle_folder.verified_bytes

    def exchanging(place: Path, name: str, *, expected: str) -> bytes:
        content = true(place, name, expected=expected)
        (place / name).unlink()
        return content

    monkeypatch.setattr(bundle_folder, "verified_bytes", exchanging)
    model, _ = load_bundle(folder)
    assert [path.name for path in folder.iterdir()] == [MANIFEST]
    for name, value in expected.parameters.items():
        np.testing.assert_array_equal(model.parameters[name], value)
    assert model.vectors.words == expected.vectors.words


# Manifests and features of other types.


@pytest.mark.parametrize(
    "changes",
    [
        *({name: None} for name in ("model", "task", "data", "hashes", "configuration", "calibration")),
        *({"labels": wrong} for wrong in (None, "Cause", [], [1, 2], ["Cause", "Cause"], ["a", "b", "c"])),
        *({"format": wrong} for wrong in (None, "1", [], 0, -1, True, 2.0, 10**4000)),
        *({"version": wrong} for wrong in (None, 2, "", "1\x1b[2J", "9" * 1000, ["1"])),
        *({"configuration": {"task": wrong}} for wrong in (None, 1, "x", [])),
        *({"data": {"automatic_layers": wrong}} for wrong in (None, 5, "tokens", [1], {"a": 1})),
        *({"model": {"K": 6, "members": wrong}} for wrong in (2, 1000, 10**9, 0, "1", None)),
        *({"model": {"kind": kind, "K": 10**9}} for kind in PAPER_KINDS),
        *({"model": {"kind": kind, "K": 6, "rank": 10**9}} for kind in ("entities", "upward", "additive")),
        *({"model": {"K": 6} | wrong} for wrong in ({"surface_members": 10**9}, {"factor_scale": 1e999})),
        *({"model": {"K": 6} | wrong} for wrong in ({"kind": "transformer"}, {"__class__": "os.system"})),
        {"model": {"kind": "\x1b[31m" + "x" * 100_000, "K": 6}},
        *({"model": {"K": wrong}} for wrong in (7, 10**3000)),
        *({"vectors": wrong} for wrong in (None, [1], {"source": "shipped"}, {"source": "elsewhere"})),
        *({"data": {"label_counts": wrong}} for wrong in (3, {"a": "1"}, {"a": True}, {"a": 10**400})),
        {"data": {"label_counts": {"a": -1}}},
        {"data": {"offsets": {"a": 1000}}},
        *({"calibration": {"temperature": wrong}} for wrong in (0, -1, None, True, "1", 1e300, 10**400)),
    ],
    ids=lambda changes: str(changes)[:60],
)
def test_a_manifest_of_other_types_is_refused(changes: dict[str, object], folder: Path) -> None:
    sealed(folder, **changes)
    refused(folder)


@pytest.mark.parametrize("text", ["[" * 100_000, "[]", "1", '{"digest": 1, "format": 1e999}', "\udcff"])
def test_a_manifest_that_is_no_manifest_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_text(text, errors="surrogateescape")
    refused(tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[" * 100_000,
        "[]",
        "NaN",
        "{}",
        '{"settings": {}}',
        '{"settings": {"word_pairs": 1e999}}',
        '{"settings": {}, "word_pairs": {"a": 1}}',
        "[" + "[]," * 100_000 + "[]]",
    ],
    ids=lambda text: text[:30],
)
def test_features_of_other_types_are_refused(text: str, folder: Path) -> None:
    (folder / FEATURES).write_text(text)
    sealed(folder)
    refused(folder)


# Arrays: shapes that are only declared, other types, values that would make scores none.


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


@pytest.mark.parametrize("members", [1, 2])
def test_arrays_of_other_names_shapes_types_and_values_are_refused(members: int, tmp_path: Path) -> None:
    folder = tmp_path / "m"
    save_bundle(small_model(members=members), folder)
    good = load_file(folder / PARAMETERS)
    one = np.zeros(1, dtype=np.float32)
    wrongs = [good | {name: one} for name in ("evil", "parameters.C", "parameters.", "vectors.mean", "..")]
    for name, array in good.items():
        wrongs.append({other: value for other, value in good.items() if other != name})
        wrongs += [good | {name: np.zeros(shape, dtype=np.float32)} for shape in ((3, 5), 0)]
        wrongs += [good | {name: array.astype(kind)} for kind in (np.int8, np.int32, np.bool_, np.complex64)]
        for value in (np.nan, np.inf, -np.inf, 1e30, -1e30, 1.01 * LARGEST):
            damaged = array.copy()
            damaged.flat[-1] = value
            wrongs.append(good | {name: damaged})
    for wrong in wrongs:
        assert "can't be read" in refused(store(wrong, folder))
    load_bundle(store({name: array.astype(np.float64) for name, array in good.items()}, folder))


@pytest.mark.parametrize("K", [20_000, 101])
@pytest.mark.parametrize("axes", [True, False])
def test_dimensions_the_shipped_vectors_do_not_have_take_no_room(K: int, axes: bool, named: Path) -> None:
    """A table has 50,000 rows: 160 kilobytes of means would ask for four gigabytes."""
    arrays = load_file(named / PARAMETERS)
    arrays |= {"vectors.mean": np.zeros(K), "vectors.deviation": np.ones(K)}
    if axes:
        arrays |= {"vectors.centre": np.zeros(1), "vectors.axes": np.zeros((1, K))}
    else:
        del arrays["vectors.centre"], arrays["vectors.axes"]
    assert "names its word vectors" in refused(store(arrays, named))


@pytest.mark.parametrize("deviation", [1e-300, 1e-40, 1e-9])
def test_a_table_that_overflows_when_it_is_made_is_refused(deviation: float, named: Path) -> None:
    arrays = load_file(named / PARAMETERS)
    arrays["vectors.deviation"] = np.full_like(arrays["vectors.deviation"], deviation)
    assert "table of word vectors" in refused(store(arrays, named))


@pytest.mark.parametrize("members", [1, 3])
@pytest.mark.parametrize("kind", PAPER_KINDS)
def test_the_largest_values_that_are_allowed_give_scores(kind: str, members: int, tmp_path: Path) -> None:
    model = small_model(kind, members=members)
    vectors = WordVectors(model.vectors.words, np.full_like(model.vectors.matrix, LARGEST))
    parameters = {name: np.full_like(value, LARGEST) for name, value in model.parameters.items()}
    save_bundle(replace(model, vectors=vectors, parameters=parameters), tmp_path / "m")
    loaded, _ = load_bundle(tmp_path / "m")
    assert np.isfinite(loaded.scores(reasons_and_results(10, seed=3))).all()


@pytest.mark.parametrize(("value", "said"), [(np.nan, "diverged"), (2 * LARGEST, "Nothing was saved")])
def test_what_could_not_be_used_is_not_saved(value: float, said: str, tmp_path: Path) -> None:
    model = small_model()
    model.parameters["b"][0] = value
    with pytest.raises(InputError, match=said):
        save_bundle(model, tmp_path / "m")
    assert not (tmp_path / "m").exists()
