"""Workers of a cluster stand in other folders than the command does, whose settings may name files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import chdir, contextmanager
from pathlib import Path


@contextmanager
def working_in(folder: Path) -> Iterator[None]:
    """Stand in a folder, so that paths such as that of a file of vectors lead where they did in the command.

    A worker that does not see the folder stays where it is.
    """
    with chdir(folder if folder.is_dir() else Path.cwd()):
        yield
