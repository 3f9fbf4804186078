"""Pipelines that tests share: a small one, and the shipped one."""

from __future__ import annotations

import pytest

import disco2
from disco2.inference.pipeline import Pipeline
from tests.inference.small_pipeline import small_pipeline


@pytest.fixture(scope="session")
def small() -> Pipeline:
    return small_pipeline()


@pytest.fixture(scope="session")
def shipped() -> Pipeline:
    """The shipped model with all terms of the paper."""
    return disco2.load("en-fast")


@pytest.fixture(scope="session", params=["small", "shipped"])
def pipeline(request: pytest.FixtureRequest) -> Pipeline:
    found: Pipeline = request.getfixturevalue(request.param)
    return found
