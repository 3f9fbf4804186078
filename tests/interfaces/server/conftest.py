"""A server on the small model, asked without a network; left out where the extra is absent."""

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
    """A client of a server with these settings and annotators."""
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
            return stack.enter_context(TestClient(app, raise_server_exceptions=False))

        yield serves


@pytest.fixture
def client(serve: Serve) -> TestClient:
    return serve()
