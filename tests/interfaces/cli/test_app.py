"""The program: its listing, lazy imports, completion, renamed options, and errors around a command."""

from __future__ import annotations

import importlib
import inspect
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from disco2.corpora.catalogue import CORPUS_NAMES
from disco2.interfaces.cli.app import COMMANDS, help_of, load_function, names_in
from tests.interfaces.conftest import Run

PROGRAM = [sys.executable, "-m", "disco2"]
HEAVY = {"numpy", "spacy", "safetensors", "jinja2", "numba", "fastapi"}


def test_every_command_has_a_help_line() -> None:
    for name in COMMANDS:
        first = (inspect.getdoc(load_function(name)) or "").split("\n\n")[0]
        assert help_of(name) == " ".join(first.split()) != ""


def test_help_lists_every_command_in_order(run: Run) -> None:
    code, out, _ = run("--help")
    assert code == 0
    lines = out.partition("Commands:\n")[2].splitlines()
    assert [line.split()[0] for line in lines if not line.startswith("   ")] == names_in()
    listed = " ".join(" ".join(lines).split())
    assert all(f"{name} {help_of(name)}" in listed for name in names_in()), "cut off"
    code, out, _ = run("experiment", "--help")
    assert (code, "multiclass       Accuracy of every model of the paper's table" in out) == (0, True)


def modules_after(*arguments: str, **environment: str) -> set[str]:
    code = f"""
import json, sys
from disco2.interfaces.cli import main
sys.argv = {["disco2", *arguments]!r}
try: main()
except SystemExit: pass
print(json.dumps(sorted(sys.modules)))"""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ | environment)
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize(
    ("arguments", "environment"),
    [
        (["--help"], {}),
        (["corpus", "--help"], {}),
        ([], {"COMP_WORDS": "disco2 tr", "COMP_CWORD": "1", "_DISCO2_COMPLETE": "complete_bash"}),
    ],
)
def test_listing_imports_no_command(arguments: list[str], environment: dict[str, str]) -> None:
    modules = modules_after(*arguments, **environment)
    assert not modules & (HEAVY | {f"disco2.interfaces.cli.{file}" for file in COMMANDS.values()})


def test_version_and_one_command_import_only_what_they_need() -> None:
    assert not modules_after("--version") & {"numpy", "spacy", "safetensors", "disco2.bundle"}
    modules = modules_after("corpus", "role-pairs", "--help")
    assert "disco2.interfaces.cli.corpus" in modules
    assert not modules & {"disco2.interfaces.cli.train", "disco2.interfaces.cli.predict", "spacy"}


def test_unknown_commands_and_options(run: Run) -> None:
    code, _, err = run("predcit")
    assert (code, "No such command 'predcit'" in err) == (2, True)
    code, _, err = run("predict", "--x")
    assert (code, "No such option" in err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["predict", "It rained.", "--bundle", "mine"], "Use: --model"),
        (["serve", "--bundle=mine"], "Use: --model"),
        (["train", "--model", "upward"], "Use: --kind"),
        (["predict", "--pairs", "x"], "Use: disco2 predict-pairs FILE --output ANSWERS"),
        (["predict", "--files", "x", "--output", "y"], "Use: disco2 bulk 'PATTERN' --output DIR"),
    ],
)
def test_an_old_spelling_names_the_new_one(run: Run, arguments: list[str], hint: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("error: Unknown option --")
    assert err.endswith(f"{hint}\n")


def test_a_command_that_cant_be_imported_names_the_doctor(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def without_numpy(name: str) -> ModuleType:
        raise ModuleNotFoundError(f"No module named 'numpy', which {name} needs")

    monkeypatch.setattr(importlib, "import_module", without_numpy)
    code, out, err = run("evaluate")
    assert (code, out) == (2, "")
    assert err.startswith("error: The command 'evaluate' can't be loaded: No module named 'numpy'")
    assert "disco2 doctor" in err


# Completion

Complete = Callable[..., list[str]]


@pytest.fixture
def complete(run: Run, monkeypatch: pytest.MonkeyPatch) -> Complete:
    """What bash offers for a line; the last word is the one to complete."""

    def ask(*words: str) -> list[str]:
        monkeypatch.setenv("_DISCO2_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", "\n".join(["disco2", *words]))
        monkeypatch.setenv("COMP_CWORD", str(len(words)))
        code, out, err = run()
        assert (code, err) == (0, "")
        return out.split()

    return ask


@pytest.mark.parametrize(
    ("words", "values"),
    [
        (("",), names_in()),
        (("tr",), ["train"]),
        (("corpus", ""), ["stats", "role-pairs", "mine", "convert"]),
        (("--vers",), ["--version"]),
        (("--version", ""), names_in()),  # not printed while completing
        (("train", "--corpus", ""), list(CORPUS_NAMES)),
        (("predict", "--model", "en-f"), ["en-fast"]),
        (("train", "--set", "model.K"), ["model.K="]),
        (("evaluate", "--form", ""), ["jsonl", "conll16", "disrpt"]),
        (("train", "--path", ""), []),  # the shell then offers files
    ],
)
def test_completion(complete: Complete, words: tuple[str, ...], values: list[str]) -> None:
    assert complete(*words) == values


# Odd terminals, disks and users


def start(*arguments: str | Path, **options: object) -> subprocess.CompletedProcess[str]:
    command = [*PROGRAM, *map(str, arguments)]
    return subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False, **options)  # type: ignore[call-overload, no-any-return]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device here")
@pytest.mark.parametrize("arguments", [["train", "--print-config"], ["--version"]])
def test_a_full_disk_under_standard_output(arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = start(*arguments, stdout=full)
    assert done.returncode == 2
    assert done.stderr == "error: The system refused: No space left on device.\n"


def test_a_reader_that_closes_the_pipe() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as closed:
        done = start("train", "--print-config", stdout=closed)
    assert (done.returncode, done.stderr) == (1, "")


def test_an_interrupt_while_the_program_is_imported() -> None:
    code = """
import os, signal, sys
class Interrupter:
    def find_spec(self, name, path=None, target=None):
        if name == "disco2.interfaces.cli.app":
            os.kill(os.getpid(), signal.SIGINT)
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Interrupter())
from disco2.interfaces.cli import main
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (128 + signal.SIGINT, "", "")


@pytest.mark.skipif(os.name != "posix", reason="closes descriptors as a POSIX shell does")
def test_closed_standard_streams() -> None:
    def with_closed(descriptor: int, *arguments: str) -> subprocess.CompletedProcess[str]:
        code = f"import os, sys; os.close({descriptor}); p = sys.executable; os.execv(p, [p, *sys.argv[1:]])"
        command = [sys.executable, "-c", code, *PROGRAM[1:], *arguments]
        return subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)

    done = with_closed(0, "annotate", "--file", "-")
    assert (done.returncode, done.stderr[:33]) == (2, "error: Standard input is closed. ")
    done = with_closed(1, "cache", "info", "--json")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_home_folder_that_no_shell_expanded(tmp_path: Path) -> None:
    environment = {**os.environ, "HOME": str(tmp_path)}
    (tmp_path / "pairs.csv").write_text("arg1,arg2,label\nIt rained.,We left.,x\n", encoding="utf-8")
    here = ("corpus", "convert", "--corpus=pairs", "--path=~/pairs.csv", "--to=pairs")
    assert start(*here, "--output=~/out.jsonl", env=environment).returncode == 0
    assert (tmp_path / "out.jsonl").is_file()
    for output, message in (
        ("~/pairs.csv", "would overwrite its input"),
        ("~nobody-of-that-name/x", "no home folder"),
    ):
        done = start(*here, f"--output={output}", env=environment)
        assert (done.returncode, message in done.stderr) == (2, True)


def test_spacy_is_imported_without_pytorch() -> None:
    """PyTorch, if installed, would take two seconds."""
    assert "torch" not in modules_after("annotate", "It rained. We left.")
