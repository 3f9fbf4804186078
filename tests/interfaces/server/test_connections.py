"""How many may be connected, who has to go first, who has gone, and what a signal still finds."""

from __future__ import annotations

import json
import signal
import socket
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from disco2.errors import SettingsError
from disco2.interfaces.server import running
from disco2.interfaces.server.settings import Limits
from tests.interfaces.server.served_process import JSON, Served, served

FEW = ["--max-connections", "20", "--queue", "5"]


def request(text: str, *, version: str = "1.1") -> bytes:
    body = json.dumps({"text": text}).encode()
    head = f"POST /v1/relations HTTP/{version}\r\nHost: x\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def raw(server: Served) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), timeout=30)


def is_open(connection: socket.socket) -> bool:
    connection.setblocking(False)
    try:
        return bool(connection.recv(1))
    except BlockingIOError:
        return True
    except OSError:
        return False


def test_idle_connections_keep_nobody_out(small_bundle: Path) -> None:
    with served(small_bundle, FEW) as server, ExitStack() as stack:
        kept = server.connect()
        for _ in range(3):
            idle = [stack.enter_context(raw(server)) for _ in range(30)]
            half = stack.enter_context(raw(server))
            half.sendall(request("It rained.")[:-5])
            assert server.post({"text": "It rained. We left."})[0] == 200
            kept.request(
                "POST", "/v1/relations", '{"text": "It rained."}', JSON
            )  # it has been answered before
            assert kept.getresponse().read()
            still = [is_open(one) for one in idle]
            assert 0 < sum(still) < 20
            assert still == sorted(still)  # the first to come are the first to go
        kept.close()


def test_the_system_must_allow_as_many(monkeypatch: pytest.MonkeyPatch) -> None:
    resource = pytest.importorskip("resource")
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (256, 2_000))
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: asked.append(limits))
    running.allow_connections(100)
    running.allow_connections(1_000)
    assert asked == [(100 + running.FILES + 10 * running.AT_ONCE, 2_000), (2_000, 2_000)]
    with pytest.raises(SettingsError, match="2,000 files and connections"):
        running.allow_connections(5_000)
    monkeypatch.setattr(resource, "getrlimit", lambda _: (10_000, resource.RLIM_INFINITY))
    running.allow_connections(5_000)
    assert len(asked) == 2


def test_more_can_not_wait_than_are_connected() -> None:
    with pytest.raises(SettingsError, match="can't wait"):
        Limits(queue=20, connections=20)


def test_who_ends_its_own_side_is_answered(small_bundle: Path) -> None:
    with served(small_bundle, slow=0.5) as server:
        for asked in ("It rained. We left.", "He came slowly. We left."):
            with raw(server) as connection:
                connection.sendall(request(asked) * 2)  # the second one too
                connection.shutdown(socket.SHUT_WR)
                found = connection.makefile("rb").read()
            assert found.count(b"HTTP/1.1 200 OK") == 2
            assert found.endswith(b"}")
        with raw(server) as connection:  # a body that has not come in full is none
            connection.sendall(request("It rained.")[:-3])
            connection.shutdown(socket.SHUT_WR)
            assert connection.makefile("rb").read() == b""
        server.process.terminate()
        assert server.process.wait(30) == 0
        log = server.log()
    assert [one["status"] for one in told(log)] == [200, 200, 200, 200, 499]
    assert '"level": "error"' not in log


def test_http_1_0_is_answered_without_a_look(small_bundle: Path) -> None:
    """It knows no status that comes before the answer; so who ends its side is taken to have gone."""
    with served(small_bundle, slow=0.5) as server:
        with raw(server) as connection:
            connection.sendall(request("He came slowly. We left.", version="1.0"))
            found = connection.makefile("rb").read()
            assert found.startswith(b"HTTP/1.1 200 OK")
            assert b"\r\nconnection: close\r\n" in found.lower()
        with raw(server) as connection:
            connection.sendall(request("She came slowly. We left.", version="1.0"))
            connection.shutdown(socket.SHUT_WR)
            assert connection.makefile("rb").read() == b""
        server.process.terminate()
        assert server.process.wait(30) == 0
        assert [one["status"] for one in told(server.log())] == [200, 499]


def test_who_has_gone_is_not_worked_for(small_bundle: Path) -> None:
    with served(small_bundle, slow=3.0) as server:
        with raw(server) as holder:
            holder.sendall(request("He came slowly. We left."))
            time.sleep(0.2)
            for _ in range(10):
                with raw(server) as connection:
                    connection.sendall(request("It rained."))
            assert holder.recv(10_000).startswith(b"HTTP/1.1 200")
        server.process.terminate()
        assert server.process.wait(30) == 0
        statuses = [one["status"] for one in told(server.log())]
    assert sorted(statuses) == [200] + [499] * 10


def test_headers_without_end(small_bundle: Path) -> None:
    with served(small_bundle) as server, raw(server) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nX: " + b"a" * 17_000)
        head, _, body = connection.makefile("rb").read().partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 431")
        assert json.loads(body)["error"]["status"] == 431


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
def test_what_was_sent_just_before_the_signal_is_answered(small_bundle: Path) -> None:
    with served(small_bundle) as server, ExitStack() as stack:
        kept = [stack.enter_context(raw(server)) for _ in range(10)]
        time.sleep(0.2)
        fresh = [stack.enter_context(raw(server)) for _ in range(10)]
        for number, connection in enumerate(kept + fresh):
            connection.sendall(request(f"Bob came {number} times. We left."))
        server.process.send_signal(signal.SIGTERM)
        for connection in kept + fresh:
            assert connection.makefile("rb").read().startswith(b"HTTP/1.1 200")
        assert server.process.wait(30) == 0


def told(log: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in log.splitlines() if '"status"' in line]
