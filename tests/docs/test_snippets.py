"""Everything that the pages tell the reader to type is typed here."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from disco2.interfaces.cli import main
from tests.docs.delivered import deliver
from tests.docs.snippets import DOCS, Block, blocks, command_lines, same_output
from tests.interfaces.server.served_process import REAL_PROGRAM, served

ROOT = DOCS.parent
OWN = {
    "tutorial.md": "tests of its own",
    "experiments.md": "tests/experiments",
    "annotators.md": "needs models",
}
PAGES = sorted(
    page.relative_to(DOCS).as_posix()
    for page in [*DOCS.glob("*.md"), *DOCS.glob("how-to/*.md"), DOCS / "reference" / "schema.md"]
    if page.name not in OWN
)
USUAL_SERVER = "http://127.0.0.1:8000"
MOST_NOT_RUN = 3  # of all pages together: each needs a reason, and reasons should be rare


@pytest.fixture(scope="session")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with every corpus of the pages."""
    folder = tmp_path_factory.mktemp("pages")
    deliver(folder)
    (folder / "examples").symlink_to(ROOT / "examples")
    return folder


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of ``disco2 serve``."""
    pytest.importorskip("fastapi")
    pytest.importorskip("uvicorn")
    with served("en", program=REAL_PROGRAM) as running:
        yield running.address


@pytest.mark.parametrize("page", PAGES)
def test_what_the_page_says_can_be_done(
    page: str, workplace: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(workplace)
    monkeypatch.setenv("DISCO2_CACHE", str(workplace / "cache"))
    names: dict[str, object] = {"__name__": "__main__"}
    printed: str | None = ""
    for block in blocks(DOCS / page):
        where = f"docs/{page}:{block.line}"
        if block.directive == "file":
            Path(block.value).write_text(block.code, encoding="utf-8")
        elif block.directive == "output":
            if printed is not None:
                assert same_output(block.code, printed), f"{where}: the page says otherwise:\n{printed}"
        elif block.directive == "served":
            server = request.getfixturevalue("server")
            served = replace(block, code=block.code.replace(USUAL_SERVER, server))
            printed = _run_served(served, names, where=where, monkeypatch=monkeypatch)
        elif block.language in ("python", "bash") and block.directive != "not run":
            if block.directive == "needs" and not _is_there(block.value, workplace):
                printed = None
                continue
            printed = _run(block, names, where=where, monkeypatch=monkeypatch)


def _run(block: Block, names: dict[str, object], *, where: str, monkeypatch: pytest.MonkeyPatch) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as output:
        if block.language == "python":
            exec(compile(block.code, where, "exec"), names)  # noqa: S102 - our own pages
            return output.getvalue()
        for words in command_lines(block.code):
            monkeypatch.setattr(sys, "argv", words)
            with contextlib.redirect_stderr(io.StringIO()) as errors, pytest.raises(SystemExit) as stopped:
                main()
            assert not stopped.value.code, f"{where}: {' '.join(words)}\n{errors.getvalue()}"
    return output.getvalue()


def _run_served(
    block: Block, names: dict[str, object], *, where: str, monkeypatch: pytest.MonkeyPatch
) -> str | None:
    if block.language == "python":
        return _run(block, names, where=where, monkeypatch=monkeypatch)
    if shutil.which("curl") is None:
        return None
    done = subprocess.run(["bash", "-ec", block.code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, f"{where}: {done.stderr}"
    assert json.loads(done.stdout), where
    return done.stdout


def _is_there(name: str, workplace: Path) -> bool:
    assert name == "gum", name
    folder = Path(os.environ.get("DISCO2_GUM", ROOT.parent / "shared" / "data" / "gum"))
    if not (folder / "rst" / "gdtb").is_dir():
        return False
    if not (workplace / "gum").exists():
        (workplace / "gum").symlink_to(folder)
    return True


def test_few_blocks_are_not_run_and_each_says_why() -> None:
    left_out = [
        (page, block) for page in PAGES for block in blocks(DOCS / page) if block.directive == "not run"
    ]
    for page, block in left_out:
        assert block.value, f"docs/{page}:{block.line}: no reason is given"
    assert len(left_out) <= MOST_NOT_RUN
