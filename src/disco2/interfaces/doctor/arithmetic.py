"""Who multiplies the matrices, with how many threads, and whether compiled code is used."""

from __future__ import annotations

import os
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

from disco2.interfaces.doctor.findings import ABSENT, FAILED, OK, WARNING, Finding, examined, said


def arithmetic() -> list[Finding]:
    return [examined("matrix products", _products), examined("compiled code", _compiled)]


def _products() -> Finding:
    import numpy as np
    from threadpoolctl import threadpool_info

    exact = np.arange(6.0, dtype=np.float32).reshape(2, 3)
    if (exact @ exact.T).tolist() != [[5.0, 14.0], [14.0, 50.0]]:
        advice = "Install NumPy again: pip install --force-reinstall numpy"
        return Finding("matrix products", FAILED, "NumPy multiplies wrongly", advice)
    libraries = [one for one in threadpool_info() if one.get("user_api") == "blas"]
    facts = {
        "libraries": [
            {
                "name": str(one.get("internal_api")),
                "version": str(one.get("version")),
                "threads": int(one.get("num_threads") or 0),
            }
            for one in libraries
        ]
    }
    named = {f"{one['name']} {one['version']}, threads: {one['threads']}" for one in facts["libraries"]}
    return Finding("matrix products", OK, "; ".join(sorted(named)) or "no BLAS that is known", facts=facts)


def _compiled() -> Finding:
    """As ``model.fastest`` decides it, with the reason where it decides against."""
    from disco2.model.fastest import NEEDED, OFF

    name = "compiled code"
    missing = [package for package in NEEDED if find_spec(package) is None]
    if missing:
        advice = 'If you train or score very much: pip install "disco2[fast]"'
        found = f"not used, NumPy does the same more slowly; missing: {', '.join(missing)}"
        return Finding(name, ABSENT, found, advice, {"used": False})
    try:
        import disco2.model.compiled.jit  # noqa: F401
    except Exception as error:  # a numba that does not know this NumPy, for instance
        found = f"not used, NumPy does the same more slowly: {said(error)}"
        advice = 'Get versions that fit together: pip install --upgrade "disco2[fast]"'
        return Finding(name, WARNING, found, advice, {"used": False})
    versions = ", ".join(f"{package} {_version(package)}" for package in NEEDED)
    if os.environ.get("DISCO2_COMPILED", "").lower() in OFF:
        advice = "To use it, remove the environment variable DISCO2_COMPILED."
        return Finding(name, OK, f"switched off by DISCO2_COMPILED ({versions})", advice, {"used": False})
    return Finding(name, OK, f"used for training and for very many pairs ({versions})", facts={"used": True})


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
