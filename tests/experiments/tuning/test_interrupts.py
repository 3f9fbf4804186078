"""An interrupt is held back, and not lost."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator

import pytest

from disco2.experiments.tuning.interrupts import held_back


@pytest.fixture(autouse=True)
def interrupts() -> Iterator[None]:
    """As in a shell: whoever runs the tests in the background may have switched interrupts off."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_an_interrupt_comes_at_the_end_of_what_it_would_have_cut_short() -> None:
    done = []

    def work() -> None:
        with held_back(), held_back():
            signal.raise_signal(signal.SIGINT)
            done.append("all of it")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == ["all of it"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_without_an_interrupt_nothing_happens() -> None:
    with held_back():
        pass
    with pytest.raises(ValueError, match="as ever"), held_back():
        raise ValueError("as ever")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_other_threads_are_left_alone() -> None:
    done = []

    def work() -> None:
        with held_back():
            done.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == [True]
