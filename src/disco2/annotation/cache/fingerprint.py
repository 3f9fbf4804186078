"""Who made a layer, so exactly that an equal answer means equal layers: weights, code and versions."""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from disco2.annotation.annotator import Annotators, Layer, Layers
from disco2.version import VERSION

_CODE = Path(__file__).resolve().parents[1]
_VECTORS = Path(__file__).resolve().parents[2] / "models" / "glove-100d-50k"
_CODE_ENDINGS = (".py", ".toml")
_COMPUTING = ("numpy", "thinc", "spacy")


def fingerprint(annotators: Annotators, layers: Layers) -> str:
    """Of the annotators that make these layers; empty where one of them can't be told from others.

    An annotator can, if it has a ``fingerprint`` of its own, a text that is not empty.
    """
    makers = []
    for layer in Layer:
        if layer in layers:
            own = getattr(annotators.maker(layer), "fingerprint", "")
            if not own:
                return ""
            makers.append(f"{layer}: {own}")
    return "\n".join([_package(), *makers])


def file_fingerprint(*places: Path) -> str:
    """Of files, or all files of folders, by their names, sizes and times: for those too large to be read.

    A copy that keeps the time of writing still has its own time of change.
    """
    total = sha256()
    for place in places:
        files = [place] if place.is_file() else sorted(file for file in place.rglob("*") if file.is_file())
        for file in files:
            state = file.stat()
            name = f"{file}\n{state.st_size}\n{state.st_mtime_ns}\n{state.st_ctime_ns}\n"
            total.update(name.encode("utf-8", "surrogateescape"))
    return total.hexdigest()


@lru_cache(maxsize=1)
def _package() -> str:
    """This package, as far as annotating depends on it: its code, word vectors, and what computes for it."""
    total = sha256()
    code = sorted(file for file in _CODE.rglob("*") if file.suffix in _CODE_ENDINGS)
    for file in [*code, *sorted(_VECTORS.glob("*"))]:
        content = file.read_bytes()
        total.update(f"{file.name}\n{len(content)}\n".encode())
        total.update(content)
    others = ", ".join(f"{package} {version(package)}" for package in _COMPUTING)
    return f"disco2 {VERSION} {total.hexdigest()}, {others}"
