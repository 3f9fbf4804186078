"""Every flip of a byte, in any file of a bundle, is seen when it is loaded."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from disco2.bundle import load_bundle, save_bundle
from disco2.bundle.manifest import HASHED
from disco2.errors import BundleError
from disco2.shipped import MANIFEST
from tests.bundle.test_bundle import small_model

FLIPS = 500


def flipped(content: bytes, generator: random.Random) -> bytes:
    """The content with another value for one of its bytes."""
    place, change = generator.randrange(len(content)), generator.randrange(1, 256)
    return content[:place] + bytes([content[place] ^ change]) + content[place + 1 :]


def test_500_random_flips_over_all_files_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "m"
    save_bundle(small_model(), folder, data={"corpus": "erfunden, schön"}, figures={"accuracy": 0.1})
    files = sorted(path.name for path in folder.iterdir())
    assert files == sorted([*HASHED, MANIFEST])
    generator = random.Random(1)  # noqa: S311
    for number in range(FLIPS):
        name = files[number % len(files)]  # by turns: most bytes are parameters
        content = (folder / name).read_bytes()
        (folder / name).write_bytes(flipped(content, generator))
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


@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
def test_a_manifest_in_lines_of_either_system_is_read(ending: bytes, tmp_path: Path) -> None:
    save_bundle(small_model(), tmp_path / "m", data={"corpus": "schön"})
    file = tmp_path / "m" / MANIFEST
    content = file.read_bytes()
    assert b"\r" not in content
    file.write_bytes(content.replace(b"\n", ending))
    assert load_bundle(tmp_path / "m")[1].data == {"corpus": "schön"}
