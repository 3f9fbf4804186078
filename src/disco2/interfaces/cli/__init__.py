"""The command line: thin commands over typed functions."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING

from disco2.errors import Disco2Error, InputError
from disco2.threads import limit_this_process

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec

INTERRUPTED = 130  # as in shells: 128 plus the number of the signal


def main() -> None:
    """Run the command line; any error of ours is one paragraph and exit code 2."""
    try:
        _run()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:  # the reader of the output closed the pipe
        _drop_output()
        sys.exit(1)
    except (Disco2Error, MemoryError, OSError) as error:
        from disco2.interfaces.cli.listing import report_error

        if isinstance(error, MemoryError):
            error = InputError("Out of memory.", hint="Try smaller settings, or a smaller corpus.")
        elif isinstance(error, OSError):
            _drop_output()
            where = error.filename if isinstance(error.filename, str) else ""
            hint = "Check the path and its permissions." if where else ""
            error = InputError(f"The system refused: {error.strerror or error}.", where=where, hint=hint)
        report_error(error)
        sys.exit(2)


def _run() -> None:
    """Run a command. Imports are inside, so that an interrupt during them is handled."""
    if sys.stdout is None:  # closed by the caller
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")
    limit_this_process()  # before anything is imported that multiplies matrices
    if not any(argument.startswith("--spacy") for argument in sys.argv):
        sys.meta_path.insert(0, _NoTorchForThinc())
    from disco2.interfaces.cli.app import app

    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # if the terminal lacks a character
    try:
        app(prog_name="disco2")  # also for python -m disco2
    finally:
        sys.stdout.flush()


class _NoTorchForThinc:
    """Hides PyTorch from thinc, a part of spaCy that else imports it, which takes two seconds."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        compat = sys.modules.get("thinc.compat")
        if name == "torch" and compat is not None and not hasattr(compat, "has_torch"):
            raise ModuleNotFoundError("No PyTorch is needed here.", name=name)
        return None


def _drop_output() -> None:
    """Redirect standard output: Python flushes it once more at exit, which would fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
