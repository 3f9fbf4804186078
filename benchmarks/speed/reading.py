"""Reading a corpus with all its layers, beside a bare split of the same files into lines and columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.speed.memory import peak_bytes
from benchmarks.speed.rows import Row, row
from benchmarks.speed.run import Run
from benchmarks.speed.timing import in_turns
from disco2.corpora.gum import read_gum
from disco2.corpora.pdtb2 import read_pdtb2
from disco2.data import Corpus
from tests.corpora.miniature import documents, write_coreference, write_pdtb2, write_trees
from tests.corpora.miniature_more_scenes import ALL_SCENES

SPLIT = "lines and columns of the same files"


def measure_reading(run: Run) -> list[Row]:
    """Documents a second: made-up files in the layout of PDTB 2, and GUM where it is given."""
    with TemporaryDirectory() as folder:
        root = Path(folder)
        docs = documents(range(25), files=range(3, 13), scenes=ALL_SCENES)
        relations, trees = write_pdtb2(root / "pdtb2", docs), write_trees(root / "trees", docs)
        chains = write_coreference(root / "coreference", docs)
        rows = [
            _row(
                run,
                "corpus reading, made-up PDTB 2",
                lambda: read_pdtb2(relations, trees=trees, coreference=chains),
                [file for file in sorted(root.rglob("*")) if file.is_file()],
            )
        ]
    if run.gum:
        path = run.gum.path
        rows.append(_row(run, "corpus reading, GUM", lambda: read_gum(path), _files_of(path)))
    return rows


def _files_of(gum: Path) -> list[Path]:
    """The files of GUM that its reader opens."""
    folders = ("const", "dep", "coref/ontogum", "rst/gdtb/pdtb")
    return [file for folder in folders for file in sorted((gum / folder).rglob("*")) if file.is_file()]


def _row(run: Run, name: str, read: Callable[[], Corpus], files: Sequence[Path]) -> Row:
    def split() -> object:
        return [
            [line.split("\t") for line in file.read_text(encoding="utf-8", errors="replace").splitlines()]
            for file in files
        ]

    corpus = read()
    seconds = in_turns({"product": read, SPLIT: split}, repeats=run.slow_repeats)
    size = sum(file.stat().st_size for file in files)
    facts = {"documents": len(corpus.documents), "relations": len(corpus.relations), "bytes": size}
    return row(
        name, "documents", count=len(corpus.documents), seconds=seconds, peak=peak_bytes(read), facts=facts
    )
