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
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import PackageNotFoundError, distribution, requires, version
from pathlib import Path
from typing import Any

from disco2.errors import Disco2Error
from disco2.shipped import is_shipped
from disco2.version import VERSION

SCHEMA = 4  # of the JSON report; raised with every incompatible change

OK, ABSENT, SKIPPED, WARNING, FAILED = STATUSES = ("ok", "absent", "skipped", "warning", "failed")

PACKAGE = "disco2"
MODULES = {"pystemmer": "Stemmer"}  # of packages whose module has another name
FOR_DEVELOPERS = ("docs", "dev", "dev-full")  # extras
LONGEST = 400  # characters of an error message
SHORT = 8  # digits of a hash that are shown
CLOSE = 1e-6

REINSTALL = (
    "Install the package again, from the folder or file you have it from: pip install --force-reinstall PATH"
)
REPAIR_FIRST = "Repair first what fails under Installation; if nothing does, install the package again."
COPY = "Copy the model again from where it came from."
WRONG = (
    "The parts of the installation do not fit together. Install it again in a fresh environment; if that "
    "does not help, please report it with the output of: disco2 doctor --json"
)
NO_PACKAGING = "Get it with: pip install packaging"


@dataclass(frozen=True)
class Finding:
    """The result of one check; ``advice`` is what to do next.

    ``absent``: something optional is not installed. ``skipped``: not checked because of another finding.
    """

    name: str
    status: str
    found: str
    advice: str = ""


Sections = Mapping[str, Sequence[Finding]]


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
    found: dict[str, Callable[[], list[Finding]]] = {
        "installation": check_installation,
        "extras": check_extras,
        "model": partial(check_model, folder),
        "annotators": partial(check_annotators, folder),
        "self-test": partial(run_self_test, folder),
    }
    if quick:
        del found["self-test"]
    return found


def run_check(name: str, check: Callable[[], Finding], *, advice: str = REINSTALL) -> Finding:
    """Run a check; any exception becomes a failure with advice."""
    try:
        return check()
    except Disco2Error as error:
        what = f"{error.where}: {error.what}" if error.where else error.what
        return Finding(name, FAILED, plain(what), plain(error.hint) or advice)
    except ImportError as error:
        return Finding(name, FAILED, _error_line(error), REPAIR_FIRST)
    except (Exception, SystemExit) as error:  # broken packages raise anything
        return Finding(name, FAILED, _error_line(error), advice)


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


def _error_line(error: BaseException) -> str:
    return plain(f"{type(error).__name__}: {error}")


# Installed packages


@dataclass(frozen=True)
class Needed:
    """A required package; ``installed`` is its version, empty if it is missing."""

    name: str
    wanted: str  # such as ">=1.26"; empty if any version will do
    installed: str
    fits: bool

    def __str__(self) -> str:
        return f"{self.name}{self.wanted}"


def requirements(extra: str = "") -> list[Needed]:
    """The packages that disco2 needs, or that one of its extras needs in addition."""
    from packaging.requirements import Requirement

    found = []
    for line in requires(PACKAGE) or ():
        requirement = Requirement(line)
        marker = requirement.marker
        always = marker is None or marker.evaluate({"extra": ""})
        wanted = not always and marker is not None and marker.evaluate({"extra": extra}) if extra else always
        if wanted and requirement.name != PACKAGE:
            try:
                installed = version(requirement.name)
            except PackageNotFoundError:
                installed = ""
            fits = bool(installed) and requirement.specifier.contains(installed, prereleases=True)
            found.append(Needed(requirement.name, str(requirement.specifier), installed, fits))
    return found


def check_installation() -> list[Finding]:
    """The program, Python, and every package of the base installation, imported to see that it works."""
    system = f"{platform.system()} {platform.release()} {platform.machine()}"
    python = Finding("Python", OK, f"{platform.python_version()}, {system}, {os.cpu_count() or 0} cores")
    try:
        recorded = version(PACKAGE)
        needed = requirements()
    except PackageNotFoundError:
        what = f"{VERSION}, not installed as a package: its requirements are unknown"
        return [Finding(PACKAGE, WARNING, what, "Install it: pip install . in its folder"), python]
    except ImportError as error:
        return [python, Finding("requirements", WARNING, f"They can't be compared: {error}.", NO_PACKAGING)]
    program = Finding(PACKAGE, OK, VERSION)
    if recorded != VERSION:
        what = f"{VERSION}, but installed as {recorded}: its requirements may have changed"
        program = Finding(PACKAGE, WARNING, what, "Install it again: pip install -e . in its folder")
    return [program, python, *map(_check_package, needed)]


def _check_package(needed: Needed) -> Finding:
    wanted = f" (needs {needed.wanted})" if needed.wanted else ""
    if not needed.fits:
        found = f"{needed.installed or 'missing'}{wanted}"
        return Finding(needed.name, FAILED, found, f'Get it with: pip install "{needed}"')
    try:
        importlib.import_module(MODULES.get(needed.name.lower(), needed.name))
    except (Exception, SystemExit) as error:  # broken packages raise anything
        advice = f'Install it again: pip install --force-reinstall "{needed}"'
        found = f"{needed.installed}, can't be imported: {_error_line(error)}"
        return Finding(needed.name, FAILED, found, advice)
    return Finding(needed.name, OK, f"{needed.installed}{wanted}")


def check_extras() -> list[Finding]:
    """Every extra of the package that is not for its developers, complete or not."""
    try:
        names = distribution(PACKAGE).metadata.get_all("Provides-Extra") or []
        return [_check_extra(name, requirements(name)) for name in names if name not in FOR_DEVELOPERS]
    except PackageNotFoundError:
        return []
    except ImportError as error:
        return [Finding("extras", WARNING, f"They can't be compared: {error}.", NO_PACKAGING)]


def _check_extra(name: str, needed: Sequence[Needed]) -> Finding:
    if lacking := [str(one) for one in needed if not one.fits]:
        advice = f'If you want it: pip install "disco2[{name}]"'
        return Finding(name, ABSENT, f"missing: {', '.join(lacking)}", advice)
    return Finding(name, OK, ", ".join(f"{one.name} {one.installed}" for one in needed))


# The files of the model and of the annotators


def check_model(folder: Path) -> list[Finding]:
    """The manifest, and the hashes of all files."""
    manifest = _with_advice(folder, run_check("bundle", partial(_check_manifest, folder)))
    if manifest.status == FAILED:
        return [manifest, Finding("files", SKIPPED, "The manifest, which names them, can't be read.")]
    return [manifest, run_check("files", partial(_check_files, folder))]


def _with_advice(folder: Path, finding: Finding) -> Finding:
    """A shipped model is repaired by a new installation, not by a new training."""
    is_broken = finding.status == FAILED and is_shipped(folder)
    return replace(finding, advice=REINSTALL) if is_broken else finding


def _check_manifest(folder: Path) -> Finding:
    from disco2.bundle import read_manifest

    manifest = read_manifest(folder)
    name = str(manifest.data.get("name") or folder.resolve().name)
    digest = str(manifest.to_json()["digest"])
    licence = str(manifest.data.get("licence") or "not recorded")
    found = (
        f"{name}, digest {digest[:SHORT]}, format {manifest.format}, {len(manifest.labels)} labels, "
        f"licence {licence.partition(':')[0]}, in {plain(str(folder))}"
    )
    return Finding("bundle", OK, found)


def _check_files(folder: Path) -> Finding:
    """Compare every file with its recorded hash, and report all that differ."""
    from disco2.bundle import read_manifest
    from disco2.files import hash_file

    hashes = read_manifest(folder).hashes
    missing = [name for name in hashes if not (folder / name).is_file()]
    present = [name for name in hashes if name not in missing]
    damaged = [name for name in present if hash_file(folder / name) != hashes[name]]
    if not missing and not damaged:
        size = sum((folder / name).stat().st_size for name in present)
        return Finding("files", OK, f"{len(hashes)} files verified, {size_of(size)}")
    faults = {"missing": missing, "damaged": damaged}
    found = "; ".join(f"{what}: {', '.join(names)}" for what, names in faults.items() if names)
    return Finding("files", FAILED, found, REINSTALL if is_shipped(folder) else COPY)


def check_annotators(folder: Path) -> list[Finding]:
    """The built-in annotators: complete, and the ones that the model was trained with."""
    return [run_check("annotators", partial(_compare_annotators, folder))]


def _compare_annotators(folder: Path) -> Finding:
    from disco2.annotation.annotator import AnnotatorChoice
    from disco2.bundle import read_manifest

    with AnnotatorChoice().open(on_demand=True) as annotators:
        found = annotators.name  # with digests of their files
    recorded = found
    with suppress(Disco2Error):  # a model that can't be read is reported by check_model
        recorded = str(read_manifest(folder).data.get("annotators") or found)
    if recorded.startswith("disco2 ") and recorded != found:
        what = f"{found}; the model was trained with others: {recorded}"
        return Finding("annotators", WARNING, what, REINSTALL)
    return Finding("annotators", OK, found)


# The self-test: two made-up texts through the whole pipeline

TEXT = "Bob gave Tina the burger. She was hungry.\n\nIt rained all day. The roads were wet."
SENTENCES = ["Bob gave Tina the burger.", "She was hungry.", "It rained all day.", "The roads were wet."]


def run_self_test(folder: Path) -> list[Finding]:
    """Annotate a text, then load the model, predict and explain; the latter is skipped if the first fails."""
    annotating = run_check("annotating", _test_annotating)
    if annotating.status == FAILED:
        return [annotating, Finding("prediction", SKIPPED, "The annotators do not work.")]
    prediction = run_check("prediction", partial(_test_prediction, folder))
    return [annotating, _with_advice(folder, prediction)]


def _test_annotating() -> Finding:
    from disco2.annotation.annotator import AnnotatorChoice
    from disco2.inference.pipeline import annotate_texts

    with AnnotatorChoice().open() as annotators:
        document = annotate_texts(annotators, [("text", TEXT)], paragraphs="blank")[0]
    tokens = document.tokens
    found = [document.text[tokens[one.start].start : tokens[one.end - 1].end] for one in document.sentences]
    if found != SENTENCES:
        return Finding("annotating", FAILED, f"The made-up text was split into {found}.", WRONG)
    return Finding("annotating", OK, f"{len(found)} sentences, {len(tokens)} tokens")


def _test_prediction(folder: Path) -> Finding:
    """Two relations; 'She' is Tina; probabilities add up to 1; an explanation can be made."""
    from disco2.inference.pipeline import load

    nlp = load(folder)
    relations = nlp(TEXT)
    if len(relations) != 2:
        return Finding("prediction", FAILED, f"{len(relations)} relations were found instead of 2.", WRONG)
    chains = [" ~ ".join(span.text for span in (*one.arg1, *one.arg2)) for one in relations[0].entities]
    if "Tina ~ She" not in chains:
        found = f"'She' was not resolved to 'Tina': {', '.join(chains) or 'no chain'}."
        return Finding("prediction", FAILED, found, WRONG)
    sums = [sum(relation.probabilities.values()) for relation in relations]
    if any(abs(total - 1) > CLOSE for total in sums):
        return Finding("prediction", FAILED, f"The probabilities add up to {sums}.", WRONG)
    nlp.explain(relations[0])
    return Finding("prediction", OK, f"2 relations, {chains[0]}, explained")
