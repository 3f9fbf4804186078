"""Files that belong to documents, found by name anywhere below a folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from disco2.corpora.folders import files_below

BARE = ""  # the ending of a name without any


def files_by_document(folder: Path, *, endings: Sequence[str]) -> dict[str, Path]:
    """The file of each document below a folder, by the document's id, in the order of the ids.

    The id is the file's name up to its first dot, or up to ``_conll``. Only names with one of the endings
    count. Where a document has several such files, the ending that is named first decides, then the path.
    """
    ranked: dict[str, tuple[int, Path]] = {}
    for file in files_below(folder):
        rank = _rank(file.name, endings)
        if rank is None:
            continue
        document = document_id(file)
        if document not in ranked or rank < ranked[document][0]:
            ranked[document] = rank, file
    return {document: ranked[document][1] for document in sorted(ranked)}


def document_id(file: Path) -> str:
    """``nw/wsj/00/wsj_0003.v4_gold_conll`` -> ``wsj_0003``."""
    return file.name.partition(".")[0].removesuffix("_conll")


def folders_named(root: Path, name: str) -> list[Path]:
    """The folders of that name at or below a root, none inside another, in order."""
    if root.name == name:
        return [root]
    found: list[Path] = []
    for path in sorted(root.rglob(name)):
        if path.is_dir() and not any(path.is_relative_to(above) for above in found):
            found.append(path)
    return found


def _rank(name: str, endings: Sequence[str]) -> int | None:
    for rank, ending in enumerate(endings):
        if name.endswith(ending) if ending else "." not in name:
            return rank
    return None
