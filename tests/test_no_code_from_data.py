"""Nothing that the package reads is run: no pickle, no eval, no shell; and few places may open a socket."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import disco2

PACKAGE = Path(disco2.__file__).parent

# Modules whose readers run what they read, or that run what they are given.
RUNNING = {"marshal", "shelve", "dill", "joblib", "yaml", "code", "codeop"}  # and all that is called pickle
RUNNING_CALLS = {
    *("eval", "exec", "compile", "__import__", "os.system", "os.popen", "os.execv", "tempfile.mktemp"),
    *("subprocess.getoutput", "subprocess.getstatusoutput", "np.load", "np.save", "np.savez", "numpy.load"),
    *("torch.load", "torch.save", "KeyedVectors.load", "Word2Vec.load", "FastText.load"),
}
# Messages between processes that the user started, never files: the engine's own, and Dask's.
BETWEEN_PROCESSES = {"multiprocessing.reduction", "distributed.protocol.pickle"}
TALKING = {"socket", "ssl", "http.client", "urllib.request", "ftplib", "smtplib", "xmlrpc", "requests"}


@cache
def sources() -> dict[str, str]:
    """The package's files by their paths in it."""
    found = {file.relative_to(PACKAGE).as_posix(): file for file in sorted(PACKAGE.rglob("*.py"))}
    assert len(found) > 100
    return {name: file.read_text(encoding="utf-8") for name, file in found.items()}


@cache
def imports() -> dict[str, set[str]]:
    return {name: set(imported(ast.parse(source))) for name, source in sources().items()}


def imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def faults(source: str, *, room: str = "") -> list[str]:
    """What a source must not have: an import, a call, an argument."""
    tree = ast.parse(source)
    found = []
    for name in imported(tree):
        parts = name.split(".")
        messages = room == "engines" and any(name.startswith(module) for module in BETWEEN_PROCESSES)
        if parts[0] == "disco2" or messages:
            continue
        if parts[0] in RUNNING or any("pickle" in part.lower() for part in parts):
            found.append(f"imports {name}")
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            if called in RUNNING_CALLS:
                found.append(f"calls {called}")
            for keyword in node.keywords:
                given = ast.unparse(keyword.value)
                if (keyword.arg, given) == ("shell", "True") or keyword.arg == "allow_pickle":
                    found.append(f"gives {keyword.arg}={given}")
                if keyword.arg == "autoescape" and given != "True":
                    found.append("fills templates without escaping")
    return found


def test_the_package_runs_nothing_that_it_reads() -> None:
    for name, source in sources().items():
        assert faults(source, room=name.split("/")[0]) == [], name


@pytest.mark.parametrize(
    ("modules", "places"),
    [
        ({"subprocess", "os.spawnv", "pty"}, ()),
        (TALKING, ("interfaces/server/",)),
        ({"dask", "distributed"}, ("engines/",)),
    ],
)
def test_few_places_start_programs_or_open_sockets(modules: set[str], places: tuple[str, ...]) -> None:
    found = {
        name
        for name, used in imports().items()
        if any(f"{one}.".startswith(f"{module}.") for one in used for module in modules)
    }
    assert bool(found) == bool(places)
    assert all(name.startswith(places) for name in found), found


def test_templates_and_data_that_ship_hold_no_code() -> None:
    """No file of the models can be one that Python, or a reader that unpickles, would run."""
    endings = {file.suffix for file in (PACKAGE / "models").rglob("*") if file.is_file()}
    assert endings <= {".safetensors", ".json", ".txt", ".toml", ".md", ".onnx", ".cfg", ""}
    pickled_or_zipped = (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05", b"PK")
    for file in (PACKAGE / "models").rglob("*"):
        if file.is_file():
            assert not file.read_bytes().startswith(pickled_or_zipped), file
