"""What several test files share."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import settings

from tests.corpora.miniature import (
    write_coreference,
    write_ontonotes,
    write_pdtb2,
    write_pdtb3,
    write_trees,
)
from tests.corpora.miniature_conll16 import write_conll16_parts
from tests.corpora.miniature_documents import half_annotated
from tests.numba_cache import use_cache_of_this_source

settings.register_profile("no deadline", deadline=None)  # no test fails because the machine is busy
settings.load_profile("no deadline")

ROOT = Path(__file__).resolve().parent.parent
TESTS = Path(__file__).resolve().parent
SLOW = (  # folders and files that start programs, run shipped models or try very many inputs
    "acceptance",
    "annotation/english",
    "annotation/test_alignment.py",
    "annotation/test_cache.py",
    "annotation/test_coreference.py",
    "annotation/test_spacy",
    "annotation/test_text.py",
    "data/test_cost.py",
    "benchmarks",
    "bulk",
    "bundle",
    "corpora/test_gum.py",
    "docs",
    "drawing",
    "engines",
    "experiments",
    "features/test_feature_extractor.py",
    "fuzzing",
    "inference",
    "interfaces",
    "mining",
    "model/test_co",
    "model/test_encoder_model.py",
    "reporting",
    "test_golden.py",
    "test_files.py",
    "test_no_",
    "test_output_folders.py",
    "test_shipped.py",
    "test_threads.py",
    "tools",
    "training",
    "vectors",
)
use_cache_of_this_source()  # before numba is imported


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of ``SLOW``, which `-m "not slow"` leaves out."""
    for item in items:
        if item.path.relative_to(TESTS).as_posix().startswith(SLOW):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session", autouse=True)
def _cache_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tests neither read nor fill the user's cache of annotated texts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DISCO2_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def gum() -> Path:
    """The folder of the GUM corpus; tests that need it skip where it is absent."""
    path = Path(os.environ.get("DISCO2_GUM", ROOT.parent / "shared" / "data" / "gum"))
    if not (path / "rst" / "gdtb").is_dir():
        pytest.skip(f"no GUM corpus at {path}; set DISCO2_GUM to its folder to run this test")
    return path


@pytest.fixture(scope="session")
def miniature_corpora(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Mapping[str, str]]:
    """For pdtb2, pdtb3 and conll16 the options that name it: ``{"--corpus": ..., "--path": ..., ...}``.

    Every document has implicit relations of all four classes with and without shared entities, and explicit,
    AltLex, EntRel and NoRel ones. Half of the documents of each section have coreference: for pdtb3 in
    OntoNotes's own files, for the others in CoNLL's.
    """
    root = tmp_path_factory.mktemp("miniature")
    docs, annotated = half_annotated()
    trees = write_trees(root / "trees", docs)
    columns = write_coreference(root / "columns", annotated)
    ontonotes = write_ontonotes(root / "ontonotes", annotated)
    paths = {
        "pdtb2": (write_pdtb2(root / "pdtb2", docs), columns),
        "pdtb3": (write_pdtb3(root / "pdtb3", docs), ontonotes),
        "conll16": (write_conll16_parts(root / "conll16", docs), columns),
    }
    return {
        name: {"--corpus": name, "--path": str(path), "--trees": str(trees), "--coref": str(coref)}
        for name, (path, coref) in paths.items()
    }
