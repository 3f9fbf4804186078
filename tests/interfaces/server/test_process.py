"""A real server in a process of its own: signals, bodies in pieces, many clients, what it writes."""

from __future__ import annotations

import http.client
import json
import signal
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from disco2.inference.pipeline import Pipeline
from disco2.inference.results import text_result
from tests.interfaces.server.served_process import JSON, Served, served

MARK = "zqxsecret"


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
        with socket.create_connection(("127.0.0.1", server.port)) as raw:
            raw.sendall(f"GET /{MARK} {MARK}\r\n\r\n".encode())
            head, _, body = raw.makefile("rb").read().partition(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 400")
            assert json.loads(body)["error"]["status"] == 400
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(30) == 0
        log = server.log()
    assert MARK not in log
    told = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
    assert sum(one.get("status") == 200 for one in told) == 60
    assert max(one.get("batch", 0) for one in told) > 1
    assert [one["error"] for one in told if "error" in one] == ["KeyError"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_what_was_accepted_is_answered_before_the_end(small_bundle: Path, number: signal.Signals) -> None:
    with served(small_bundle, slow=2.0) as server, ThreadPoolExecutor(9) as pool:
        idle = server.connect()
        assert _healthz(idle) == b'{"status":"ok"}'
        asked = [pool.submit(server.post, {"text": f"He came slowly {n}. We left."}) for n in range(8)]
        kept = server.connect()
        kept.request("POST", "/v1/relations", '{"text": "She came slowly."}', JSON)
        _until_under_way(server, 9)
        server.process.send_signal(number)
        assert kept.getresponse().getheader("connection") == "close"  # so that nobody asks there again
        answers = [one.result(30) for one in asked]
        assert [status for status, _ in answers] == [200] * 8
        assert all(len(content["relations"]) == 1 for _, content in answers)
        with pytest.raises((http.client.HTTPException, OSError)):  # closed, or no longer reached
            _healthz(idle)
        assert server.process.wait(30) == 0


def test_a_second_interrupt_ends_it_at_once(small_bundle: Path) -> None:
    with served(small_bundle, slow=60) as server, ThreadPoolExecutor(3) as pool:
        asked = [pool.submit(server.post, {"text": f"He came slowly {n}. We left."}) for n in range(3)]
        _until_under_way(server, 3)
        for _ in range(2):
            server.process.send_signal(signal.SIGINT)
            time.sleep(0.5)
        assert [one.result(30)[0] for one in asked] == [503] * 3
        assert server.process.wait(30) == 130
        assert '"level": "error"' not in server.log()


def test_a_client_that_does_not_finish_does_not_hold_the_end_up(small_bundle: Path) -> None:
    with served(small_bundle, options=["--time-limit", "0.5"]) as server:
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as raw:
            raw.sendall(b"POST /v1/relations HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n")
            raw.sendall(b"Content-Length: 100\r\n\r\n{")
            assert raw.recv(10_000).startswith(b"HTTP/1.1 408")
        stuck = socket.create_connection(("127.0.0.1", server.port), timeout=30)
        stuck.sendall(b"POST /v1/relations HTTP/1.1\r\n")
        time.sleep(0.2)
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(30) == 0
        stuck.close()


def test_nobody_keeps_a_connection_for_nothing(small_bundle: Path) -> None:
    """Who sends nothing, headers without end, the rest of a refused body without end; who reads nothing."""
    openings = {
        "nothing": b"",
        "headers": b"GET /healthz HTTP/1.1\r\nX: ",
        "behind an answer": b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /healthz HTTP/1.1\r\nX: ",
        "refused body": b"POST /v1/relations HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n",
    }
    with served(small_bundle, keep_alive=1) as server:
        deaf = socket.socket()
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        deaf.connect(("127.0.0.1", server.port))
        deaf.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n" * 300)
        others = {name: socket.create_connection(("127.0.0.1", server.port), timeout=1) for name in openings}
        for name, opening in openings.items():
            others[name].sendall(opening)
        for name, connection in others.items():
            assert _ends(connection, drip=b"" if name == "nothing" else b"a"), name
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(20) == 0  # before it would give up waiting for the deaf one
        deaf.close()
        assert '"level": "error"' not in server.log()


def test_what_is_no_http_behind_an_answer_ends_the_connection(small_bundle: Path) -> None:
    with served(small_bundle) as server:
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as raw:
            raw.sendall(b"POST /nowhere HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
            assert raw.recv(10_000).startswith(b"HTTP/1.1 404")
            raw.sendall(b"no chunk\r\n")
            assert b"HTTP/1.1" not in raw.makefile("rb").read()
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(30) == 0
        assert '"level": "error"' not in server.log()


def test_bodies_in_pieces(small_bundle: Path) -> None:
    with served(small_bundle, options=["--max-body", "1000"]) as server:

        def send(pieces: list[bytes]) -> int:
            connection = server.connect()
            connection.request("POST", "/v1/relations", iter(pieces), JSON, encode_chunked=True)
            status = connection.getresponse().status
            connection.close()
            return status

        assert send([b'{"text": ', b'"It rained. ', b'We left."}']) == 200
        assert send([b'{"text": "', *[b"a" * 500] * 5, b'"}']) == 413
        # Who never ends is cut off.
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as raw:
            head = b"POST /v1/relations HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            raw.sendall(head + b"Transfer-Encoding: chunked\r\n\r\n")
            with pytest.raises(OSError):  # noqa: PT011  whichever way it is closed
                _send_on_and_on(raw)
        assert server.post({"text": "It rained."})[0] == 200


def test_a_declared_length_beyond_the_limit_is_refused_before_it_is_sent(small_bundle: Path) -> None:
    with served(small_bundle) as server:
        for length in (200_000, 10**15, 10**30):
            with socket.create_connection(("127.0.0.1", server.port), timeout=30) as raw:
                head = b"POST /v1/relations HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                raw.sendall(head + b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n" % length)
                first = raw.recv(10_000)
                assert first.startswith((b"HTTP/1.1 413", b"HTTP/1.1 400"))
        assert server.post({"text": "It rained."})[0] == 200


def _ends(connection: socket.socket, *, drip: bytes) -> bool:
    """Whether the server ends it within a while, though the client goes on dripping."""
    with connection:
        for _ in range(15):
            try:
                if not connection.recv(10_000):
                    return True
                connection.sendall(drip)
            except TimeoutError:
                connection.sendall(drip)
            except OSError:
                return True
    return False


def _healthz(connection: http.client.HTTPConnection) -> bytes:
    connection.request("GET", "/healthz")
    return connection.getresponse().read()


def _send_on_and_on(raw: socket.socket) -> None:
    for _ in range(10_000):
        raw.sendall(b"1f4\r\n" + b"a" * 500 + b"\r\n")
        time.sleep(0.0005)


def _until_under_way(server: Served, requests: int) -> None:
    """Wait until so many requests are in the server."""
    for _ in range(500):
        connection = server.connect()
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
        connection.close()
        (line,) = [one for one in text.splitlines() if one.startswith("disco2_requests_under_way ")]
        if float(line.split()[1]) >= requests + 1:  # and the one that asks
            return
        threading.Event().wait(0.01)
    raise AssertionError("the requests did not arrive")
