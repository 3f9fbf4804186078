"""Completion by the protocols of bash, zsh and fish, and by bash itself; and its installation."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from disco2.corpora.catalogue import CORPUS_NAMES
from disco2.errors import InputError
from disco2.interfaces.cli.app import COMMANDS
from disco2.interfaces.cli.installation import (
    BASH_LINE,
    ZSH_LINE,
    completion_script,
    install_completion,
)
from disco2.interfaces.cli.options import complete_settings, several_of
from disco2.model.settings import KINDS


@pytest.fixture
def offered(run: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What bash would offer for a line; the last word is the one to complete."""

    def ask(*words: str) -> list[str]:
        monkeypatch.setenv("_DISCO2_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", "\n".join(["disco2", *words]))
        monkeypatch.setenv("COMP_CWORD", str(len(words)))
        code, out, err = run()
        assert (code, err) == (0, "")
        return out.split()

    return ask


def test_commands(offered: Any) -> None:
    assert offered("") == list(COMMANDS)
    assert offered("tr") == ["train"]
    assert offered("corpus", "") == ["stats", "role-pairs", "mine", "convert"]
    assert offered("experiment", "cr") == ["crossvalidation"]


def test_options(offered: Any) -> None:
    assert "--corpus" in offered("train", "--")
    assert offered("train", "--print") == ["--print-config"]
    assert offered("--vers") == ["--version"]
    assert offered("doctor", "--j") == ["--json"]


@pytest.mark.parametrize(
    ("words", "values"),
    [
        (("train", "--corpus", ""), list(CORPUS_NAMES)),
        (("train", "--corpus", "pd"), ["pdtb2", "pdtb3"]),
        (("train", "--kind", ""), list(KINDS)),
        (("tune", "--kind", "ent"), ["entities"]),
        (("predict", "--model", "en-f"), ["en-fast"]),
        (("serve", "--model", "en-f"), ["en-fast"]),
        (("train", "--protocol", "cv12-1"), ["cv12-1", "cv12-10", "cv12-11"]),
        (("train", "--offsets", "e"), ["exclusive"]),
        (("train", "--set", "model.K"), ["model.K=100"]),
        (("predict", "--paragraphs", ""), ["blank", "line", "none"]),
        (("annotate", "--parser", ""), ["built-in", "stanford"]),
        (("predict", "--encoding", "la"), ["latin-1"]),
        (("evaluate", "--split", "t"), ["train", "test"]),
        (("evaluate", "--form", ""), ["jsonl", "conll16", "disrpt"]),
        (("corpus", "convert", "--to", ""), ["pairs", "conll16"]),
        (("corpus", "stats", "--split", "d"), ["dev"]),
        (("annotator", "train", "--only", "syntax,c"), ["syntax,constituents", "syntax,coreference"]),
        (("experiment", "all", "--grid", "n"), ["none"]),
        (("train", "--path", ""), []),  # the shell then offers files
    ],
)
def test_values(offered: Any, words: tuple[str, ...], values: list[str]) -> None:
    assert offered(*words) == values


def test_an_option_that_acts_at_once_does_not_act_while_completing(offered: Any, tmp_path: Path) -> None:
    assert offered("--version", "") == list(COMMANDS)
    assert offered("--install-completion", "") == list(COMMANDS)


def test_lists_with_commas() -> None:
    offer = several_of(["tokens", "tags", "trees"], alone=["all"])
    assert offer("") == ["all", "tokens", "tags", "trees"]
    assert offer("t") == ["tokens", "tags", "trees"]
    assert offer("tags,") == ["tags,tokens", "tags,trees"]
    assert offer("tags,tokens,tr") == ["tags,tokens,trees"]
    assert offer("tags,a") == []


def test_settings_are_offered_as_they_are_read() -> None:
    from disco2.experiments.configuration import Configuration, names, read_configuration

    found = complete_settings("")
    assert [one.partition("=")[0] for one in found] == names()
    given = [one for one in found if not one.endswith("=")]
    assert len(given) > 30
    assert read_configuration(None, given) == Configuration()


@pytest.mark.parametrize(
    ("line", "expected"),
    [("disco2 tr", '"train":"Train a model; the dev part'), ("disco2 train --path ", "_files")],
)
def test_zsh(run: Any, monkeypatch: pytest.MonkeyPatch, line: str, expected: str) -> None:
    monkeypatch.setenv("_DISCO2_COMPLETE", "complete_zsh")
    monkeypatch.setenv("_TYPER_COMPLETE_ARGS", line)
    code, out, err = run()
    assert (code, err) == (0, "")
    assert expected in out


def test_fish(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_DISCO2_COMPLETE", "complete_fish")
    monkeypatch.setenv("_TYPER_COMPLETE_ARGS", "disco2 train --corpus g")
    monkeypatch.setenv("_TYPER_COMPLETE_FISH_ACTION", "get-args")
    assert run()[:2] == (0, "gum\n")
    monkeypatch.setenv("_TYPER_COMPLETE_FISH_ACTION", "is-args")
    assert run()[0] == 0
    monkeypatch.setenv("_TYPER_COMPLETE_ARGS", "disco2 train --path ")
    assert run()[0] == 1  # fish then offers files


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A folder with the program under its own name, as pip installs it."""
    folder = tmp_path / "bin"
    folder.mkdir()
    script = folder / "disco2"
    script.write_text(
        f"#!{sys.executable}\nfrom disco2.interfaces.cli import main\nmain()\n", encoding="utf-8"
    )
    script.chmod(0o755)
    return folder


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["tr"], ["train"]),
        (["train", "--corpus", "g"], ["gum"]),
        (["corpus", ""], ["stats", "role-pairs", "mine", "convert"]),
        (["nix", "a"], ["annotate", "annotator"]),
    ],
)
def test_bash_itself(program: Path, tmp_path: Path, words: list[str], expected: list[str]) -> None:
    script = tmp_path / "disco2.sh"
    script.write_text(completion_script("bash"), encoding="utf-8")
    line = " ".join(f"'{word}'" for word in ["disco2", *words])
    code = f"""
source '{script}'
complete -p disco2
COMP_WORDS=({line}); COMP_CWORD={len(words)}
_disco2_completion disco2
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    done = subprocess.run(
        ["bash", "--norc", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PATH": f"{program}{os.pathsep}{os.environ['PATH']}"},
    )
    told, *found = done.stdout.split("\n")
    assert told == "complete -o default -F _disco2_completion disco2"
    assert [one for one in found if one] == expected


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    for name in ("ZDOTDIR", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    return folder


def test_bash_is_told_once_and_nothing_else_is_touched(home: Path) -> None:
    real = home / "dotfiles"
    before = b"alias ll='ls -l'  # \xe9, no UTF-8\nlast line without an end"
    real.write_bytes(before)
    real.chmod(0o600)
    (home / ".bashrc").symlink_to(real)
    assert len(install_completion("bash")) == 3
    assert len(install_completion("bash")) == 2
    assert real.read_bytes() == before + f"\n{BASH_LINE}\n".encode()
    assert (home / ".bashrc").is_symlink()
    assert real.stat().st_mode & 0o777 == 0o600
    assert (home / ".bash_completions" / "disco2.sh").read_text(encoding="utf-8") == completion_script("bash")


def test_a_line_that_typer_has_written_is_enough(home: Path) -> None:
    before = f"source '{home}/.bash_completions/disco2.sh'\n"
    (home / ".bashrc").write_text(before, encoding="utf-8")
    install_completion("bash")
    assert (home / ".bashrc").read_text(encoding="utf-8") == before


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_an_installed_completion_works_in_a_new_bash(home: Path, program: Path) -> None:
    install_completion("bash")
    path = f"{program}{os.pathsep}{os.environ['PATH']}"
    started = subprocess.run(
        ["bash", "--rcfile", str(home / ".bashrc"), "-i", "-c", "complete -p disco2"],
        capture_output=True,
        text=True,
        env=os.environ | {"PATH": path, "HOME": str(home)},
        check=False,
    )
    assert "_disco2_completion" in started.stdout
    (home / ".bash_completions" / "disco2.sh").unlink()  # as after removing the program
    again = subprocess.run(["bash", "-c", f". '{home}/.bashrc'"], capture_output=True, text=True, check=False)
    assert again.stderr == ""


def test_zsh_and_fish(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_completion("zsh")
    install_completion("zsh")
    assert (home / ".zshrc").read_text(encoding="utf-8") == f"{ZSH_LINE}\n"
    assert (home / ".zfunc" / "_disco2").read_text(encoding="utf-8").startswith("#compdef disco2\n")
    install_completion("fish")
    assert "--command disco2" in (home / ".config/fish/completions/disco2.fish").read_text(encoding="utf-8")
    monkeypatch.setenv("ZDOTDIR", str(home / "zsh"))
    (home / "zsh").mkdir()
    install_completion("zsh")
    assert (home / "zsh" / ".zshrc").is_file()


def test_another_shell_is_told_what_to_do(home: Path) -> None:
    with pytest.raises(InputError, match=r"Unknown shell 'tcsh'.*_DISCO2_COMPLETE=source_bash"):
        install_completion("tcsh")
    assert not list(home.iterdir())


def test_the_script_by_the_environment(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the error above advises."""
    for shell in ("bash", "zsh", "fish", "powershell"):
        monkeypatch.setenv("_DISCO2_COMPLETE", f"source_{shell}")
        code, out, _ = run()
        assert code == 0
        assert "_DISCO2_COMPLETE" in out


def test_the_option_of_the_program(run: Any, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("disco2.interfaces.cli.installation._current_shell", lambda: "fish")
    code, out, err = run("--install-completion")
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == f"written: {home}/.config/fish/completions/disco2.fish"
    monkeypatch.setattr("disco2.interfaces.cli.installation._current_shell", lambda: "")
    code, out, err = run("--install-completion")
    assert (code, out) == (2, "")
    assert err.startswith("error: Could not detect your shell.")


def test_a_place_that_cant_be_written_is_an_error_of_ours(run: Any, home: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("disco2.interfaces.cli.installation._current_shell", lambda: "bash")
    (home / ".bash_completions").write_text("a file", encoding="utf-8")
    code, _, err = run("--install-completion")
    assert code == 2
    assert err.startswith("error: ")
    assert not (home / ".bashrc").exists()
