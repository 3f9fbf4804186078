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

from disco2.errors import Disco2Error
from disco2.shipped import is_shipped
from disco2.version import VERSION

SCHEMA = 4  # of the JSON report; raised with every incompatible change

OK, ABSENT, SKIPPED, WARNING, FAILED = "ok", "absent", "skipped", "warning", "failed"

PACKAGE = "disco2"
MODULES = {"pystemmer": "Stemmer"}  # of packages whose module has another name
FOR_DEVELOPERS = ("docs", "dev", "dev-full")  # extras
LONGEST = 400  # characters of an error message
SHORT = 8  # digits of a hash that are shown
CLOSE = 1e-6

REINSTALL = (
    "Install the package again, from the folder or file you have it from: pip install --force-reinstall PATH"
)
COPY = "Copy the model again from where it came from."
WRONG = (
    "The parts of the installation do not fit together. Install it again in a fresh environment; if that "
    "does not help, please report it with the output of: disco2 doctor --json"
)


@dataclass(frozen=True)
class Finding:
    """The result of one check; ``advice`` is what to do next.

    ``absent``: something optional is not installed. ``skipped``: not checked because of another finding.
    """

    name: str
    status: str
    found: str
    advice: str = ""


class CheckError(Exception):
    """What a check found if it is not as it should be."""

    def __init__(self, found: str, advice: str, *, status: str = FAILED) -> None:
        super().__init__(found)
        self.advice = advice
        self.status = status


Sections = Mapping[str, Sequence[Finding]]
Check = Callable[[], str]  # returns what was found; raises CheckError or any other exception


def run_checks(checks: Mapping[str, Check], *, advice: str = "") -> list[Finding]:
    """Run checks until one fails, and skip the others. Any exception becomes a failure.

    ``advice`` takes the place of the hints of errors.
    """
    findings: list[Finding] = []
    for name, check in checks.items():
        if any(one.status == FAILED for one in findings):
            findings.append(Finding(name, SKIPPED, f"The check before it failed: {findings[0].name}."))
            continue
        try:
            findings.append(Finding(name, OK, check()))
        except CheckError as fault:
            findings.append(Finding(name, fault.status, str(fault), fault.advice))
        except Disco2Error as error:
            what = f"{error.where}: {error.what}" if error.where else error.what
            findings.append(Finding(name, FAILED, plain(what), advice or plain(error.hint) or REINSTALL))
        except (Exception, SystemExit) as error:  # broken packages raise anything
            what = plain(f"{type(error).__name__}: {error}")
            findings.append(Finding(name, FAILED, what, advice or REINSTALL))
    return findings


def count_findings(sections: Sections, status: str) -> int:
    return sum(finding.status == status for findings in sections.values() for finding in findings)


def report_json(sections: Sections) -> dict[str, Any]:
    """All findings, and the worst status; ``absent`` and ``skipped`` do not count."""
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
        "model": lambda: run_checks(
            {"bundle": lambda: _check_manifest(folder), "files": lambda: _check_files(folder)},
            advice=advice,
        ),
        "annotators": lambda: run_checks({"annotators": lambda: _compare_annotators(folder)}),
        "self-test": lambda: run_checks(
            {"annotating": _test_annotating, "prediction": lambda: _test_prediction(folder)}, advice=advice
        ),
    }
    if quick:
        del found["self-test"]
    return found


def plain(text: str) -> str:
    """The text on one line, not too long, and without the path of the user's home folder."""
    line = " ".join(text.split())
    with suppress(RuntimeError):  # no home folder
        if len(home := str(Path.home())) > 1:
            line = line.replace(home, "~")
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def size_of(count: int) -> str:
    """A number of bytes in MB or kB."""
    return f"{count / 1e6:.1f} MB" if count >= 1e5 else f"{count / 1e3:.1f} kB"


# Installed packages


def requirements(extra: str = "") -> dict[str, tuple[str, str, bool]]:
    """The packages that disco2 needs, or that one of its extras needs in addition.

    ``{"numpy": (">=1.26", "2.1.0", True)}``: the versions it may have, the installed one (empty if there is
    none), and whether it fits.
    """
    from packaging.requirements import Requirement

    found = {}
    for requirement in map(Requirement, requires(PACKAGE) or ()):
        marker = requirement.marker
        always = marker is None or marker.evaluate({"extra": ""})
        wanted = not always and marker is not None and marker.evaluate({"extra": extra}) if extra else always
        if wanted and requirement.name != PACKAGE:
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
        return [Finding(PACKAGE, WARNING, what, "Install it: pip install . in its folder"), python]
    packages = [_check_package(name, *state) for name, state in needed.items()]
    return [Finding(PACKAGE, OK, VERSION), python, *packages]


def _check_package(name: str, wanted: str, installed: str, fits: bool) -> Finding:
    needs = f" (needs {wanted})" if wanted else ""
    if not fits:
        advice = f'Get it with: pip install "{name}{wanted}"'
        return Finding(name, FAILED, f"{installed or 'missing'}{needs}", advice)
    try:
        importlib.import_module(MODULES.get(name.lower(), name))
    except (Exception, SystemExit) as error:  # broken packages raise anything
        found = plain(f"{installed}, can't be imported: {type(error).__name__}: {error}")
        advice = f'Install it again: pip install --force-reinstall "{name}{wanted}"'
        return Finding(name, FAILED, found, advice)
    return Finding(name, OK, f"{installed}{needs}")


def check_extras() -> list[Finding]:
    """Every extra of the package that is not for its developers, complete or not."""
    findings = []
    with suppress(PackageNotFoundError, ImportError):  # a finding of check_installation
        for name in distribution(PACKAGE).metadata.get_all("Provides-Extra") or []:
            needed = requirements(name) if name not in FOR_DEVELOPERS else {}
            lacking = [f"{package}{wanted}" for package, (wanted, _, fits) in needed.items() if not fits]
            if lacking:
                advice = f'If you want it: pip install "disco2[{name}]"'
                findings.append(Finding(name, ABSENT, f"missing: {', '.join(lacking)}", advice))
            elif needed:
                installed = ", ".join(f"{package} {has}" for package, (_, has, _) in needed.items())
                findings.append(Finding(name, OK, installed))
    return findings


# The files of the model and of the annotators


def _check_manifest(folder: Path) -> str:
    from disco2.bundle import read_manifest

    manifest = read_manifest(folder)
    name = str(manifest.data.get("name") or folder.resolve().name)
    digest = str(manifest.to_json()["digest"])
    licence = str(manifest.data.get("licence") or "not recorded")
    return (
        f"{name}, digest {digest[:SHORT]}, format {manifest.format}, {len(manifest.labels)} labels, "
        f"licence {licence.partition(':')[0]}, in {plain(str(folder))}"
    )


def _check_files(folder: Path) -> str:
    """Compare every file with its recorded hash, and report all that differ."""
    from disco2.bundle import read_manifest
    from disco2.files import hash_file

    hashes = read_manifest(folder).hashes
    missing = [name for name in hashes if not (folder / name).is_file()]
    present = [name for name in hashes if name not in missing]
    damaged = [name for name in present if hash_file(folder / name) != hashes[name]]
    if missing or damaged:
        faults = {"missing": missing, "damaged": damaged}
        found = "; ".join(f"{what}: {', '.join(some)}" for what, some in faults.items() if some)
        raise CheckError(found, REINSTALL if is_shipped(folder) else COPY)
    size = sum((folder / name).stat().st_size for name in present)
    return f"{len(hashes)} files verified, {size_of(size)}"


def _compare_annotators(folder: Path) -> str:
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
        raise CheckError(what, REINSTALL, status=WARNING)
    return found


# The self-test: two made-up texts through the whole pipeline

TEXT = "Bob gave Tina the burger. She was hungry.\n\nIt rained all day. The roads were wet."
SENTENCES = ["Bob gave Tina the burger.", "She was hungry.", "It rained all day.", "The roads were wet."]


def _test_annotating() -> str:
    from disco2.annotation.annotator import AnnotatorChoice
    from disco2.inference.pipeline import annotate_texts

    with AnnotatorChoice().open() as annotators:
        document = annotate_texts(annotators, [("text", TEXT)], paragraphs="blank")[0]
    tokens = document.tokens
    found = [document.text[tokens[one.start].start : tokens[one.end - 1].end] for one in document.sentences]
    if found != SENTENCES:
        raise CheckError(f"The made-up text was split into {found}.", WRONG)
    return f"{len(found)} sentences, {len(tokens)} tokens"


def _test_prediction(folder: Path) -> str:
    """Two relations; 'She' is Tina; probabilities add up to 1; an explanation can be made."""
    from disco2.inference.pipeline import load

    nlp = load(folder)
    relations = nlp(TEXT)
    if len(relations) != 2:
        raise CheckError(f"{len(relations)} relations were found instead of 2.", WRONG)
    chains = [" ~ ".join(span.text for span in (*one.arg1, *one.arg2)) for one in relations[0].entities]
    if "Tina ~ She" not in chains:
        raise CheckError(f"'She' was not resolved to 'Tina': {', '.join(chains) or 'no chain'}.", WRONG)
    sums = [sum(relation.probabilities.values()) for relation in relations]
    if any(abs(total - 1) > CLOSE for total in sums):
        raise CheckError(f"The probabilities add up to {sums}.", WRONG)
    nlp.explain(relations[0])
    return f"2 relations, {chains[0]}, explained"
