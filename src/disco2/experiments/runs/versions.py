"""With what a run was made."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

from disco2.version import VERSION

PACKAGES = ("numpy", "safetensors", "spacy", "gensim", "optuna", "matplotlib", "scikit-learn")


def versions() -> dict[str, str]:
    """This package, Python, the machine, and every package that figures may depend on, where installed."""
    found = {"disco2": VERSION, "python": platform.python_version(), "machine": platform.machine()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
