"""The state of a training, kept beside the model it will become: the same command given again goes on.

OUTPUT.training/
  training.safetensors      the state after a pass; in ensembles one in each member-N/
  training.lock             while a process trains there
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from disco2.bundle.manifest import EVERY_FILE
from disco2.errors import InputError
from disco2.files import scratch_folders
from disco2.interfaces.cli.console import messages, tell
from disco2.lock import FileLock
from disco2.shipped import MANIFEST
from disco2.training.checkpoint import FILE, Checkpoint
from disco2.training.members import remove_states

LOCK = "training.lock"


@contextmanager
def kept_training(output: Path) -> Iterator[Checkpoint]:
    """The place for the state of a training; what lies there is removed when its model is in place.

    One process at a time may train there. What becomes of a state that is found is shown as notes, and
    whatever ends the training: what is kept of it.
    """
    target = Path(os.path.realpath(output))  # where a link leads to, as for the model itself
    folder = target.with_name(f"{target.name}.training")
    lock = FileLock(folder / LOCK)
    if not lock.take():
        raise InputError(
            "Another process is training this model.",
            where=str(output),
            hint="Wait for it, or choose another --output folder.",
        )
    kept = _Kept(folder)
    try:
        yield Checkpoint(folder, note=kept.note, kept=kept.saved)
        _remove_half_bundles(target)
        remove_states(folder)  # last: a process that is killed before has nothing to learn again
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            messages.print(f"interrupted: {str(kept) or 'no pass is kept yet'}", markup=False)
        elif what := str(kept):
            tell(what)
        raise
    finally:
        lock.give_up()


class _Kept:
    """Hears what a checkpoint says, and puts into words what is kept."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._passes = 0
        self._looked = False

    def note(self, words: str) -> None:
        self._looked = True
        tell(words)

    def saved(self, passes: int) -> None:
        self._passes = passes

    def __str__(self) -> str:
        """Empty where nothing is; before a state was looked for, an earlier one may be there."""
        if self._passes:
            what = f"pass {self._passes} is kept"
        elif not self._looked and any(self._folder.rglob(FILE)):
            what = "what was kept before is still"
        else:
            return ""
        return f"{what} in {self._folder}; give the same command again to go on"


def _remove_half_bundles(target: Path) -> None:
    """Take away what ``files.folder_in_place`` leaves beside a bundle when its process is killed.

    Only files with the names of a bundle go, and folders that are empty then.
    """
    with suppress(OSError):  # the model is in place; nothing of this is worth an error
        for folder in scratch_folders(target):
            with suppress(OSError):
                for half in (folder / "new", folder / "old"):
                    for name in (MANIFEST, *EVERY_FILE):
                        (half / name).unlink(missing_ok=True)
                    with suppress(FileNotFoundError):
                        half.rmdir()
                folder.rmdir()
