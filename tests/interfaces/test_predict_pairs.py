"""disco2 predict-pairs: broken lines, full disks, and runs that end in the middle."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from disco2.inference.pipeline import Pipeline
from disco2.inference.results import read_schema
from tests.conftest import ROOT
from tests.interfaces.conftest import Run
from tests.interfaces.stand_in import PROGRAM

VALIDATOR = Draft202012Validator(read_schema())


def write_pairs(folder: Path, count: int, *, broken: dict[int, str] | None = None) -> Path:
    lines = [
        json.dumps({"arg1": f"Bob ate {n} eggs.", "arg2": "Tina slept.", "id": n})
        for n in range(1, count + 1)
    ]
    for number, text in (broken or {}).items():
        lines[number - 1] = text
    file = folder / "pairs.jsonl"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def records(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_pairs_are_answered_in_order(run_small: Run, tmp_path: Path) -> None:
    pairs, output = write_pairs(tmp_path, 7), tmp_path / "out" / "answers.jsonl"
    code, out, err = run_small("predict-pairs", pairs, "--output", output, "--batch-size", 3)
    assert (code, err) == (0, "")
    assert "7 pairs" in out
    found = records(output)
    assert [(one["line"], one["id"]) for one in found] == [(n, n) for n in range(1, 8)]
    for one in found:
        VALIDATOR.validate(one)
    assert [path.name for path in output.parent.iterdir()] == ["answers.jsonl"]
    code, out, _ = run_small("predict-pairs", pairs)  # without --output: to standard output
    assert code == 0
    assert [json.loads(line)["sense"] for line in out.splitlines()] == [one["sense"] for one in found]
    run_small("predict-pairs", pairs, "--output", output, "--explain")
    assert {len(one["explanation"]["pairs"]) for one in records(output)} == {0}


def test_a_broken_line_in_the_middle(run_small: Run, tmp_path: Path) -> None:
    broken = {4: '{"arg1": "It rained."', 9: '{"arg1": "It rained.", "arg2": "!"}'}
    pairs, output = write_pairs(tmp_path, 12, broken=broken), tmp_path / "out.jsonl"
    code, _, err = run_small("predict-pairs", pairs, "--output", output, "--batch-size", 5)
    assert code == 2
    assert f"{pairs}: line 4: This is not JSON" in err
    assert f"{pairs}: line 9: The argument arg2 has no word" in err
    assert "2 of 12 lines have no answer; the others are done" in err
    found = records(output)
    assert [one["line"] for one in found if "error" in one] == [4, 9]
    assert [one["id"] for one in found if "error" not in one] == [n for n in range(1, 13) if n not in broken]
    for one in found:
        VALIDATOR.validate(one)


def test_an_empty_file_of_pairs(run_small: Run, tmp_path: Path) -> None:
    (tmp_path / "pairs.jsonl").write_text("\n\n")
    code, _, _ = run_small("predict-pairs", tmp_path / "pairs.jsonl", "--output", tmp_path / "out.jsonl")
    assert code == 0
    assert (tmp_path / "out.jsonl").read_bytes() == b""


def test_a_full_disk_and_on(run_small: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs, output = write_pairs(tmp_path, 10, broken={2: "x"}), tmp_path / "out.jsonl"
    command = ("predict-pairs", pairs, "--output", output, "--batch-size", 2)
    calls = 0
    original = os.fsync

    def full_in_the_end(handle: int) -> None:
        nonlocal calls
        calls += 1
        if calls > 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        original(handle)

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full_in_the_end)
        code, _, err = run_small(*command)
    assert code == 2
    assert "The disk is full. What is done is kept." in err
    assert not output.exists()
    code, _, err = run_small(*command)
    assert code == 2  # for the broken line, which the first run met
    assert "resuming after" in err
    assert "1 of 10 lines" in err
    assert [one["line"] for one in records(output)] == list(range(1, 11))


def test_a_changed_input_is_not_mixed_with_the_old_answers(
    run_small: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs, output = write_pairs(tmp_path, 6), tmp_path / "out.jsonl"
    command = ("predict-pairs", pairs, "--output", output, "--batch-size", 2)
    with monkeypatch.context() as patched:
        interrupt_after(patched, 1)
        assert run_small(*command)[0] == 130
    write_pairs(tmp_path, 7)
    code, _, err = run_small(*command)
    assert code == 2
    assert "begun with another input" in err
    assert "--restart" in err
    assert run_small(*command, "--restart")[0] == 0
    assert len(records(output)) == 7


def interrupt_after(monkeypatch: pytest.MonkeyPatch, batches: int) -> list[int]:
    """Press Ctrl-C once some batches are done; the sizes of the batches that were begun."""
    original = Pipeline.classify_pairs
    begun: list[int] = []

    def interrupted(self: Pipeline, pairs: Any) -> Any:
        begun.append(len(pairs))
        if len(begun) == batches + 1:
            raise KeyboardInterrupt
        return original(self, pairs)

    monkeypatch.setattr(Pipeline, "classify_pairs", interrupted)
    return begun


def test_an_interrupted_run_goes_on(run_small: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs, output = write_pairs(tmp_path, 10, broken={3: "{}"}), tmp_path / "out.jsonl"
    command = ("predict-pairs", pairs, "--output", output, "--batch-size", 4)
    with monkeypatch.context() as patched:
        begun = interrupt_after(patched, 1)
        code, _, err = run_small(*command)
    assert (code, begun) == (130, [3, 4])
    assert "interrupted: 4 pairs are kept" in err
    assert "same command again" in err
    assert not output.exists()
    with monkeypatch.context() as patched:
        begun = interrupt_after(patched, 100)
        code, _, err = run_small(*command)
    assert (code, begun) == (2, [4, 2])  # 2 for line 3; the first four were not done again
    assert "behind the 4 pairs" in err
    assert [one["line"] for one in records(output)] == list(range(1, 11))


def test_a_killed_run_goes_on_without_repeating_or_losing_a_pair(small_bundle: Path, tmp_path: Path) -> None:
    """kill -9 at moments that nobody chose."""
    count = 400
    pairs, output = write_pairs(tmp_path, count), tmp_path / "out.jsonl"
    part = tmp_path / "out.jsonl.part"
    command = [
        *PROGRAM,
        "predict-pairs",
        "--model",
        str(small_bundle),
        str(pairs),
        "--output",
        str(output),
    ]
    command += ["--batch-size", "3"]
    done = 0
    for round_number in range(2):
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < deadline:
            if part.exists() and part.read_bytes().count(b"\n") >= done + 10:
                process.send_signal(signal.SIGKILL)
                break
            time.sleep(0.002)
        process.wait()
        assert process.returncode == -signal.SIGKILL, f"round {round_number} was not killed in time"
        kept = part.read_bytes()
        assert kept.count(b"\n") >= done + 10
        done = kept.count(b"\n")
    first = [json.loads(line) for line in part.read_bytes().split(b"\n")[:done]]
    finished = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "resuming after" in finished.stderr
    found, goes_on = records(output), output.read_bytes()
    assert [one["id"] for one in found] == list(range(1, count + 1))
    assert found[:done] == first
    subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    assert output.read_bytes() == goes_on  # byte for byte what a run without an end in the middle writes
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.jsonl", "pairs.jsonl"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device here")
def test_a_full_disk_under_standard_output(small_bundle: Path, tmp_path: Path) -> None:
    pairs = write_pairs(tmp_path, 3)
    command = [*PROGRAM, "predict-pairs", "--model", str(small_bundle), str(pairs)]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "error: The system refused: No space left on device.\n"


def test_an_output_behind_a_link_and_a_batch_of_any_size(run_small: Run, tmp_path: Path) -> None:
    pairs = write_pairs(tmp_path, 3)
    (tmp_path / "link").symlink_to(tmp_path / "real.jsonl")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for output in ("link", "loop"):
        code, _, err = run_small(
            "predict-pairs", pairs, "--output", tmp_path / output, "--batch-size", 10**30
        )
        assert (code, err) == (0, "")
    assert (tmp_path / "link").is_symlink()
    assert len(records(tmp_path / "real.jsonl")) == len(records(tmp_path / "loop")) == 3


@pytest.mark.skipif(os.name != "posix", reason="pipes with names are for POSIX only")
def test_pairs_from_a_pipe(run_small: Run, tmp_path: Path) -> None:
    """Such as a shell's <(...)."""
    reading, writing = os.pipe()
    with os.fdopen(writing, "wb") as stream:
        stream.write(write_pairs(tmp_path, 3).read_bytes())
    pipe = f"/dev/fd/{reading}"
    assert "can't resume" in run_small("predict-pairs", pipe, "--output", tmp_path / "out.jsonl")[2]
    code, out, _ = run_small("predict-pairs", pipe)
    os.close(reading)
    assert (code, len(out.splitlines())) == (0, 3)
