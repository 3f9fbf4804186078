"""Run the quick tests with the oldest and the newest dependencies that pyproject.toml allows.

    python tools/check_versions.py                                # all Pythons that are installed
    python tools/check_versions.py --python 3.12 --versions oldest

Needs uv (https://docs.astral.sh/uv/): each combination gets a new environment in a temporary folder.
"oldest" are the lowest allowed versions of direct dependencies that have wheels for that Python. Exits with
code 1 if a combination fails; a Python that is not installed is skipped.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHONS = ("3.11", "3.12", "3.13")
RESOLUTIONS = {"oldest": "lowest-direct", "newest": "highest"}
EXTRAS = ("cluster", "fast", "parquet", "plots", "serve", "sklearn", "tune", "word2vec")
TEST_PACKAGES = (
    "httpx2>=2",
    "hypothesis>=6.100",
    "jsonschema>=4.23",
    "onnx>=1.17",
    "pandas>=2.2",
    "pytest>=8.2",
)


def find_python(version: str) -> str:
    """The interpreter of this version; empty if there is none. Nothing is downloaded."""
    if managed := list(Path.home().glob(f".pyenv/versions/{version}.*/bin/python")):
        return str(max(managed, key=lambda path: int(path.parts[-3].rpartition(".")[2])))
    command = ["uv", "python", "find", "--no-python-downloads", version]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()  # noqa: S603


def run_tests(python: str, resolution: str, tests: list[str], folder: Path) -> bool:
    """Whether the dependencies can be installed and the tests pass."""
    inside = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    extras = [part for extra in EXTRAS for part in ("--extra", extra)]
    install = ["uv", "pip", "install", "--quiet", "--python", str(inside), "--only-binary", ":all:"]
    commands = (
        ["uv", "venv", "--quiet", "--python", python, str(folder)],
        [*install, "--resolution", resolution, "-r", "pyproject.toml", *extras, *TEST_PACKAGES],
        [str(inside), "-m", "pytest", "-q", "-m", "not slow", *tests],
    )
    environment = os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    for command in commands:
        if subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode:  # noqa: S603
            return False
    return True


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--python", choices=PYTHONS, action="append", help="default: all of them")
    parser.add_argument("--versions", choices=tuple(RESOLUTIONS), action="append", help="default: both")
    parser.add_argument("tests", nargs="*", default=["tests"], help="folders or files; default: tests")
    options = parser.parse_args()
    if shutil.which("uv") is None:
        sys.exit("uv is not installed. Install it with: pip install uv")
    results: dict[str, str] = {}
    for version in options.python or PYTHONS:
        python = find_python(version)
        for name in options.versions or RESOLUTIONS:
            combination = f"Python {version}, {name}"
            if not python:
                results[combination] = "skipped: no such Python here"
                continue
            print(f"== {combination}", flush=True)
            with tempfile.TemporaryDirectory(prefix="disco2-versions-") as folder:
                passed = run_tests(python, RESOLUTIONS[name], options.tests, Path(folder) / "environment")
            results[combination] = "passed" if passed else "FAILED"
    print(*(f"{combination}: {result}" for combination, result in results.items()), sep="\n")
    sys.exit("FAILED" in results.values())


if __name__ == "__main__":
    main()
