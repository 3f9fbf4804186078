"""What the figures were measured on."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_info

from disco2.model.composition import is_compiled


def describe_machine() -> dict[str, Any]:
    """Processor, cores, BLAS with its threads, versions; asked inside ``single_threaded``."""
    blas = [
        {key: library.get(key) for key in ("internal_api", "version", "architecture", "num_threads")}
        for library in threadpool_info()
        if library["user_api"] == "blas"
    ]
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "blas": blas,
        "compiled": is_compiled(),
        **{name: _version(name) for name in ("numpy", "numba", "scipy", "torch", "disco2")},
    }


def sentence(machine: dict[str, Any]) -> str:
    """The same in a line."""
    blas = ", ".join(
        f"{one['internal_api']} {one['version']} ({one['architecture']}, {one['num_threads']} thread)"
        for one in machine["blas"]
    )
    packages = ", ".join(f"{name} {machine[name]}" for name in ("numpy", "numba", "torch") if machine[name])
    kernels = "compiled kernels" if machine["compiled"] else "NumPy kernels"
    processor = f"{machine['processor']}, {machine['cores']} cores"
    return f"{processor}; {blas}; Python {machine['python']}, {packages}; {kernels}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
