"""disco2 doctor: what is installed, which model, and whether everything works."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.text import Text

from disco2.interfaces.cli.console import messages, print_json, results
from disco2.interfaces.cli.options import AsJson, Model
from disco2.interfaces.doctor.examination import examination
from disco2.interfaces.doctor.findings import ABSENT, FAILED, OK, SKIPPED, STATUSES, WARNING, Report, Section
from disco2.shipped import DEFAULT, MODELS, find_model
from disco2.version import VERSION

_STYLES = {OK: "green", ABSENT: "dim", SKIPPED: "dim", WARNING: "yellow", FAILED: "bold red"}
_WIDEST_STATUS = max(map(len, STATUSES))
_BROKEN = 2  # the exit code of every error here


def doctor(
    model: Model = None,
    quick: Annotated[bool, typer.Option("--quick", help="Leave the self-test out.")] = False,
    as_json: AsJson = False,
) -> None:
    """What is installed, which model is used, and whether everything works; for reports of faults.

    The self-test sends made-up texts through the whole pipeline, trains a tiny model and makes the server,
    without opening a port; that takes some seconds. No text of yours, no key and no setting of your shell is
    shown. Extras that are not installed are no fault; the exit code is 2 where something is broken.
    """
    folder = MODELS / DEFAULT if model is None else find_model(model)  # whether or not it is there
    sections: list[Section] = []
    if not as_json:
        results.print(f"disco2 {VERSION}", markup=False)
    for name, examine in examination(folder, quick=quick).items():
        with messages.status(f"looking at: {name}"):  # silent where nobody watches
            section = Section(name, examine())
        sections.append(section)
        if not as_json:
            _print(section)
    report = Report(sections)
    if as_json:
        print_json(report.to_json())
    else:
        results.print(f"\n{_verdict(report)}", markup=False)
    raise typer.Exit(_BROKEN if report.status == FAILED else 0)


def _print(section: Section) -> None:
    """A line each of name, state and what was found; what to do about it stands below."""
    results.print(f"\n{section.name.capitalize()}", markup=False, style="bold")
    widest = max((len(finding.name) for finding in section.findings), default=0)
    for finding in section.findings:
        status = Text(f"{finding.status:<{_WIDEST_STATUS}}", style=_STYLES[finding.status])
        results.print(Text.assemble(f"  {finding.name:<{widest}}  ", status, f"  {finding.found}"))
        if finding.advice and finding.status != OK:
            margin = " " * (2 + widest + 2 + _WIDEST_STATUS + 2)
            results.print(Text(f"{margin}-> {finding.advice}", style="dim"))


def _verdict(report: Report) -> str:
    failed, warnings = report.count(FAILED), report.count(WARNING)
    if not failed and not warnings:
        return "Everything works."
    counts = [f"failed: {failed}"] if failed else []
    counts += [f"warnings: {warnings}"] if warnings else []
    advice = "; see the arrows above for what to do" if failed else "; everything works all the same"
    return f"{', '.join(counts)}{advice}."
