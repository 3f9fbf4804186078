"""Write docs/reference/dependencies.md: what each extra installs, tested versions, minimums, licences.

python tools/list_dependencies.py

The names and minimums are those of pyproject.toml; versions, licences and what a package requires in turn are
those of the packages that are installed here. Install all extras first, or their packages have no version.
"""

from __future__ import annotations

import platform
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "reference" / "dependencies.md"
OWN = "disco2"
BASE = ""  # the extra that everybody gets

# Copyleft that reaches beyond the package's own files, which a user of the base install must never get.
STRONG = re.compile(r"\bA?GPL|\bLGPL|\bGNU\b|\bEUPL|\bSSPL|\bOSL\b|\bCC-BY-(?:NC|ND|SA)", re.IGNORECASE)
# Copyleft of single files: whoever changes those files must publish the changes.
WEAK = re.compile(r"\bMPL|Mozilla Public|\bEPL\b|\bCDDL", re.IGNORECASE)

# Packages whose metadata have no licence, or a text in place of its name; read off their licence files.
READ_BY_HAND = {
    "atheris": "Apache-2.0",
    "axe-playwright-python": "MIT",
    "kiwisolver": "BSD-3-Clause",
    "matplotlib": "PSF-based (Matplotlib licence)",
    "scipy": "BSD-3-Clause",
}
_CLASSIFIERS = {
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
_LONGEST_NAME = 60  # of a licence; some packages put its whole text there


@dataclass(frozen=True)
class Dependency:
    """A package that an extra brings; ``wanted`` is empty where only another package asks for it."""

    name: str
    wanted: str
    version: str  # empty where it is not installed here
    licence: str
    asked_by: tuple[str, ...]  # packages; none where pyproject.toml asks for it itself

    @property
    def copyleft(self) -> str:
        """strong, weak, or empty."""
        return "strong" if STRONG.search(self.licence) else "weak" if WEAK.search(self.licence) else ""


@cache
def declared() -> dict[str, list[Requirement]]:
    """What pyproject.toml asks for, by extra; the base install's are under the empty name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras: Mapping[str, Sequence[str]] = {BASE: project["dependencies"], **project["optional-dependencies"]}
    return {extra: [Requirement(line) for line in lines] for extra, lines in extras.items()}


def direct(extra: str) -> list[Requirement]:
    """The packages of others that an extra asks for, also by asking for extras of ours."""
    requirements = (one for inner in [extra, *_extras_within(extra)] for one in declared()[inner])
    return [one for one in requirements if canonicalize_name(one.name) != OWN]


@cache
def dependencies(extra: str) -> tuple[Dependency, ...]:
    """All packages that an extra asks for, and all that come with them beyond the base install, by name."""
    asked: dict[str, set[str]] = {}
    wanted: dict[str, str] = {}
    waiting: list[tuple[Requirement, str]] = [(requirement, "") for requirement in direct(extra)]
    seen: set[tuple[str, frozenset[str]]] = set()
    for requirement, by in waiting:  # which grows on the way
        name = canonicalize_name(requirement.name)
        asked.setdefault(name, set()).add(by)
        if not by:
            wanted[name] = str(requirement.specifier)
        key = (name, frozenset(requirement.extras))
        if key not in seen:
            seen.add(key)
            waiting += [(one, name) for one in _required(requirement)]
    without = {one.name for one in dependencies(BASE)} if extra != BASE else set()
    return tuple(
        _dependency(name, wanted.get(name, ""), tuple(sorted(by for by in asked[name] if by)))
        for name in sorted(asked)
        if name in wanted or name not in without
    )


def licence_of(package: Distribution) -> str:
    """The licence as the package's metadata have it: an expression, a short name, or its classifiers."""
    metadata = package.metadata
    by_hand = READ_BY_HAND.get(canonicalize_name(metadata["Name"]), "")
    expression, short = (
        " ".join(metadata.get_all(field) or ()) for field in ("License-Expression", "License")
    )
    if said := expression or by_hand:
        return said
    said = short.strip()
    if said and said != "UNKNOWN" and len(said) <= _LONGEST_NAME:
        return said
    lines = [line for line in metadata.get_all("Classifier") or () if line.startswith("License ::")]
    names = [line.rpartition(" :: ")[2] for line in lines]
    return " and ".join(_CLASSIFIERS.get(one, one) for one in names) or "not said"


def page() -> str:
    """The whole page as Markdown."""
    lines = [_OPENING.format(python=platform.python_version(), system=platform.system()).rstrip("\n")]
    extras = list(declared())
    for extra in extras:
        lines += ["", f"## {f'Extra `{extra}`' if extra else 'The base install'}", ""]
        lines += _section(extra)
    return "\n".join([*lines, "", *_binding(extras)]) + "\n"


def _required(requirement: Requirement) -> Iterator[Requirement]:
    """What a package asks for in turn, here and with these extras."""
    found = _installed(requirement.name)
    for line in (found.requires if found else None) or ():
        inner = Requirement(line)
        marker = inner.marker
        extras = ["", *sorted(requirement.extras)]
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in extras):
            yield inner


def _dependency(name: str, wanted: str, asked_by: tuple[str, ...]) -> Dependency:
    found = _installed(name)
    version = found.version.partition("+")[0] if found else ""
    return Dependency(name, wanted, version, licence_of(found) if found else "", asked_by)


@cache
def _installed(name: str) -> Distribution | None:
    try:
        return distribution(name)
    except PackageNotFoundError:
        return None


def _section(extra: str) -> list[str]:
    own = [f"`{one}`" for one in _extras_within(extra)]
    found = list(dependencies(extra))
    if extra and own:  # what those bring is said there
        brought = {one.name for inner in _extras_within(extra) for one in dependencies(inner)}
        found = [one for one in found if one.name not in brought]
    lines = [f"Brings the extras {', '.join(own)}, and beside them:", ""] if own else []
    if not found:
        return [*lines, "Nothing that the base install does not have."]
    lines += [
        "| package | we ask for | tested with | licence | asked for by |",
        "| --- | --- | --- | --- | --- |",
    ]
    for one in sorted(found, key=lambda one: (not _is_direct(one, extra), one.name)):
        name = f"**{one.name}**" if _is_direct(one, extra) else one.name
        wanted = f"`{one.wanted}`" if one.wanted else "any" if _is_direct(one, extra) else ""
        by = ", ".join(one.asked_by)
        lines.append(f"| {name} | {wanted} | {one.version or 'not tested'} | {_cell(one.licence)} | {by} |")
    return lines


def _is_direct(one: Dependency, extra: str) -> bool:
    return any(canonicalize_name(requirement.name) == one.name for requirement in direct(extra))


def _extras_within(extra: str) -> list[str]:
    """The extras of ours that one asks for, and they in turn."""
    known, found = declared(), [extra]
    for one in found:  # which grows on the way
        for requirement in known[one]:
            if canonicalize_name(requirement.name) == OWN:
                found += [further for further in sorted(requirement.extras) if further not in found]
    return found[1:]


def _binding(extras: Sequence[str]) -> Iterator[str]:
    """Who has a licence that asks something of those who pass the package on."""
    yield from ("## Licences that ask something of you", "", _BINDING.rstrip("\n"), "")
    yield from ("| package | licence | kind | comes with |", "| --- | --- | --- | --- |")
    rows: dict[str, tuple[Dependency, list[str]]] = {}
    for extra in extras:
        for one in dependencies(extra):
            if one.copyleft:
                rows.setdefault(one.name, (one, []))[1].append(f"`{extra}`" if extra else "the base install")
    for name, (one, brought_by) in sorted(rows.items()):
        yield f"| {name} | {_cell(one.licence)} | {one.copyleft} | {', '.join(brought_by)} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


_OPENING = """\
# Dependencies

Every package that an installation brings: what `pyproject.toml` asks for in **bold**, then what those
packages ask for in turn. Made by `python tools/list_dependencies.py` from the metadata of the packages that
the tests ran with, on Python {python} and {system}; elsewhere some packages differ. Licences are as the
packages name them. What your own installation has, `pip list` and `disco2 doctor` say.

The lowest version that is allowed is the one that we need, or the first without a published fault that could
matter here; `SECURITY.md` in the source says which faults these were. To look for those that became known
since, in the environment where disco2 is installed:

```
pip install pip-audit
pip-audit --local --skip-editable
```

It asks a public database, so it needs a network.
"""

_BINDING = """\
*Strong*: passing on a program that contains the package has conditions for more than the package itself.
*Weak*: if you change files of the package and pass them on, you must publish these changes. Using the
packages has no conditions. The base install has none of the first kind (`tests/docs/test_dependencies.py`).
"""


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
