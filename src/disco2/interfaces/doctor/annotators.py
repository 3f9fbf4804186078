"""The built-in annotators on disk: there, readable, and those that the model was trained with."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from disco2.interfaces.doctor.findings import FAILED, OK, REINSTALL, WARNING, Finding, examined, said, size_of


def annotators(folder: Path) -> list[Finding]:
    """One finding for each component."""
    try:
        from disco2.annotation.english.annotators import COMPONENTS
    except Exception as error:  # whatever a half-installed package does
        return [Finding("annotators", FAILED, said(error), REINSTALL)]
    recorded = _recorded(folder)
    return [examined(name, partial(_component, name, recorded)) for name in COMPONENTS]


def _component(name: str, recorded: str) -> Finding:
    from disco2.annotation.annotator import Layer
    from disco2.annotation.english.annotators import COMPONENTS, SHIPPED, weights_digest

    folder = SHIPPED / name
    files = [file for file in folder.rglob("*") if file.is_file()]
    if not files:
        return Finding(name, FAILED, "its files are missing", REINSTALL, {"files": 0})
    digest = weights_digest(folder)
    size = sum(file.stat().st_size for file in files)
    layers = [str(layer) for layer in Layer if layer in COMPONENTS[name]]
    facts = {"digest": digest, "files": len(files), "bytes": size, "layers": layers}
    found = f"{', '.join(layers)}: digest {digest}, {len(files)} files, {size_of(size)}"
    if recorded.startswith("disco2 ") and digest not in recorded:
        what = f"{found}; the model was trained with others: {recorded}"
        return Finding(name, WARNING, what, REINSTALL, facts)
    return Finding(name, OK, found, facts=facts)


def _recorded(folder: Path) -> str:
    """The annotators that the model's manifest names, empty where there is no telling."""
    try:
        from disco2.bundle import read_manifest

        return str(read_manifest(folder).data.get("annotators") or "")
    except Exception:  # which is a finding of the model's own
        return ""
