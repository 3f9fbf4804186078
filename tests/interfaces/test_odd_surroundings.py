"""The command line where the terminal, the disk or the user is not as expected."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = [sys.executable, "-c", "from disco2.interfaces.cli import main; main()"]
LABELS = ("[/red]", ":smile:", "\u202eright to left", "caf\u00e9", "\U0001f600")
BARE = ("--automatic", "none")  # no layers, and no note about who made them
SMALL = ["--set", "model.K=5", "--set", "training.epochs=1", "--set", "vectors.frequent=0"]


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    lines = [
        {
            "arg1": f"It rained {n}.",
            "arg2": "We left.",
            "label": LABELS[n % 5],
            "split": ("train", "dev", "test")[n // 10],
        }
        for n in range(30)
    ]
    file = tmp_path / "pairs.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


def run(*arguments: str | Path, **options: object) -> subprocess.CompletedProcess[str]:
    command = [*PROGRAM, *map(str, arguments)]
    return subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False, **options)  # type: ignore[call-overload, no-any-return]


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_labels_are_printed_as_they_are_but_steer_nothing(pairs: Path, encoding: str) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "COLUMNS": "20"}
    here = ("corpus", "stats", "--corpus", "pairs", "--path", pairs, *BARE)
    done = run(*here, stdout=subprocess.PIPE, env=environment, encoding="utf-8")
    assert (done.returncode, done.stderr) == (0, "")
    for label in LABELS:
        shown = label.replace("\u202e", "?")
        assert shown.encode(encoding, errors="backslashreplace").decode(encoding) in done.stdout
    assert "\u2026" not in done.stdout  # nothing is cut off
    done = run(*here, "--json", stdout=subprocess.PIPE, env=environment)
    assert json.loads(done.stdout)["labels"] == sorted(LABELS)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device here")
@pytest.mark.parametrize("arguments", [["train", "--print-config"], ["--version"]])
def test_a_full_disk_under_standard_output(arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = run(*arguments, stdout=full)
    assert done.returncode == 2
    assert done.stderr == "error: The system refused: No space left on device.\n"


def test_a_reader_that_has_seen_enough(pairs: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as closed:
        done = run("corpus", "stats", "--corpus", "pairs", "--path", pairs, *BARE, stdout=closed)
    assert done.returncode == 1
    assert done.stderr == ""


IMPORTING = """
class Interrupter:
    def find_spec(self, name, path=None, target=None):
        if name == "disco2.interfaces.cli.app":
            interrupt()
sys.meta_path.insert(0, Interrupter())
"""
SAVING = "import disco2.bundle.folder; disco2.bundle.folder.model_card = interrupt"


@pytest.mark.parametrize(
    ("moment", "left", "said"),
    [(IMPORTING, [], ""), (SAVING, ["model.training"], "interrupted: pass 1 is kept in ")],
)
def test_an_interrupted_run_leaves_nothing_but_what_it_learned(
    pairs: Path, tmp_path: Path, moment: str, left: list[str], said: str
) -> None:
    code = f"""
import os, signal, sys
def interrupt(*_):
    os.kill(os.getpid(), signal.{signal.SIGINT.name})
signal.signal(signal.SIGINT, signal.default_int_handler)
{moment}
from disco2.interfaces.cli import main
main()
"""
    command = [sys.executable, "-c", code, "train", "--corpus", "pairs", "--path", str(pairs), *BARE]
    done = subprocess.run(
        [*command, "--output", str(tmp_path / "model"), *SMALL], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (130, "")
    lines = [line for line in done.stderr.splitlines() if not line.startswith("note: no annotator made")]
    assert len(lines) == len(left)
    assert all(line.startswith(said) and line.endswith("command again to go on") for line in lines)
    assert sorted(path.name for path in tmp_path.iterdir()) == [*left, "pairs.jsonl"]


def test_a_home_folder_that_no_shell_has_replaced(pairs: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "HOME": str(tmp_path)}
    here = ("corpus", "convert", "--corpus=pairs", "--path=~/pairs.jsonl", "--to=pairs")
    assert run(*here, "--output=~/out.jsonl", env=environment, cwd=tmp_path).returncode == 0
    assert (tmp_path / "out.jsonl").is_file()
    done = run(*here, "--output=~/pairs.jsonl", env=environment)
    assert done.returncode == 2
    assert "overwrite itself" in done.stderr
    done = run(*here, "--output=~nobody-of-that-name/x", env=environment)
    assert done.returncode == 2
    assert "no home folder" in done.stderr


CLOSED = "import os, sys; os.close({0}); os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"


def with_closed(descriptor: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", CLOSED.format(descriptor), *PROGRAM[1:], *arguments]
    return subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)


@pytest.mark.skipif(os.name != "posix", reason="a POSIX shell's <&- and >&-")
def test_closed_streams(pairs: Path) -> None:
    done = with_closed(0, "annotate", "--file", "-")
    assert (done.returncode, done.stderr[:33]) == (2, "error: Standard input is closed. ")
    done = with_closed(1, "corpus", "stats", "--json", "--corpus", "pairs", "--path", str(pairs), *BARE)
    assert (done.returncode, done.stderr) == (0, "")


def test_an_annotator_without_a_layer_to_make(pairs: Path) -> None:
    here = ("corpus", "stats", "--corpus", "pairs", "--path", pairs)
    done = run(*here, *BARE, "--spacy", "x", stdout=subprocess.PIPE)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Add --automatic" in done.stderr
