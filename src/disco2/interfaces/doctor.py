"""The checks of ``disco2 doctor``: what is installed, which model is used, and whether it works.

They must survive the faults that they look for: heavy packages are imported inside the checks, where a failed
import is a finding.
"""

from __future__ import annotations

import importlib
import os
import platform
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution, requires, version
from pathlib import Path
from typing import Any

from rich.filesize import decimal

from disco2.errors import BundleError, Disco2Error, InputError
from disco2.shipped import is_shipped
from disco2.version import VERSION

SCHEMA = 5  # of the JSON report; raised with every incompatible change

OK, ABSENT, WARNING, FAILED = "ok", "absent", "warning", "failed"

MODULES = {"pystemmer": "Stemmer"}  # of packages whose module has another name
FOR_DEVELOPERS = ("docs", "dev", "dev-full")  # extras
LONGEST = 400  # characters of an error message

REINSTALL = (
    "Install the package again, from the folder or file you have it from: pip install --force-reinstall PATH"
)
# The self-test: a made-up text through the whole pipeline.
TEXT = "Bob gave Tina the burger. She was hungry.\n\nIt rained all day. The roads were wet."
EXPECTED = "Tina ~ She"


@dataclass(frozen=True)
class Finding:
    """The result of one check; ``advice`` is what to do next. ``absent``: an optional package is missing."""

    name: str
    status: str
    found: str
    advice: str = ""


Sections = Mapping[str, Sequence[Finding]]


def run_check(name: str, check: Callable[[], str | Finding], *, advice: str = "") -> Finding:
    """The finding of a check. Any exception becomes a failure; ``advice`` takes the place of error hints."""
    try:
        found = check()
        return found if isinstance(found, Finding) else Finding(name, OK, found)
    except Disco2Error as error:
        what = f"{error.where}: {error.what}" if error.where else error.what
        return Finding(name, FAILED, plain(what), advice or plain(error.hint) or REINSTALL)
    except (Exception, SystemExit) as error:  # broken packages raise anything
        return Finding(name, FAILED, plain(f"{type(error).__name__}: {error}"), advice or REINSTALL)


def count_findings(sections: Sections, status: str) -> int:
    return sum(finding.status == status for findings in sections.values() for finding in findings)


def report_json(sections: Sections) -> dict[str, Any]:
    """All findings, and the worst status; ``absent`` does not count."""
    return {
        "schema": SCHEMA,
        "disco2": VERSION,
        "status": next((status for status in (FAILED, WARNING) if count_findings(sections, status)), OK),
        "sections": {name: [vars(finding) for finding in findings] for name, findings in sections.items()},
    }


def checks(folder: Path, *, quick: bool = False) -> dict[str, Callable[[], list[Finding]]]:
    """The check of each section by its name, for the model in ``folder``; ``quick`` omits the self-test."""
    advice = REINSTALL if is_shipped(folder) else ""
    found: dict[str, Callable[[], list[Finding]]] = {
        "installation": check_installation,
        "extras": check_extras,
        "model": lambda: [run_check("model", lambda: _check_model(folder), advice=advice)],
        "annotators": lambda: [run_check("annotators", lambda: _compare_annotators(folder))],
    }
    if not quick:
        found["self-test"] = lambda: [run_check("self-test", lambda: _test_prediction(folder), advice=advice)]
    return found


def plain(text: str) -> str:
    """The text on one line, not too long, and without the path of the user's home folder."""
    line = " ".join(text.split())
    with suppress(RuntimeError):  # no home folder
        if len(home := str(Path.home())) > 1:
            line = line.replace(home, "~")
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def requirements(extra: str = "") -> dict[str, tuple[str, str, bool]]:
    """The packages that disco2 needs, or that one of its extras needs in addition.

    ``{"numpy": (">=1.26", "2.1.0", True)}``: the versions it may have, the installed one (empty if there is
    none), and whether it fits.
    """
    from packaging.requirements import Requirement

    found = {}
    for requirement in map(Requirement, requires("disco2") or ()):
        always, wanted = (
            requirement.marker is None or requirement.marker.evaluate({"extra": name}) for name in ("", extra)
        )
        if wanted and not (extra and always) and requirement.name != "disco2":
            installed = ""
            with suppress(PackageNotFoundError):
                installed = version(requirement.name)
            fits = bool(installed) and requirement.specifier.contains(installed, prereleases=True)
            found[requirement.name] = str(requirement.specifier), installed, fits
    return found


def check_installation() -> list[Finding]:
    """The program, Python, and every package of the base installation, imported to see that it works."""
    system = f"{platform.system()} {platform.release()} {platform.machine()}"
    python = Finding("Python", OK, f"{platform.python_version()}, {system}, {os.cpu_count() or 0} cores")
    try:
        needed = requirements()
    except (PackageNotFoundError, ImportError) as error:
        what = f"{VERSION}, its requirements are unknown: {error}"
        return [Finding("disco2", WARNING, what, "Install it: pip install . in its folder"), python]
    packages = [_check_package(name, *state) for name, state in needed.items()]
    return [Finding("disco2", OK, VERSION), python, *packages]


def _check_package(name: str, wanted: str, installed: str, fits: bool) -> Finding:
    def check() -> str:
        if not fits:
            raise InputError(f"{installed or 'missing'} (needs {wanted or 'any version'})")
        importlib.import_module(MODULES.get(name.lower(), name))
        return installed

    return run_check(name, check, advice=f'Install it again: pip install --force-reinstall "{name}{wanted}"')


def check_extras() -> list[Finding]:
    """Every extra of the package that is not for its developers, complete or not."""
    findings = []
    with suppress(PackageNotFoundError, ImportError):  # a finding of check_installation
        for name in distribution("disco2").metadata.get_all("Provides-Extra") or []:
            needed = requirements(name) if name not in FOR_DEVELOPERS else {}
            lacking = [f"{package}{wanted}" for package, (wanted, _, fits) in needed.items() if not fits]
            if lacking:
                advice = f'If you want it: pip install "disco2[{name}]"'
                findings.append(Finding(name, ABSENT, f"missing: {', '.join(lacking)}", advice))
            elif needed:
                installed = ", ".join(f"{package} {has}" for package, (_, has, _) in needed.items())
                findings.append(Finding(name, OK, installed))
    return findings


def _check_model(folder: Path) -> str:
    """Read the manifest and compare every file with its recorded hash."""
    from disco2.bundle import read_manifest
    from disco2.files import hash_file

    manifest = read_manifest(folder)
    hashes = manifest.hashes
    missing = [name for name in hashes if not (folder / name).is_file()]
    damaged = [name for name in hashes if name not in missing and hash_file(folder / name) != hashes[name]]
    if missing or damaged:
        faults = {"missing": missing, "damaged": damaged}
        found = "; ".join(f"{what}: {', '.join(some)}" for what, some in faults.items() if some)
        raise BundleError(found, where=str(folder), hint="Copy the model again from where it came from.")
    licence = str(manifest.data.get("licence") or "not recorded")
    return (
        f"{manifest.data.get('name') or folder.resolve().name}, digest {manifest.to_json()['digest']}, "
        f"format {manifest.format}, {len(manifest.labels)} labels, licence {licence.partition(':')[0]}, "
        f"{len(hashes)} files verified, {decimal(sum((folder / name).stat().st_size for name in hashes))}, "
        f"in {plain(str(folder))}"
    )


def _compare_annotators(folder: Path) -> str | Finding:
    """The built-in annotators: complete, and the ones that the model was trained with."""
    from disco2.annotation.annotator import AnnotatorChoice
    from disco2.bundle import read_manifest

    with AnnotatorChoice().open(on_demand=True) as annotators:
        found = annotators.name  # with digests of their files
    recorded = found
    with suppress(Disco2Error):  # a model that can't be read is reported by the check of the model
        recorded = str(read_manifest(folder).data.get("annotators") or found)
    if recorded.startswith("disco2 ") and recorded != found:
        what = f"{found}; the model was trained with others: {recorded}"
        return Finding("annotators", WARNING, what, REINSTALL)
    return found


def _test_prediction(folder: Path) -> str:
    """Two relations; 'She' is Tina; probabilities add up to 1; an explanation can be made."""
    from disco2.inference.pipeline import load

    nlp = load(folder)
    relations = nlp(TEXT)
    chains = [str(entity) for relation in relations for entity in relation.entities]
    sums = [round(sum(relation.probabilities.values()), 6) for relation in relations]
    found = f"{len(relations)} relations, shared: {', '.join(chains)}, sums of probabilities: {sums}"
    if sums != [1, 1] or EXPECTED not in chains:
        hint = "Parts of the installation do not fit together. Install it again in a fresh environment."
        raise InputError(f"The made-up text has {found}; expected 2 relations and {EXPECTED}.", hint=hint)
    nlp.explain(relations[0])
    return f"{found}, explained"
