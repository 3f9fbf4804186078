"""What an examination found: plain data for a listing and for JSON, fit to be pasted into a report."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from disco2.errors import Disco2Error
from disco2.version import VERSION

SCHEMA = 1  # raised when a reader of the old form would stumble

OK, ABSENT, SKIPPED, WARNING, FAILED = STATUSES = ("ok", "absent", "skipped", "warning", "failed")

REINSTALL = (
    "Install the package again, from the folder or file you have it from: pip install --force-reinstall PATH"
)
REPAIR_FIRST = "Repair first what fails under Installation; if nothing does, install the package again."
LONGEST = 400  # characters of what a package says when it fails


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    ``absent`` is something optional that is not there, ``skipped`` what could not be looked at because of
    another finding. ``advice`` is what to do next, and ``facts`` are the same in numbers and names.
    """

    name: str
    status: str
    found: str
    advice: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "status": self.status,
            "found": self.found,
            "advice": self.advice,
            "facts": dict(self.facts),
        }


@dataclass(frozen=True)
class Section:
    """Findings that belong together."""

    name: str
    findings: Sequence[Finding]


@dataclass(frozen=True)
class Report:
    """All of them."""

    sections: Sequence[Section]

    @property
    def status(self) -> str:
        """The worst that was found; what is absent or was skipped does not count."""
        found = {finding.status for section in self.sections for finding in section.findings}
        return next((status for status in (FAILED, WARNING) if status in found), OK)

    def count(self, status: str) -> int:
        return sum(finding.status == status for section in self.sections for finding in section.findings)

    def to_json(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "disco2": VERSION,
            "status": self.status,
            "sections": {
                section.name: [finding.to_json() for finding in section.findings] for section in self.sections
            },
        }


def examined(name: str, examine: Callable[[], Finding], *, advice: str = REINSTALL) -> Finding:
    """What ``examine`` finds, with the seconds it took; whatever it raises is a failure with advice."""
    began = time.perf_counter()
    try:
        finding = examine()
    except Disco2Error as error:
        what = f"{error.where}: {error.what}" if error.where else error.what
        finding = Finding(name, FAILED, plain(what), plain(error.hint) or advice)
    except ImportError as error:
        finding = Finding(name, FAILED, said(error), REPAIR_FIRST)
    except (Exception, SystemExit) as error:  # packages fail in ways of their own
        finding = Finding(name, FAILED, said(error), advice)
    return replace(finding, facts={**finding.facts, "seconds": round(time.perf_counter() - began, 3)})


def said(error: BaseException) -> str:
    """An exception in one line."""
    return plain(f"{type(error).__name__}: {error}")


def plain(text: str) -> str:
    """On one line, not too long, and without the name of the user's home folder."""
    try:
        home = str(Path.home())
    except RuntimeError:
        home = ""
    line = " ".join(text.split())
    if len(home) > 1:
        line = line.replace(home, "~")
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def size_of(count: int) -> str:
    """A number of bytes as people say it."""
    return f"{count / 1e6:.1f} MB" if count >= 1e5 else f"{count / 1e3:.1f} kB"
