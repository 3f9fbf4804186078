"""``disco2 serve``: its options, signals, many clients, and clients that misbehave, in a real process."""

from __future__ import annotations

import builtins
import http.client
import json
import signal
import socket
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil
import pytest
from starlette.testclient import TestClient

from disco2.inference.pipeline import Pipeline
from disco2.inference.prediction import text_result
from disco2.interfaces.cli.options import AnnotatorOptions
from disco2.interfaces.server import running
from disco2.interfaces.server.settings import Limits
from tests.interfaces.conftest import Run
from tests.interfaces.server.conftest import MARK
from tests.interfaces.server.served_process import JSON, Served, served
from tests.interfaces.stand_in import stand_in

POST = b"POST /v1/relations HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The arguments of ``run``, which does nothing."""
    calls: list[dict[str, Any]] = []

    def note(app: object, bound: socket.socket, **options: Any) -> None:
        calls.append({"app": app, "address": bound.getsockname(), **options})
        options["on_start"]()

    monkeypatch.setattr(running, "run", note)
    monkeypatch.setattr(AnnotatorOptions, "open", stand_in)
    monkeypatch.setattr("disco2.interfaces.server.middleware.write_log", lambda **_: None)
    monkeypatch.setattr("gc.freeze", lambda: None)
    return calls


def test_the_default_is_this_machine_only(run: Run, ran: list[dict[str, Any]], small_bundle: Path) -> None:
    code, out, err = run("serve", "--model", small_bundle, "--port", 0)
    assert code == 0, err
    host, port = ran[0]["address"]
    assert host == "127.0.0.1"
    assert out == ""
    assert err == f"disco2 serves small at http://127.0.0.1:{port}/\n"
    assert ran[0]["limits"] == Limits()
    client = TestClient(ran[0]["app"], base_url="http://evil.example")
    assert client.get("/healthz").status_code == 400


def test_warnings_if_anybody_can_ask(run: Run, ran: list[dict[str, Any]], small_bundle: Path) -> None:
    everywhere = ("--host", "0.0.0.0", "--port", 0)  # noqa: S104
    key = ("--api-key", "s3cret")
    _, _, err = run("serve", "--model", small_bundle, *everywhere)
    assert "warning: everybody" in err
    _, _, err = run("serve", "--model", small_bundle, "--port", 0, "--cors-origin", "*")
    assert "warning: --cors-origin '*'" in err
    _, _, err = run("serve", "--model", small_bundle, *everywhere, "--cors-origin", "*", *key)
    assert "warning" not in err
    assert "s3cret" not in err


def test_a_port_in_use_is_reported_before_anything_is_loaded(run: Run, ran: list[dict[str, Any]]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        code, _, err = run("serve", "--model", "nowhere", "--port", taken.getsockname()[1])
    assert code == 2
    assert "Address already in use" in err
    assert not ran


@pytest.mark.parametrize(
    "options",
    [
        *(("--host", host) for host in ("no such host", "256.1.1.1", "a..b", "", "8.8.8.8", "x" * 300)),
        ("--port", "65536"),
        ("--port", "-1"),
        ("--max-body", "0"),
        ("--time-limit", "0"),
        ("--time-limit", "inf"),
        ("--queue", "0"),
        ("--workers", "0"),
        ("--cors-origin", "example.org"),
        ("--allowed-host", "http://example.org"),
        ("--api-key", "two words"),
        ("--api-key", ""),
    ],
)
def test_invalid_options(run: Run, ran: list[dict[str, Any]], options: tuple[str, ...]) -> None:
    port = () if "--port" in options else ("--port", 0)
    code, _, err = run("serve", *port, *options)
    assert code == 2
    assert err
    assert "two words" not in err
    assert not ran


@pytest.mark.parametrize("package", ["fastapi", "uvicorn", "prometheus_client"])
def test_a_missing_extra_is_named(run: Run, monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any, **named: Any) -> Any:
        if name.split(".")[0] == package:
            raise ModuleNotFoundError(name=package)
        return real(name, *rest, **named)

    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setattr(builtins, "__import__", without)
    code, _, err = run("serve", "--port", 0)
    assert code == 2
    assert package in err
    assert "disco2[serve]" in err


def request(text: str) -> bytes:
    body = json.dumps({"text": text}).encode()
    return POST + b"Content-Length: %d\r\n\r\n" % len(body) + body


def connect(server: Served) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), timeout=30)


def receive_all(connection: socket.socket) -> bytes:
    with connection.makefile("rb") as stream:
        return stream.read()


def end(server: Served, *, errors: int = 0) -> list[dict[str, Any]]:
    """Stop the server; returns its log, which has so many errors."""
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(30) == 0
    log = server.log()
    assert log.count('"level": "error"') == errors
    return [json.loads(line) for line in log.splitlines() if line.startswith("{")]


def test_many_clients_and_a_log_without_their_texts(small_bundle: Path, small: Pipeline) -> None:
    texts = [f"{MARK} {number} gave Tina the burger. She was hungry. He left." for number in range(60)]
    with served(small_bundle, key=f"{MARK}-key", options=["--max-body", "5000"]) as server:

        def ask(text: str) -> tuple[int, object]:
            connection = server.connect()
            headers = {**JSON, "Authorization": f"Bearer {MARK}-key", "User-Agent": MARK}
            connection.request("POST", f"/v1/relations?{MARK}", json.dumps({"text": text}), headers)
            answer = connection.getresponse()
            content = json.loads(answer.read())
            connection.close()
            return answer.status, content

        with ThreadPoolExecutor(20) as pool:
            answers = list(pool.map(ask, texts))
        for text, (status, content) in zip(texts, answers, strict=True):
            document = small.annotate(text)
            assert status == 200
            assert content == text_result(small, document, small.relations(document))
        assert ask(f"{MARK} breaks")[0] == 500
        assert ask(MARK * 1_000)[0] == 413
        assert server.post({"text": MARK})[0] == 401
        with connect(server) as raw:
            raw.sendall(f"GET /{MARK} {MARK}\r\n\r\n".encode())
            assert receive_all(raw).startswith(b"HTTP/1.1 400")
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(30) == 0
        log = server.log()
    assert MARK not in log
    lines = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
    assert sum(one.get("status") == 200 for one in lines) == 60
    assert max(one.get("batch", 0) for one in lines) > 1
    assert [one["error"] for one in lines if "error" in one] == ["KeyError"]


@pytest.mark.parametrize(
    ("number", "workers"), [(signal.SIGTERM, 1), (signal.SIGINT, 1), (signal.SIGTERM, 2)]
)
def test_accepted_requests_are_answered_before_the_end(
    small_bundle: Path, number: signal.Signals, workers: int
) -> None:
    options = ["--workers", str(workers)]
    with served(small_bundle, options, slow=2.0) as server, ThreadPoolExecutor(8) as pool:
        idle = server.connect()
        idle.request("GET", "/healthz")
        assert idle.getresponse().read() == b'{"status":"ok"}'
        asked = [pool.submit(server.post, {"text": f"He came slowly {n}. We left."}) for n in range(8)]
        wait_for_requests(server, 8)
        server.process.send_signal(number)
        answers = [one.result(30) for one in asked]
        assert [status for status, _ in answers] == [200] * 8
        assert all(len(content["relations"]) == 1 for _, content in answers)
        with pytest.raises((http.client.HTTPException, OSError)):  # noqa: PT012
            idle.request("GET", "/healthz")
            idle.getresponse()
        assert server.process.wait(30) == 0


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_signal_under_load(small_bundle: Path, workers: str) -> None:
    """Eight clients that never stop asking get whole answers, then a closed connection, and nothing else."""
    answered: list[int] = []
    with served(small_bundle, ["--workers", workers]) as server, ThreadPoolExecutor(8) as pool:

        def ask_on_and_on(number: int) -> None:
            connection = server.connect()
            body = json.dumps({"text": f"Bob {number} came. We left."})
            while True:
                try:
                    connection.request("POST", "/v1/relations", body, JSON)
                    answer = connection.getresponse()
                except (OSError, http.client.HTTPException):  # not one byte of an answer
                    return
                content = json.loads(answer.read())
                if answer.status == 503:
                    return
                assert (answer.status, len(content["relations"])) == (200, 1)
                answered.append(number)

        clients = [pool.submit(ask_on_and_on, number) for number in range(8)]
        while len(answered) < 40:
            assert not any(one.done() for one in clients)
            time.sleep(0.05)
        end(server)
        for client in clients:
            client.result(30)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_second_interrupt_stops_at_once(small_bundle: Path, workers: str) -> None:
    with served(small_bundle, ["--workers", workers], slow=60) as server, ThreadPoolExecutor(3) as pool:
        asked = [pool.submit(server.post, {"text": f"He came slowly {n}. We left."}) for n in range(3)]
        wait_for_requests(server, 3)
        for _ in range(2):
            server.process.send_signal(signal.SIGINT)
            time.sleep(0.5)
        assert [one.result(30)[0] for one in asked] == [503] * 3
        assert server.process.wait(30) == 130
        assert '"level": "error"' not in server.log()


def test_slow_and_endless_clients(small_bundle: Path) -> None:
    """None of them delays an honest client, or the end of the server."""
    with served(small_bundle, options=["--time-limit", "1", "--max-body", "1000"]) as server:
        silent, half = connect(server), connect(server)
        half.sendall(POST)
        with connect(server) as slow:  # a body that never arrives
            slow.sendall(POST + b"Content-Length: 100\r\n\r\n{")
            assert receive_all(slow).startswith(b"HTTP/1.1 408")
        with connect(server) as large:  # headers without end
            large.sendall(b"GET /healthz HTTP/1.1\r\nX: " + b"a" * 20_000)
            assert large.recv(10_000).startswith(b"HTTP/1.1 400")
        for length in (200_000, 10**15, 10**30):  # refused before it is sent
            with connect(server) as raw:
                raw.sendall(POST + b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n" % length)
                assert raw.recv(10_000).startswith((b"HTTP/1.1 413", b"HTTP/1.1 400"))
        with connect(server) as endless:
            endless.sendall(POST + b"Transfer-Encoding: chunked\r\n\r\n")
            with pytest.raises(OSError):  # noqa: PT011, PT012
                for _ in range(10_000):
                    endless.sendall(b"1f4\r\n" + b"a" * 500 + b"\r\n")
                    time.sleep(0.0005)
        assert server.post({"text": "It rained."})[0] == 200
        end(server)
        silent.close()
        half.close()


@pytest.mark.parametrize(
    ("version", "length", "status"), [(b"1.1", b"Content-Length: 5\r\n", 400), (b"9.9", b"", 505)]
)
def test_smuggled_requests_are_not_served(
    small_bundle: Path, version: bytes, length: bytes, status: int
) -> None:
    """Both Content-Length and Transfer-Encoding, or an unknown version of HTTP: one error, then the end."""
    with served(small_bundle) as server:
        with connect(server) as raw:
            head = POST.replace(b"HTTP/1.1", b"HTTP/" + version) + b"Transfer-Encoding: chunked\r\n" + length
            raw.sendall(head + b"\r\n0\r\n\r\nGET /v1/model HTTP/1.1\r\nHost: localhost\r\n\r\n")
            answer = receive_all(raw)
        assert answer.startswith(b"HTTP/1.1 %d" % status)
        assert answer.count(b"\r\nx-request-id: ") == 1
        assert [one["status"] for one in end(server) if "status" in one] == [status]


def test_work_stops_for_clients_that_have_left(small_bundle: Path) -> None:
    with served(small_bundle, slow=2.0) as server:
        with connect(server) as holder:
            holder.sendall(request("He came slowly. We left."))
            time.sleep(0.2)
            for _ in range(10):
                with connect(server) as connection:
                    connection.sendall(request("It rained."))
            assert holder.recv(10_000).startswith(b"HTTP/1.1 200")
        statuses = [one["status"] for one in end(server) if "status" in one]
    assert sorted(statuses) == [200] + [499] * 10


def test_too_many_connections_get_503(small_bundle: Path) -> None:
    with served(small_bundle, ["--max-connections", "10", "--queue", "5"]) as server:
        idle = [connect(server) for _ in range(10)]
        with connect(server) as one_more:
            one_more.sendall(request("It rained."))
            assert one_more.recv(10_000).startswith(b"HTTP/1.1 503")
        for connection in idle:
            connection.close()
        for _ in range(50):
            if server.post({"text": "It rained."})[0] == 200:
                break
            time.sleep(0.1)
        assert server.post({"text": "It rained."})[0] == 200


def wait_for_requests(server: Served, count: int) -> None:
    """Wait until so many requests are in the server, whichever of its workers have them."""
    found: dict[str, float] = {}
    for _ in range(500):
        connection = server.connect()
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
        connection.close()
        (line,) = [one for one in text.splitlines() if one.startswith("disco2_requests_under_way")]
        worker, number = line.rsplit(" ", 1)
        found[worker] = float(number) - 1  # without the one that asks
        if sum(found.values()) >= count:
            return
        time.sleep(0.01)
    raise AssertionError("the requests did not arrive")


def workers_of(server: Served) -> list[psutil.Process]:
    return psutil.Process(server.process.pid).children()


@pytest.mark.skipif(sys.platform != "linux", reason="several workers need Linux")
def test_several_workers(small_bundle: Path, small: Pipeline) -> None:
    """They answer as one does, share memory, are replaced, and leave no process behind."""
    texts = [f"Bob {number} gave Tina the burger. She was hungry. He left." for number in range(40)]
    with served(small_bundle, options=["--workers", "2"]) as server:
        with ThreadPoolExecutor(20) as pool:
            answers = list(pool.map(lambda text: server.post({"text": text}), texts))
        for text, (status, content) in zip(texts, answers, strict=True):
            document = small.annotate(text)
            assert (status, content) == (200, text_result(small, document, small.relations(document)))
        before = workers_of(server)
        assert len(before) == 2
        memory = [one.memory_full_info() for one in before]
        assert sum(one.pss for one in memory) < 0.8 * sum(one.rss for one in memory)
        before[0].kill()
        for _ in range(20):  # connections of the other worker
            assert server.post({"text": "It rained. We left."})[0] == 200
        after = wait_for_workers(server, 2, without=before[0])
        log = end(server, errors=1)
        assert {one["process"] for one in log if one.get("status") == 200} >= {one.pid for one in before}
        assert "ended with exit code -9 and is replaced" in str(log)
        assert not any(one.is_running() for one in after)


@pytest.mark.skipif(sys.platform != "linux", reason="several workers need Linux")
def test_workers_end_with_their_parent(small_bundle: Path) -> None:
    with served(small_bundle, options=["--workers", "2"]) as server:
        workers = workers_of(server)
        server.process.kill()
        assert psutil.wait_procs(workers, timeout=20)[1] == []


def wait_for_workers(server: Served, count: int, *, without: psutil.Process) -> list[psutil.Process]:
    for _ in range(300):
        found = [one for one in workers_of(server) if one != without]
        if len(found) == count:
            return found
        time.sleep(0.1)
    raise AssertionError("the worker was not replaced")
