"""The page of licences names what the base install requires, as the packages themselves say it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution

import pytest
from packaging.requirements import Requirement

from tests.docs.snippets import DOCS

FAMILIES = ("MIT", "BSD", "Apache", "ISC", "PSF", "MPL", "Zlib", "CC0", "0BSD", "Python Software Foundation")


@pytest.fixture(scope="module")
def page() -> str:
    return (DOCS / "licences.md").read_text(encoding="utf-8")


def direct() -> list[str]:
    project = tomllib.loads((DOCS.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [Requirement(line).name for line in project["dependencies"]]


def required() -> Iterator[Distribution]:
    """What the base install requires, and what that requires in turn, as far as it is installed."""
    waiting, seen = direct(), set[str]()
    while waiting:
        name = waiting.pop()
        if name.lower() in seen:
            continue
        seen.add(name.lower())
        try:
            found = distribution(name)
        except PackageNotFoundError:
            continue  # for another system, or another version of Python
        yield found
        for line in found.requires or ():
            requirement = Requirement(line)
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                waiting.append(requirement.name)


def licence(package: Distribution) -> str:
    metadata = package.metadata
    classifiers = [line for line in metadata.get_all("Classifier") or () if line.startswith("License ::")]
    return " ".join([metadata.get("License-Expression") or metadata.get("License") or "", *classifiers])


def test_every_direct_requirement_has_a_row_with_its_licence(page: str) -> None:
    table = page.partition("The base install requires these:")[2].partition("and what these require")[0]
    rows = {
        name.lower(): said for name, said in re.findall(r"^\| ([\w-]+) \| ([^|]+) \|", table, re.MULTILINE)
    }
    del rows["package"], rows["---"]
    assert set(rows) == {name.lower() for name in direct()}
    for name, said in rows.items():
        family = re.match(r"[A-Za-z]+", said)
        assert family is not None
        assert family[0] in licence(distribution(name)), f"{name}: the page says {said}"


def test_nothing_that_is_required_has_a_licence_of_another_kind() -> None:
    packages = list(required())
    assert len(packages) > 20
    for package in packages:
        text = licence(package)
        assert any(family in text for family in FAMILIES), f"{package.metadata['Name']}: {text}"
        assert not re.search(r"\bA?GPL|\bLGPL|GNU ", text), f"{package.metadata['Name']}: {text}"


def test_the_licence_of_the_models_is_said(page: str) -> None:
    models = DOCS.parent / "src" / "disco2" / "models" / "english" / "README.md"
    assert "CC BY-NC-SA 4.0" in models.read_text(encoding="utf-8")
    assert "| CC BY-NC-SA 4.0 | **not for commercial use**" in page
