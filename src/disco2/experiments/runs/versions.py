"""With what a run was made."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version

from disco2.model.fastest import is_compiled
from disco2.version import VERSION

PACKAGES = (
    "numpy",
    "numba",
    "scipy",
    "safetensors",
    "spacy",
    "gensim",
    "optuna",
    "matplotlib",
    "scikit-learn",
)


def versions() -> dict[str, str]:
    """This package, Python, the machine, and every package that figures may depend on, where installed."""
    found = {"disco2": VERSION, "python": platform.python_version(), "machine": platform.machine()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found | {"arithmetic": "compiled" if is_compiled() else "NumPy"}


def versions_of(recorded: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """Today's versions, joined with those that were ``recorded`` where they differ: ``2.3.1, 2.4.0``."""
    found = {name: [value] for name, value in versions().items()}
    for one in recorded:
        for name, value in one.items():
            known = found.setdefault(name, [])
            if value not in known:
                known.append(value)
    return {name: ", ".join(values) for name, values in found.items()}
