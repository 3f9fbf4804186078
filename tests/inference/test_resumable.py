"""Outputs that are cut off anywhere and go on."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest

from disco2.errors import InputError
from disco2.inference.pairs import ResumableLines

RUN = {"input": "abc", "model": "m"}
NUMBERS = [1, 2, 4, 5]
LINES = [json.dumps({"line": number, "id": "\u00e9"}, ensure_ascii=False) for number in NUMBERS]
WHOLE = "".join(f"{line}\n" for line in LINES).encode()


def part_of(output: Path) -> Path:
    return output.with_name(output.name + ".part")


def complete(output: Path, **options: bool) -> int:
    """Go on to the end; how many lines were there before."""
    with ResumableLines(output, RUN, **options) as lines:
        kept = lines.keep(NUMBERS)
        for line in LINES[kept:]:
            lines.append([line])
        lines.finish()
    return kept


def test_a_run_without_interruption(tmp_path: Path) -> None:
    output = tmp_path / "new" / "out.jsonl"
    assert complete(output) == 0
    assert output.read_bytes() == WHOLE
    assert [path.name for path in output.parent.iterdir()] == ["out.jsonl"]
    assert complete(output) == 0  # a finished output is made anew


def test_cut_off_at_every_byte(tmp_path: Path) -> None:
    """Whatever is left of the part, the end is the same and no whole line is done twice."""
    output = tmp_path / "out.jsonl"
    for size in range(len(WHOLE) + 1):
        with ResumableLines(output, RUN, restart=True) as lines:
            lines.append(LINES)
        os.truncate(part_of(output), size)
        assert complete(output) == WHOLE[:size].count(b"\n")
        assert output.read_bytes() == WHOLE
        output.unlink()


def test_only_whole_batches_are_kept(tmp_path: Path) -> None:
    """Whoever is scored with others is scored with the same ones after an interruption."""
    output = tmp_path / "out.jsonl"
    for done in range(len(LINES) + 1):
        with ResumableLines(output, RUN, restart=True) as lines:
            lines.append(LINES[:done])
        with ResumableLines(output, RUN) as lines:
            kept = lines.keep(NUMBERS, batch_size=2)
            assert kept == done - done % 2
        assert part_of(output).read_bytes() == b"".join(WHOLE.splitlines(keepends=True)[:kept])


@pytest.mark.parametrize(
    "rubbish", [b"\x00" * 30 + b"\n", b'{"line": 4}\n', b"[]\n", b'{"line": "1"}\n', b"\n"]
)
def test_what_does_not_follow_is_done_again(tmp_path: Path, rubbish: bytes) -> None:
    output = tmp_path / "out.jsonl"
    with ResumableLines(output, RUN) as lines:
        lines.append(LINES[:1])
    with part_of(output).open("ab") as stream:
        stream.write(rubbish)
    assert complete(output) == 1
    assert output.read_bytes() == WHOLE


def test_the_part_of_another_run_is_refused(tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    with ResumableLines(output, RUN) as lines:
        lines.append(LINES[:2])
    for other in ({"input": "abd", "model": "m"}, {"input": "abc", "model": "n"}):
        with (
            pytest.raises(InputError, match=r"another (input|model).*--restart"),
            ResumableLines(output, other),
        ):
            pass
    part_of(output).with_name("out.jsonl.part.json").unlink()
    with pytest.raises(InputError, match=r"--restart"), ResumableLines(output, RUN):
        pass
    assert part_of(output).read_bytes().count(b"\n") == 2  # nothing was lost
    assert complete(output, restart=True) == 0


def test_a_full_disk_keeps_what_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    output = tmp_path / "out.jsonl"

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with ResumableLines(output, RUN) as lines:
        lines.append(LINES[:2])
        with monkeypatch.context() as patched:
            patched.setattr(os, "fsync", full)
            with pytest.raises(InputError, match=r"disk is full.*same command again"):
                lines.append(LINES[2:3])
    assert not output.exists()
    assert complete(output) >= 2
    assert output.read_bytes() == WHOLE


@pytest.mark.skipif(os.name != "posix", reason="locks are for POSIX only")
def test_two_runs_do_not_share_an_output(tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    with ResumableLines(output, RUN) as lines:
        lines.append(LINES[:1])
        for restart in (False, True):
            with pytest.raises(InputError, match="Another run"), ResumableLines(output, RUN, restart=restart):
                pass
    assert complete(output) == 1


def test_an_output_that_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no file"), ResumableLines(tmp_path, RUN):
        pass
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="can't be written"), ResumableLines(tmp_path / "file" / "x", RUN):
        pass


@pytest.mark.skipif(os.name != "posix", reason="locks are for POSIX only")
def test_a_run_that_opens_the_part_just_before_another_one_finishes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It then holds the other's output, and must not cut it off."""
    output = tmp_path / "out.jsonl"
    fcntl = pytest.importorskip("fcntl")
    lock = fcntl.flock
    with ResumableLines(output, RUN) as first:
        first.append(LINES)

        def finished_meanwhile(stream: Any, operation: int) -> None:
            first.finish()
            lock(stream, operation)

        monkeypatch.setattr(fcntl, "flock", finished_meanwhile)
        with pytest.raises(InputError, match="Another run"), ResumableLines(output, RUN, restart=True):
            pass
    assert output.read_text().splitlines() == list(LINES)
