"""Attacks on a running server, small and short: honest clients are answered, and nothing is left of them."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.attacks import ATTACKS, all_at_once
from benchmarks.raw_clients import Seen, Target
from disco2.inference.pipeline import Pipeline
from disco2.inference.results import text_result
from tests.interfaces.server.served_process import Served, served

TEXT = "Bob gave Tina the burger. She was hungry. However, he left."
# What each connection may see. Who still sends when the server has had enough may find it closed before the
# answer can be read.
EXPECTED: dict[str, set[str]] = {
    "slow headers": {"closed"},
    "slow bodies": {"408"},
    "unread answers": {"closed"},
    "oversized bodies": {"400", "408", "413", "415", "422", "431", "closed"},
    "invalid bodies": {"400", "422"},
    "many connections": {"400", "closed"},
    "cancelled requests": {"closed"},
    "pipelined requests": {"in order"},
    "header floods": {"431", "closed"},
    "odd methods and paths": {"200", "404", "405", "closed"},
    "malformed http": {"200", "400", "404", "closed"},
    "half closing clients": {"200"},
}


@pytest.fixture(scope="module")
def server(small_bundle: Path) -> Iterator[Served]:
    with served(small_bundle, ["--time-limit", "8", "--no-access-log"], keep_alive=1) as running:
        yield running
        running.process.terminate()
        assert running.process.wait(30) == 0
        assert '"level": "error"' not in running.log()


@pytest.fixture(scope="module")
def answer(small: Pipeline) -> Any:
    document = small.annotate(TEXT)
    return text_result(small, document, small.relations(document))


def attack_beside_honest_clients(server: Served, name: str, answer: Any) -> Seen:
    target = Target(server.port, seconds=30, connections=60, slow=10, cancelled=60, long_clients=0)
    before = _state(server)
    stop = threading.Event()
    answers: list[tuple[int, Any]] = []
    health: list[str] = []

    def ask() -> None:
        while True:  # once at the least, however short the attack
            answers.append(server.post({"text": TEXT}))
            health.append(_text(server, "/healthz"))
            if stop.wait(0.02):
                break

    honest = threading.Thread(target=ask)
    honest.start()
    try:
        seen = asyncio.run(all_at_once(target) if name == "all at once" else ATTACKS[name](target))
    finally:
        stop.set()
        honest.join(60)
    assert not honest.is_alive()
    assert all(found == (200, answer) for found in answers)
    assert set(health) == {'{"status":"ok"}'}
    _until_as_before(server, before)
    return seen


@pytest.mark.parametrize("name", EXPECTED)
def test_honest_clients_are_answered_and_nothing_is_left(server: Served, answer: Any, name: str) -> None:
    seen = attack_beside_honest_clients(server, name, answer)
    assert set(seen) <= EXPECTED[name], seen


@pytest.mark.skipif(sys.platform != "linux", reason="the system does not tell how much memory is used")
def test_all_at_once_takes_no_memory_for_good(server: Served, answer: Any) -> None:
    megabytes = []
    for _ in range(2):
        seen = attack_beside_honest_clients(server, "all at once", answer)
        assert set(seen) <= set().union(*EXPECTED.values()), seen
        megabytes.append(_figure(server, "process_resident_memory_bytes") / 2**20)
    assert megabytes[1] < 1.1 * megabytes[0]


def test_all_attacks_have_a_test() -> None:
    assert {*EXPECTED, "long texts"} == set(ATTACKS)  # those are in test_batching, without the waiting


def _state(server: Served) -> tuple[int, int]:
    """Open files and threads; nothing where the system does not tell."""
    if sys.platform != "linux":
        return 0, 0
    process = Path("/proc") / str(server.process.pid)
    return len(list((process / "fd").iterdir())), len(list((process / "task").iterdir()))


def _until_as_before(server: Served, before: tuple[int, int]) -> None:
    for _ in range(300):
        files, threads = _state(server)
        waiting = _figure(server, "disco2_queue_requests")
        if files <= before[0] and threads <= before[1] + 1 and not waiting:  # the worker is started once
            return
        time.sleep(0.1)
    raise AssertionError(f"{before} before; {files} files, {threads} threads, {waiting} waiting after")


def _figure(server: Served, name: str) -> float:
    return float(_text(server, "/metrics").split(f"\n{name} ")[1].split("\n")[0])


def _text(server: Served, address: str) -> str:
    connection = server.connect()
    connection.request("GET", address)
    text = connection.getresponse().read().decode()
    connection.close()
    return text
