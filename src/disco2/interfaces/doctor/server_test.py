"""Whether the server can be made of the pipeline; no port is opened."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from disco2.interfaces.doctor.findings import ABSENT, OK, SKIPPED, Finding, examined

if TYPE_CHECKING:
    from disco2.inference.pipeline import Pipeline

AGAIN = 'Install it again in a fresh environment: pip install "disco2[serve]"'


def server(pipeline: Pipeline | None) -> list[Finding]:
    """Absent without the extra ``serve``."""
    if pipeline is None:
        return [Finding("server", SKIPPED, "Annotators or model can't be loaded.")]
    return [examined("server", lambda: _server(pipeline), advice=AGAIN)]


def _server(pipeline: Pipeline) -> Finding:
    from disco2.interfaces.server.extra import PACKAGES

    if missing := [package for package in PACKAGES if find_spec(package) is None]:
        advice = 'If you want to serve the model: pip install "disco2[serve]"'
        return Finding("server", ABSENT, f"missing: {', '.join(missing)}", advice)
    from disco2.interfaces.server.app import make_app

    app = make_app(pipeline)  # which answers examples, and describes every address
    return Finding("server", OK, f"made, with {len(app.openapi()['paths'])} addresses; no port was opened")
