"""Folders that are written to, and programs that may be called."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from disco2.interfaces.doctor.findings import ABSENT, OK, WARNING, Finding, examined, plain, size_of


def places() -> list[Finding]:
    return [
        examined("cache", _cache, advice="Remove it with: disco2 cache clear"),
        examined("temporary files", _temporary, advice="Point the environment variable TMPDIR to a folder."),
        examined("Java", _java),
    ]


def _cache() -> Finding:
    """Where layers of texts are kept; everything works without it, only more slowly the second time."""
    from disco2.annotation.cache import cache_summary

    summary = cache_summary()
    place = plain(str(summary.path))
    facts = {
        "file": place,
        "documents": summary.documents,
        "bytes": summary.bytes,
        "most_bytes": summary.most_bytes,
        "writable": _is_writable(summary.path),
    }
    found = f"{place}: {summary.documents} documents, {size_of(summary.bytes)}"
    if summary.trouble:
        what = f"{found}; it can't be read: {plain(str(summary.trouble))}"
        return Finding("cache", WARNING, what, "Remove it with: disco2 cache clear", facts)
    if not facts["writable"]:
        advice = "Texts are annotated anew each time. Name a folder for it in the variable DISCO2_CACHE."
        return Finding("cache", WARNING, f"{found}; it can't be written to", advice, facts)
    return Finding("cache", OK, found, facts=facts)


def _is_writable(file: Path) -> bool:
    """Whether the file, or the first folder above it that there is, can be written to."""
    there = next(place for place in (file, *file.parents) if place.exists())
    return (there == file or there.is_dir()) and os.access(there, os.W_OK)


def _temporary() -> Finding:
    with tempfile.TemporaryDirectory(prefix="disco2-doctor-") as folder:
        (Path(folder) / "file").write_bytes(b"disco2")
        place = Path(folder).parent
        free = shutil.disk_usage(place).free
    facts = {"folder": plain(str(place)), "free_bytes": free}
    if free < 1e8:
        advice = "Make room, or point the environment variable TMPDIR to another folder."
        return Finding("temporary files", WARNING, f"{free / 1e6:.0f} MB are left in {place}", advice, facts)
    return Finding("temporary files", OK, f"writable, {free / 1e9:.1f} GB free", facts=facts)


def _java() -> Finding:
    if shutil.which("java") is None:
        advice = "Needed for --parser stanford alone: install a Java runtime of version 8 or later."
        return Finding("Java", ABSENT, "no program 'java'", advice, {"found": False})
    return Finding("Java", OK, "there, for --parser stanford", facts={"found": True})
