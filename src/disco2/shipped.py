"""The models that ship with the package, by name: each is a folder of ``models/`` that holds a bundle.

Imports almost nothing, so that help, completion and ``--version`` are quick.
"""

from __future__ import annotations

import os
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path

from disco2.errors import BundleError

MODELS = Path(__file__).resolve().parent / "models"
MANIFEST = "bundle.json"
DEFAULT = "en"  # what ``disco2.load()`` and every command without --model take


def shipped_names() -> list[str]:
    """The names of all shipped models, the default first."""
    found = sorted(file.parent.name for file in MODELS.glob(f"*/{MANIFEST}"))
    return sorted(found, key=lambda name: name != DEFAULT)


def find_model(model: str | Path | None = None) -> Path:
    """The folder of a model: a shipped one by its name, else a folder. A ``Path`` is always a folder.

    A folder of the same name as a shipped model is given as ``./NAME``. BundleError if there is neither.
    """
    names = shipped_names()
    if model is None or (isinstance(model, str) and model in names):
        return MODELS / (model or DEFAULT)
    folder = Path(model)
    with suppress(RuntimeError):  # unknown home folder
        folder = folder.expanduser()
    # Anything that looks like a path is one; reading its manifest reports what is missing.
    if isinstance(model, Path) or "/" in model or os.sep in model or os.path.lexists(folder):
        return folder
    nearest = get_close_matches(model, names, n=1)
    meant = f"Did you mean '{nearest[0]}'? " if nearest else ""
    hint = f"{meant}Choose one of: {', '.join(names)}; or give a folder that disco2 train wrote."
    raise BundleError(f"Unknown model '{model}'.", hint=hint)


def is_shipped(folder: Path) -> bool:
    """Whether the folder is that of a shipped model."""
    return folder.resolve().parent == MODELS


def absolute_model(model: str | None) -> str | None:
    """The same model for a later load, perhaps from another folder or with another installation.

    An unknown name is returned unchanged; loading it raises.
    """
    if model is None or model in shipped_names():
        return model
    with suppress(BundleError):
        return str(find_model(model).absolute())
    return model
