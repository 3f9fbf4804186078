"""Commands are imported when they are called, and listed from a table that can't drift from them."""

from __future__ import annotations

import importlib
import inspect
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from disco2.interfaces.cli.app import COMMANDS, CommandEntry, GroupEntry, LazyGroup, app, lazy_group

HEAVY = ("numpy", "spacy", "safetensors", "jinja2", "numba", "fastapi")
MODULES = """
import json, sys
from disco2.interfaces.cli import main
try:
    main()
except SystemExit:
    pass
print(json.dumps(sorted(sys.modules)))
"""


def declared_commands() -> Iterator[tuple[str, CommandEntry]]:
    for name, declared in COMMANDS.items():
        if isinstance(declared, GroupEntry):
            yield from ((f"{name} {inner}", one) for inner, one in declared.commands.items())
        else:
            yield name, declared


ALL = dict(declared_commands())


@pytest.mark.parametrize("name", ALL)
def test_a_line_of_the_listing_is_that_of_the_command(name: str) -> None:
    first = (inspect.getdoc(ALL[name].load()) or "").split("\n\n")[0]
    assert ALL[name].help == " ".join(first.split())


def test_the_listing_shows_every_command_in_order(run: Any) -> None:
    code, out, _ = run("--help")
    assert code == 0
    lines = out.partition("Commands:\n")[2].splitlines()
    assert [line.split()[0] for line in lines if not line.startswith("   ")] == list(COMMANDS)
    said = " ".join(" ".join(lines).split())
    assert all(f"{name} {declared.help}" in said for name, declared in COMMANDS.items()), "cut off"
    assert next(iter(COMMANDS)) == "predict"
    assert "  corpus         Describe, generate, mine and convert corpora." in lines
    code, out, _ = run("experiment", "--help")
    assert code == 0
    assert "multiclass       Accuracy of every model of the paper's table" in out


def modules_after(*arguments: str, **environment: str) -> set[str]:
    code = MODULES.replace("main()\nexcept", f"sys.argv = {['disco2', *arguments]!r}; main()\nexcept")
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | environment,
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize("arguments", [["--help"], ["corpus", "--help"]])
def test_help_imports_no_command(arguments: list[str]) -> None:
    modules = modules_after(*arguments)
    assert not modules & {one.module for one in ALL.values()}
    assert not modules & set(HEAVY)


def test_the_version_imports_nothing_heavy() -> None:
    assert not modules_after("--version") & {"numpy", "spacy", "safetensors", "disco2.bundle"}


def test_completing_a_command_imports_none() -> None:
    asked = {"COMP_WORDS": "disco2 tr", "COMP_CWORD": "1", "_DISCO2_COMPLETE": "complete_bash"}
    modules = modules_after(**asked)
    assert not modules & {one.module for one in ALL.values()}
    assert not modules & set(HEAVY)


def test_a_command_is_imported_alone() -> None:
    modules = modules_after("corpus", "role-pairs", "--help")
    assert "disco2.interfaces.cli.corpus" in modules
    assert not modules & {"disco2.interfaces.cli.train", "disco2.interfaces.cli.predict", "spacy"}


def test_a_mistyped_command_is_told(run: Any) -> None:
    code, _, err = run("predcit")
    assert code == 2
    assert "No such command 'predcit'" in err


def broken_group() -> LazyGroup:
    broken = CommandEntry("no_such_module:nothing", "It is not there.")
    return lazy_group("broken", GroupEntry("A group.", {"nothing": broken}))


def test_a_command_that_cant_be_imported_names_the_doctor(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def without_numpy(name: str) -> ModuleType:
        raise ModuleNotFoundError(f"No module named 'numpy', which {name} needs")

    monkeypatch.setattr(app, "_loaded", {})
    monkeypatch.setattr(importlib, "import_module", without_numpy)
    code, out, err = run("evaluate")
    assert (code, out) == (2, "")
    assert err.startswith("error: The command 'evaluate' can't be loaded: No module named 'numpy'")
    assert "disco2 doctor" in err


def test_completion_says_nothing_of_a_command_that_cant_be_imported() -> None:
    class Completing:
        resilient_parsing = True

    assert broken_group().get_command(Completing(), "nothing") is None


def test_a_group_gives_the_same_command_again() -> None:
    assert app.get_command(None, "doctor") is app.get_command(None, "doctor")
    assert app.get_command(None, "no such") is None
