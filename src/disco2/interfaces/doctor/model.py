"""The model on disk: which one it is, and whether every file is what it was when the model was saved."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from disco2.interfaces.doctor.findings import (
    FAILED,
    OK,
    REINSTALL,
    SKIPPED,
    Finding,
    examined,
    plain,
    size_of,
)
from disco2.shipped import is_shipped

SHORT = 8  # digits of a hash that tell models apart
COPY = "Copy the model again from where it came from."


def model(folder: Path) -> list[Finding]:
    """The manifest, the files behind it, and the word vectors that it names."""
    manifest = examined("bundle", lambda: _bundle(folder))
    if manifest.status == FAILED:
        if is_shipped(folder):  # the usual advice is for models that users trained
            manifest = replace(manifest, advice=REINSTALL)
        files = Finding("files", SKIPPED, "The manifest, which names them, can't be read.")
        return [manifest, files, examined("word vectors", lambda: _vectors(folder, ""))]
    wanted = str(manifest.facts["vectors"])
    return [
        manifest,
        examined("files", lambda: _files(folder)),
        examined("word vectors", lambda: _vectors(folder, wanted)),
    ]


def _bundle(folder: Path) -> Finding:
    from disco2.bundle import read_manifest

    manifest = read_manifest(folder)
    name = str(manifest.data.get("name") or folder.resolve().name)
    digest = str(manifest.to_json()["digest"])
    licence = str(manifest.data.get("licence") or "not recorded")
    place = plain(str(folder))
    facts = {
        "name": name,
        "folder": place,
        "ships_with_disco2": is_shipped(folder),
        "digest": digest,
        "format": manifest.format,
        "written_by": manifest.version,
        "kind": str(manifest.model.get("kind", "")),
        "labels": list(manifest.labels),
        "licence": licence,
        "corpus": str(manifest.data.get("corpus", "")),
        "vectors": str(manifest.vectors.get("digest", "")),
    }
    found = (
        f"{name}, digest {digest[:SHORT]}, format {manifest.format}, {len(manifest.labels)} labels, "
        f"licence {licence.partition(':')[0]}, in {place}"
    )
    return Finding("bundle", OK, found, facts=facts)


def _files(folder: Path) -> Finding:
    """Every file against its recorded hash: all that are wrong, not just the first."""
    from disco2.bundle import read_manifest

    hashes = read_manifest(folder).hashes
    missing = [name for name in hashes if not (folder / name).is_file()]
    damaged = [name for name in hashes if name not in missing and not _is_whole(folder, name, hashes[name])]
    size = sum((folder / name).stat().st_size for name in hashes if name not in missing)
    facts = {"bytes": size, "verified": len(hashes), "missing": missing, "damaged": damaged}
    if not missing and not damaged:
        return Finding("files", OK, f"{len(hashes)} files verified, {size_of(size)}", facts=facts)
    faults = {"missing": missing, "damaged": damaged}
    found = "; ".join(f"{what}: {', '.join(names)}" for what, names in faults.items() if names)
    return Finding("files", FAILED, found, REINSTALL if is_shipped(folder) else COPY, facts)


def _is_whole(folder: Path, name: str, expected: str) -> bool:
    from disco2.bundle.manifest import hash_of
    from disco2.errors import BundleError

    try:
        return hash_of(folder, name) == expected
    except BundleError:  # larger than any such file
        return False


def _vectors(folder: Path, wanted: str) -> Finding:
    """The ones that ship, against those that the model was made with where it does not bring its own."""
    from disco2.vectors.shipped import FOLDER, shipped_digest

    digest = shipped_digest()
    size = sum(file.stat().st_size for file in FOLDER.iterdir() if file.is_file())
    facts = {"digest": digest, "bytes": size}
    found = f"{FOLDER.name}, digest {digest[:SHORT]}, {size_of(size)}"
    if wanted in ("", digest):
        return Finding("word vectors", OK, found, facts=facts)
    what = f"{found}; the model was made with others, digest {wanted[:SHORT]}"
    advice = REINSTALL if is_shipped(folder) else "Use the version of disco2 that the model was trained with."
    return Finding("word vectors", FAILED, what, advice, facts)
