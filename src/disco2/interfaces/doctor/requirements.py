"""What a package's own metadata ask for, and whether it is installed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution, requires, version

PACKAGE = "disco2"

RequiresOf = Callable[[str], Sequence[str]]


@dataclass(frozen=True)
class Needed:
    """A package that is asked for; ``installed`` is its version, empty where it is missing."""

    name: str
    wanted: str  # such as ">=1.26"; empty where any version will do
    installed: str
    fits: bool

    def __str__(self) -> str:
        return f"{self.name}{self.wanted}"


def requirements(requires_of: RequiresOf | None = None, *, extra: str = "") -> list[Needed]:
    """What the package needs, or what one of its extras needs beyond that, in the order it is declared.

    An extra may ask for other extras of the package, and for extras of other packages; they are followed.
    """
    look_up = requires_of or _requires
    found: dict[str, Needed] = {}
    asked = [(PACKAGE, extra)]
    for package, wanted in asked:  # which grows on the way
        for line in look_up(package):
            name, specifier, extras = _applying(line, wanted)
            if not name:
                continue
            asked += [one for one in ((name, further) for further in extras) if one not in asked]
            if _key(name) != PACKAGE and _key(name) not in found:
                found[_key(name)] = _looked_up(name, specifier)
    return list(found.values())


def extras_of_package() -> list[str]:
    """The extras that the package declares; none where it is not installed as a package."""
    try:
        return list(distribution(PACKAGE).metadata.get_all("Provides-Extra") or [])
    except PackageNotFoundError:
        return []


def is_installed() -> bool:
    """Whether the package has metadata at all."""
    try:
        version(PACKAGE)
    except PackageNotFoundError:
        return False
    return True


def _requires(package: str) -> Sequence[str]:
    try:
        return requires(package) or ()
    except PackageNotFoundError:
        return ()


def _applying(line: str, extra: str) -> tuple[str, str, Iterable[str]]:
    """Name, specifier and extras of a requirement; no name where it does not apply to this extra alone."""
    from packaging.requirements import Requirement

    requirement = Requirement(line)
    marker = requirement.marker
    always = marker is None or marker.evaluate({"extra": ""})
    applies = always if not extra else marker is not None and not always and marker.evaluate({"extra": extra})
    if not applies:
        return "", "", ()
    return requirement.name, str(requirement.specifier), sorted(requirement.extras)


def _looked_up(name: str, specifier: str) -> Needed:
    from packaging.specifiers import SpecifierSet

    try:
        installed = version(name)
    except PackageNotFoundError:
        return Needed(name, specifier, "", fits=False)
    return Needed(name, specifier, installed, SpecifierSet(specifier).contains(installed, prereleases=True))


def _key(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")
