"""disco2 --version, --install-completion, models and cache."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from disco2.bundle import read_manifest, summary
from disco2.bundle.manifest import digest
from disco2.errors import InputError
from disco2.interfaces.cli import installation
from disco2.interfaces.cli.installation import BASH_LINE, ZSH_LINE, completion_script, install_completion
from disco2.shipped import DEFAULT, MANIFEST, find_model, shipped_names
from disco2.version import VERSION
from tests.interfaces.conftest import Run


def test_version(run: Run) -> None:
    code, out, err = run("--version")
    program, model, annotators, running = out.splitlines()
    manifest = read_manifest(find_model())
    assert (code, err, program) == (0, "", f"disco2 {VERSION}")
    assert model.startswith(f"model: {DEFAULT}, digest {manifest.to_json()['digest'][:8]}, ")
    assert f"{len(manifest.labels)} labels" in model
    assert manifest.data["annotators"] in annotators
    assert "Python 3." in running
    content = {"b": [1, 2.5], "a": {"ü": None}}
    assert installation.manifest_digest(content) == digest(content)


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("changed", "model: damaged (its manifest was changed); see: disco2 doctor"),
        ("", "model: damaged (its manifest is not valid); see: disco2 doctor"),
        ("[]", "model: damaged (its manifest is not valid); see: disco2 doctor"),
        ('{"digest": 1}', "model: damaged (its manifest was changed); see: disco2 doctor"),
        ("[" * 100_000, "model: damaged (its manifest is not valid); see: disco2 doctor"),
        (None, "model: missing; see: disco2 doctor"),
    ],
)
def test_version_with_a_damaged_model(tmp_path: Path, content: str | None, line: str) -> None:
    if content == "changed":
        manifest = json.loads((find_model() / MANIFEST).read_text(encoding="utf-8"))
        content = json.dumps(manifest | {"labels": manifest["labels"][1:]})
    if content is not None:
        (tmp_path / MANIFEST).write_text(content, encoding="utf-8")
    assert installation.version_lines(tmp_path)[:2] == [f"disco2 {VERSION}", line]


def test_models_as_json(run: Run) -> None:
    code, out, err = run("models", "--json")
    assert (code, err) == (0, "")
    found = {model["name"]: model for model in json.loads(out)["models"]}
    assert list(found) == shipped_names()
    assert [name for name, model in found.items() if model["default"]] == [DEFAULT]
    for name, model in found.items():
        manifest = read_manifest(find_model(name))
        assert model["digest"] == manifest.to_json()["digest"]
        assert model["licence"] == manifest.data["licence"]
        assert model["what"]
        for one in model["accuracy"]:
            figure = f"test accuracy, {one['measured_on']} ({one['relations']})"
            assert manifest.figures[figure] == one["accuracy"]


def test_models_as_a_table(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, out, _ = run("models")
    title, head, *lines = out.splitlines()
    assert title == "Shipped models"
    assert head.split()[:5] == ["name", "data", "licence", "size", "sentences/s"]
    assert "GUM, given arguments (565)" in head
    rows = {line.split()[0]: line for line in lines[: len(shipped_names())]}
    assert list(rows) == shipped_names() == sorted(summary.read_notes(), key=shipped_names().index)
    assert "(default)" in rows[DEFAULT]
    monkeypatch.setattr(summary, "MODELS", tmp_path)
    (tmp_path / summary.NOTES).write_text("[en-fast", encoding="utf-8")
    code, out, err = run("models")
    assert (code, out, "can't be read" in err) == (2, "", True)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    for name in ("ZDOTDIR", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    return folder


def test_bash_gets_one_line_and_the_rest_of_its_file_stays(home: Path) -> None:
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


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_an_installed_completion_works_in_a_new_bash(home: Path) -> None:
    install_completion("bash")
    command = ["bash", "--rcfile", str(home / ".bashrc"), "-i", "-c", "complete -p disco2"]
    environment = os.environ | {"HOME": str(home)}
    started = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert "_disco2_completion" in started.stdout
    (home / ".bash_completions" / "disco2.sh").unlink()  # as after removing the program
    again = subprocess.run(["bash", "-c", f". '{home}/.bashrc'"], capture_output=True, text=True, check=False)
    assert again.stderr == ""


def test_zsh_fish_and_other_shells(home: Path) -> None:
    for _ in range(2):
        install_completion("zsh")
    assert (home / ".zshrc").read_text(encoding="utf-8") == f"{ZSH_LINE}\n"
    assert (home / ".zfunc" / "_disco2").read_text(encoding="utf-8").startswith("#compdef disco2\n")
    install_completion("fish")
    assert "--command disco2" in (home / ".config/fish/completions/disco2.fish").read_text(encoding="utf-8")
    with pytest.raises(InputError, match=r"Unknown shell 'tcsh'.*_DISCO2_COMPLETE=source_bash"):
        install_completion("tcsh")


@pytest.mark.parametrize(
    ("shell", "code", "message"),
    [
        ("fish", 0, "written: {home}/.config/fish/completions/disco2.fish"),
        ("", 2, "error: Could not detect your shell."),
        ("bash", 2, "error: "),
    ],
)
def test_install_completion(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch, shell: str, code: int, message: str
) -> None:
    (home / ".bash_completions").write_text("a file", encoding="utf-8")
    monkeypatch.setattr(installation, "_current_shell", lambda: shell)
    found, out, err = run("--install-completion")
    assert found == code
    assert (out or err).startswith(message.format(home=home))
    assert not (home / ".bashrc").exists()
