"""disco2 --install-completion: completion for the shell that the program was called from.

The script of the shell goes into a file of its own. Where the shell has to be told of it, one line is added
to the end of its start file, once; nothing that stands there is changed.
"""

from __future__ import annotations

import os
from pathlib import Path

from typer.completion import get_completion_script  # type: ignore[attr-defined]

from disco2.errors import InputError
from disco2.files import append_text, write_text

PROGRAM, VARIABLE = "disco2", "_DISCO2_COMPLETE"
BASH_LINE = '[ -f "$HOME/.bash_completions/disco2.sh" ] && . "$HOME/.bash_completions/disco2.sh"'
ZSH_LINE = "fpath+=~/.zfunc; autoload -Uz compinit; compinit"


def install_completion(shell: str = "") -> list[str]:
    """Install it, by default for the shell around this process; what was done, line by line."""
    shell = shell or _current_shell()
    home = _home()
    if shell == "bash":
        written = [_script(home / ".bash_completions" / "disco2.sh", shell)]
        # Typer's own line, of an earlier installation, names the same file.
        written += _add_line(home / ".bashrc", BASH_LINE, unless=".bash_completions/disco2.sh")
    elif shell == "zsh":
        written = [_script(home / ".zfunc" / "_disco2", shell)]
        start = Path(os.environ.get("ZDOTDIR") or home) / ".zshrc"
        written += _add_line(start, ZSH_LINE, unless=ZSH_LINE)
    elif shell == "fish":
        configuration = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
        written = [_script(configuration / "fish" / "completions" / "disco2.fish", shell)]
    else:
        raise InputError(
            f"There is no installation for the shell '{shell}'." if shell else "The shell can't be told.",
            hint="Put what this prints where your shell starts (bash, zsh, fish, powershell): "
            "_DISCO2_COMPLETE=source_bash disco2",
        )
    return [*written, f"Completion for {shell} works in shells that start from now on."]


def completion_script(shell: str) -> str:
    """What the shell has to read."""
    script: str = get_completion_script(prog_name=PROGRAM, complete_var=VARIABLE, shell=shell)
    return f"{script}\n"


def _script(path: Path, shell: str) -> str:
    write_text(path, [completion_script(shell)])
    return f"written: {path}"


def _add_line(start: Path, line: str, *, unless: str) -> list[str]:
    """Add a line to a shell's start file unless it is told already; whatever bytes that file has."""
    try:
        content = start.read_bytes() if start.exists() else b""
    except OSError as error:
        raise InputError(
            f"It can't be read: {error.strerror}.", where=str(start), hint=f"Add this line to it: {line}"
        ) from error
    if unless.encode() in content:
        return []
    begin = "" if not content or content.endswith(b"\n") else "\n"
    append_text(start, f"{begin}{line}\n")
    return [f"one line added to: {start}"]


def _current_shell() -> str:
    """The name of the shell around this process, empty where it can't be found out."""
    try:
        import shellingham  # type: ignore[import-untyped]

        return str(shellingham.detect_shell()[0])
    except (ImportError, OSError, RuntimeError):  # its own error is an OSError of environments
        return ""


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError:
        raise InputError("There is no home folder to write to.", hint="Set HOME.") from None
