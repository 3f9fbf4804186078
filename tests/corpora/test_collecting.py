"""The search for cycles stops while a corpus is read, and goes on afterwards."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from disco2.corpora.reading import cycles_left_alone


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    was_enabled = gc.isenabled()
    yield
    (gc.enable if was_enabled else gc.disable)()


@cycles_left_alone()
def fails() -> None:
    with cycles_left_alone():
        assert not gc.isenabled()
    assert not gc.isenabled()
    raise ValueError("odd")


def test_it_goes_on_afterwards_whatever_happens() -> None:
    gc.enable()
    for _ in range(2):
        with pytest.raises(ValueError, match="odd"):
            fails()
        assert gc.isenabled()


def test_where_it_was_off_it_stays_off() -> None:
    gc.disable()
    with cycles_left_alone():
        pass
    assert not gc.isenabled()
