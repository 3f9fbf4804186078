"""The state of a training, kept beside the model it will become: the same command given again goes on.

OUTPUT.training/
  training.safetensors      the state after a pass; in ensembles one in each member-N/
  training.lock             while a process trains there
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from disco2.bundle.layout import HASHED, MANIFEST
from disco2.errors import InputError
from disco2.experiments.runs.lock import RunLock
from disco2.interfaces.cli.console import messages
from disco2.training import checkpoint
from disco2.training.members import remove_states

LOCK = "training.lock"


@contextmanager
def kept_training(output: Path) -> Iterator[Path]:
    """The folder for the state of a training; what lies there is removed when its model is in place.

    One process at a time may train there. What the state says of itself is shown as notes.
    """
    target = Path(os.path.realpath(output))  # where a link leads to, as for the model itself
    folder = target.with_name(f"{target.name}.training")
    lock = RunLock(folder / LOCK)
    if not lock.take():
        raise InputError(
            "Another process is training this model.",
            where=str(output),
            hint="Wait for it, or choose another --output folder.",
        )
    notes = _Notes()
    try:
        with _heard_by(notes):
            yield folder
        _remove_half_bundles(target)
        remove_states(folder)  # last: a process that is killed before has nothing to learn again
    except KeyboardInterrupt:
        kept = "no pass is kept yet"
        if notes.kept_pass:
            kept = f"pass {notes.kept_pass} is kept in {folder}; give the same command again to go on"
        messages.print(f"interrupted: {kept}", markup=False)
        raise
    finally:
        lock.give_up()


class _Notes(logging.Handler):
    """Shows what checkpoints log, and remembers the last state that is safe."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.kept_pass = 0

    def emit(self, record: logging.LogRecord) -> None:
        self.kept_pass = getattr(record, checkpoint.KEPT, self.kept_pass)
        if record.levelno >= logging.INFO:
            messages.print(f"note: {record.getMessage()}", markup=False, style="dim")


@contextmanager
def _heard_by(notes: _Notes) -> Iterator[None]:
    level, propagate = checkpoint.log.level, checkpoint.log.propagate
    checkpoint.log.addHandler(notes)
    checkpoint.log.setLevel(logging.DEBUG)
    checkpoint.log.propagate = False  # or whoever else shows logs would say it once more
    try:
        yield
    finally:
        checkpoint.log.removeHandler(notes)
        checkpoint.log.setLevel(level)
        checkpoint.log.propagate = propagate


def _remove_half_bundles(target: Path) -> None:
    """Take away what ``files.folder_in_place`` leaves beside a bundle when its process is killed.

    Only files with the names of a bundle go, and folders that are empty then.
    """
    scratch = re.compile(rf"\.{re.escape(target.name)}-[a-z0-9_]{{8}}")
    with suppress(OSError):  # the model is in place; nothing of this is worth an error
        for folder in [path for path in target.parent.iterdir() if scratch.fullmatch(path.name)]:
            with suppress(OSError):
                for half in (folder / "new", folder / "old"):
                    for name in (MANIFEST, *HASHED):
                        (half / name).unlink(missing_ok=True)
                    with suppress(FileNotFoundError):
                        half.rmdir()
                folder.rmdir()
