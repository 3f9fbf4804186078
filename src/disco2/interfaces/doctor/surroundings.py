"""The machine, Python, and the packages that disco2 can't do without."""

from __future__ import annotations

import importlib
import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, distribution

from disco2.interfaces.doctor.findings import FAILED, OK, WARNING, Finding, examined, said
from disco2.interfaces.doctor.requirements import Needed, is_installed, requirements
from disco2.version import VERSION


def surroundings() -> list[Finding]:
    """Program, Python, system, and every package of the base installation, imported to see that it works."""
    found = [_program(), _python()]
    try:
        needed = requirements()
    except ImportError as error:
        advice = "Get it with: pip install packaging"
        return [*found, Finding("requirements", WARNING, f"They can't be compared: {error}.", advice)]
    return [*found, *(_package(one) for one in needed)]


def _program() -> Finding:
    if is_installed():
        recorded = distribution("disco2").version
        facts = {"version": VERSION, "installed": recorded}
        if recorded == VERSION:
            return Finding("disco2", OK, VERSION, facts=facts)
        what = f"{VERSION}, but installed as {recorded}: what it needs is not known for certain"
        return Finding("disco2", WARNING, what, "Install it again: pip install -e . in its folder", facts)
    what = f"{VERSION}, not installed as a package: what it needs is not known"
    return Finding("disco2", WARNING, what, "Install it: pip install . in its folder", {"version": VERSION})


def _python() -> Finding:
    version, system = platform.python_version(), f"{platform.system()} {platform.release()}"
    facts = {
        "version": version,
        "implementation": platform.python_implementation(),
        "system": platform.system(),
        "release": platform.release(),
        "machine": platform.machine(),
        "processors": os.cpu_count() or 0,
        "encoding": sys.stdout.encoding if sys.stdout is not None else "",
        "virtual_environment": sys.prefix != sys.base_prefix,
    }
    found = f"{version} ({facts['implementation']}), {system} {facts['machine']}, {facts['processors']} cores"
    return Finding("Python", OK, found, facts=facts)


def _package(needed: Needed) -> Finding:
    wanted = f" (needs {needed.wanted})" if needed.wanted else ""
    facts = {"wanted": needed.wanted, "installed": needed.installed}
    if not needed.installed:
        return Finding(needed.name, FAILED, f"missing{wanted}", f'Get it with: pip install "{needed}"', facts)
    if not needed.fits:
        advice = f'Get another version with: pip install "{needed}"'
        return Finding(needed.name, FAILED, f"{needed.installed}{wanted}", advice, facts)

    def imports() -> Finding:
        for module in _modules(needed.name):
            try:
                importlib.import_module(module)
            except Exception as error:  # whatever a half-installed package does
                advice = f'Install it again: pip install --force-reinstall "{needed}"'
                what = f"{needed.installed}, can't be imported: {said(error)}"
                return Finding(needed.name, FAILED, what, advice, facts)
        return Finding(needed.name, OK, f"{needed.installed}{wanted}", facts=facts)

    return examined(needed.name, imports, advice=f'Install it again: pip install "{needed}"')


def _modules(package: str) -> list[str]:
    """What a package is imported as: as its metadata have it, else by its own name."""
    try:
        named = (distribution(package).read_text("top_level.txt") or "").split()
    except (PackageNotFoundError, OSError):
        named = []
    public = [name for name in named if not name.startswith("_") and name.isidentifier()]
    return public[:1] or [package.lower().replace("-", "_")]
