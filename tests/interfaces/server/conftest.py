"""A server with the small model, without a network; tests are skipped if the extra is not installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import disco2
from disco2.annotation.annotator import Annotator
from disco2.inference.pipeline import Pipeline
from disco2.interfaces.server.settings import Limits, ServerSettings
from tests.inference.rule_annotator import RuleAnnotator

if TYPE_CHECKING:
    from starlette.testclient import TestClient

NEEDED = ("fastapi", "uvicorn", "prometheus_client", "httpx2")
if any(find_spec(package) is None for package in NEEDED):
    collect_ignore_glob = ["test_*.py"]  # they import these

MARK = "zqxsecret"
Serve = Callable[..., "TestClient"]


@pytest.fixture(scope="session")
def small(small_bundle: Path) -> Pipeline:
    """The pipeline that the command line has with ``--model`` and the rule annotator."""
    return disco2.load(small_bundle, annotators=RuleAnnotator())


@pytest.fixture(scope="session")
def shipped() -> Pipeline:
    return disco2.load("en-fast")


@pytest.fixture
def serve(small: Pipeline) -> Iterator[Serve]:
    """Start a server with these settings and annotators; returns a client."""
    from starlette.testclient import TestClient

    from disco2.interfaces.server.app import make_app

    with ExitStack() as stack:

        def serves(
            *, annotators: Annotator | None = None, limits: Limits | None = None, **settings: Any
        ) -> TestClient:
            pipeline = small
            if annotators is not None:
                pipeline = Pipeline(annotators, small.model, small.calibration, info=small.info)
            app = make_app(pipeline, ServerSettings(limits=limits or Limits(), **settings))
            client = TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False)
            return stack.enter_context(client)

        yield serves


def check_error(answer: Any, status: int, *, where: str | None = None) -> dict[str, Any]:
    """Check the one form of all errors; none quotes the request, whose texts contain ``MARK``."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/json"
    assert MARK not in answer.text
    error: dict[str, Any] = answer.json()["error"]
    assert error.keys() == {"status", "what", "where", "hint"}
    assert error["status"] == status
    assert error["what"].endswith(".")
    if where is not None:
        assert error["where"] == where
    return error


@pytest.fixture
def client(serve: Serve) -> TestClient:
    return serve()
