"""Which extras are complete, and how to get the others."""

from __future__ import annotations

from disco2.interfaces.doctor.findings import ABSENT, OK, WARNING, Finding
from disco2.interfaces.doctor.requirements import Needed, extras_of_package, requirements

FEW = 5  # packages that are listed by name


def extras() -> list[Finding]:
    """Every extra that the package declares."""
    try:
        return [extra_finding(name, requirements(extra=name)) for name in extras_of_package()]
    except ImportError as error:
        advice = "Get it with: pip install packaging"
        return [Finding("extras", WARNING, f"They can't be compared: {error}.", advice)]


def extra_finding(name: str, needed: list[Needed]) -> Finding:
    missing = [one for one in needed if not one.installed]
    unfit = [one for one in needed if one.installed and not one.fits]
    facts = {
        "installed": {one.name: one.installed for one in needed if one.installed},
        "missing": [str(one) for one in missing],
        "unfit": [str(one) for one in unfit],
        "install": f'pip install "disco2[{name}]"',
    }
    if not missing and not unfit:
        named = ", ".join(f"{one.name} {one.installed}" for one in needed)
        return Finding(name, OK, named if len(needed) <= FEW else f"{len(needed)} packages", facts=facts)
    said = []
    if missing:
        said.append(f"missing: {_few([one.name for one in missing])}")
    if unfit:
        said.append(f"wrong version: {_few([f'{one} ({one.installed})' for one in unfit])}")
    return Finding(name, ABSENT, "; ".join(said), f"If you want it: {facts['install']}", facts)


def _few(names: list[str]) -> str:
    rest = len(names) - FEW
    return ", ".join(names) if rest <= 0 else f"{', '.join(names[:FEW])} and {rest} more"
