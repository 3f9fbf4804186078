"""Attacks on the server, and the raw clients that carry them out."""

from __future__ import annotations

import asyncio
import gzip
import json
import random
import re
import socket
import struct
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from dataclasses import dataclass
from typing import Any

JSON_HEAD = b"POST /v1/relations HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
DRIP = 0.2  # seconds between the bytes of a slow client
STATUS = re.compile(rb"HTTP/1\.1 ([2-5]\d\d)")

Seen = Counter[str]
Talk = Callable[[], Awaitable[str]]


@dataclass(frozen=True)
class Target:
    """A server at a port of this machine, and how hard it is attacked."""

    port: int
    seconds: float = 35.0  # slow clients give up then
    connections: int = 1_000
    slow: int = 100
    cancelled: int = 500
    long_text: int = 125_000  # characters
    long_clients: int = 4


def post(body: bytes) -> bytes:
    return JSON_HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body


async def many(target: Target, talks: Iterable[Talk], *, seconds: float = 0.0) -> Seen:
    async def bounded(talk: Talk) -> str:
        try:
            async with asyncio.timeout(seconds or target.seconds + 5):
                return await talk()
        except TimeoutError:
            return "nothing"
        except (OSError, asyncio.IncompleteReadError):
            return "closed"

    return Counter(await asyncio.gather(*[bounded(talk) for talk in talks]))


async def connect(target: Target) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_connection("127.0.0.1", target.port)


async def close(writer: asyncio.StreamWriter, seen: str) -> str:
    writer.close()
    return seen


def status_of(answer: bytes) -> str:
    found = STATUS.search(answer)
    return found[1].decode() if found else "closed"


def one(target: Target, data: bytes) -> Talk:
    """Send it, and see what comes until the server ends the connection, or for a while."""

    async def talk() -> str:
        reader, writer = await connect(target)
        writer.write(data)
        try:
            return status_of(await reader.read(4_096))
        finally:
            writer.close()

    return talk


def drip(target: Target, opening: bytes, piece: bytes) -> Talk:
    async def talk() -> str:
        reader, writer = await connect(target)
        writer.write(opening)
        answer = asyncio.ensure_future(reader.read(4_096))
        try:
            while not answer.done():
                writer.write(piece)
                await asyncio.wait([answer], timeout=DRIP)
            return status_of(answer.result())
        finally:
            answer.cancel()
            writer.close()

    return talk


def never_read(target: Target, asked: bytes) -> Talk:
    async def talk() -> str:
        raw = socket.socket()
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        raw.setblocking(False)
        loop = asyncio.get_running_loop()
        with raw:
            await loop.sock_connect(raw, ("127.0.0.1", target.port))
            await loop.sock_sendall(raw, asked)
            while True:  # until the server has had enough
                await asyncio.sleep(DRIP)
                if raw.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
                    return "closed"

    return talk


def short_of_its_length(target: Target) -> Talk:
    """Says that more comes than does, and goes."""

    async def talk() -> str:
        _, writer = await connect(target)
        writer.write(JSON_HEAD + b'Content-Length: 5000\r\n\r\n{"text": ')
        await asyncio.sleep(DRIP)
        return await close(writer, "closed")

    return talk


def without_end(target: Target) -> Talk:
    async def talk() -> str:
        _, writer = await connect(target)
        writer.write(JSON_HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
        try:
            while True:
                writer.write(b"1000\r\n" + b"a" * 4_096 + b"\r\n")
                await writer.drain()
        except OSError:
            return "closed"
        finally:
            writer.close()

    return talk


def reset_when_closed(writer: asyncio.StreamWriter) -> None:
    raw = writer.get_extra_info("socket")
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


GET = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"


async def slow_headers(target: Target) -> Seen:
    opening = b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: "
    return await many(target, [drip(target, opening, b"a")] * target.slow)


async def slow_bodies(target: Target) -> Seen:
    opening = JSON_HEAD + b'Content-Length: 5000\r\n\r\n{"text": "'
    return await many(target, [drip(target, opening, b"a")] * target.slow)


async def unread_answers(target: Target) -> Seen:
    """Many requests and no look at the answers."""
    text = b'{"text": "It rained all day. We stayed at home.", "explain": true}'
    asked = post(text) + b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n" * 200
    return await many(target, [never_read(target, asked)] * (target.slow // 2))


async def oversized_bodies(target: Target) -> Seen:
    bomb = gzip.compress(b'{"text": "' + b"a" * 10_000_000 + b'"}')
    fixed = [
        JSON_HEAD + b"Content-Length: 200000\r\n\r\n" + b"a" * 200_000,
        JSON_HEAD + b"Content-Length: 999999999999999\r\n\r\n" + b"a" * 1_000,
        JSON_HEAD + b"Content-Length: " + b"9" * 400 + b"\r\n\r\n",
        JSON_HEAD + b"Content-Length: -1\r\n\r\n",
        JSON_HEAD + b"Content-Length: 5\r\nContent-Length: 50000\r\n\r\n{}",
        JSON_HEAD + b'Content-Length: 2\r\n\r\n{} and much more than was said {"text": "It rained."}',
        JSON_HEAD + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(bomb) + bomb,
        JSON_HEAD + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        JSON_HEAD + b"Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\na",
        JSON_HEAD + b"Transfer-Encoding: chunked\r\n\r\n5;" + b"x" * 50_000,
    ]
    cut = [short_of_its_length(target)] * 10
    endless = [without_end(target)] * 10
    return await many(target, [*(one(target, data) for data in fixed * 5), *cut, *endless])


async def invalid_bodies(target: Target) -> Seen:
    bodies = [
        b"",
        b"{",
        b"nul",
        b'{"text": "It rained.}',
        b'{"text": "\xff\xfe"}',
        b"\xff" * 1_000,
        b'{"text": "\\ud800"}',
        b'{"text": NaN}',
        b'{"text": 1' + b"0" * 100_000 + b"}",
        b'{"text": "a", "text": "b"}',
        b'{"text": ' + b"[" * 60_000 + b"]" * 60_000 + b"}",
        b'{"a":' * 20_000 + b"1" + b"}" * 20_000,
        b"[" * 130_000,
        b'{"pairs": [' + b"{}," * 40_000 + b"{}]}",
        b'{"pairs": ' + b"[" * 100_000,
        b'{"text": "..."}',
        b"\x00" * 1_000,
    ]
    return await many(target, [one(target, post(body)) for body in bodies * 10])


async def many_connections(target: Target) -> Seen:
    """So many at the same time: every other one idle, the others with garbage."""
    chance = random.Random(1)  # noqa: S311  no secret
    idle = [one(target, b"")] * (target.connections // 2)
    noisy = [one(target, chance.randbytes(200) + b"\r\n\r\n") for _ in range(target.connections // 2)]
    return await many(target, [talk for both in zip(idle, noisy, strict=True) for talk in both])


async def cancelled_requests(target: Target) -> Seen:
    """Whole requests whose clients are gone before the answer, some without a word to the system."""
    places = asyncio.Semaphore(50)

    def cancelled(number: int) -> Talk:
        async def talk() -> str:
            async with places:
                _, writer = await connect(target)
                writer.write(post(json.dumps({"text": f"Bob saw Tina {number} times. She left."}).encode()))
                await asyncio.sleep(0.002 * (number % 10))
                if number % 2:
                    reset_when_closed(writer)
                return await close(writer, "closed")

        return talk

    return await many(target, [cancelled(number) for number in range(target.cancelled)])


async def pipelined_requests(target: Target) -> Seen:
    """Fifty requests in one go; each must be answered, in order."""
    asked = post(b'{"text": "It rained. We left."}') + GET + post(b'{"text": ')
    wanted = [b"200", b"200", b"400"] * 17

    async def talk() -> str:
        reader, writer = await connect(target)
        writer.write(asked * 17 + b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        found = STATUS.findall(await reader.read(-1))
        return await close(writer, "in order" if found == [*wanted, b"200"] else "out of order")

    return await many(target, [talk] * 20)


async def header_floods(target: Target) -> Seen:
    floods = [
        b"GET /healthz HTTP/1.1\r\nHost: x\r\n"
        + b"".join(b"X-%d: a\r\n" % n for n in range(50_000))
        + b"\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 1_000_000 + b"\r\n\r\n",
        b"GET /" + b"a" * 1_000_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        b"G" * 1_000_000,
        b"\r\n" * 200_000,
    ]
    return await many(target, [one(target, flood) for flood in floods * 10])


async def odd_methods_and_paths(target: Target) -> Seen:
    methods = (b"GET", b"HEAD", b"PUT", b"DELETE", b"TRACE", b"CONNECT", b"OPTIONS", b"PATCH", b"QWERTY")
    paths = (
        b"/v1/relations",
        b"/v1/../../etc/passwd",
        b"/assets/..%2f..%2fapp.py",
        b"/assets/%00",
        b"//healthz",
        b"/%ff%fe",
        b"*",
        b"http://elsewhere.example/v1/model",
        b"/v1/model?" + b"a=b&" * 2_000,
    )
    tail = b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    asked = [method + b" " + path + tail for method in methods for path in paths]
    return await many(target, [one(target, request) for request in asked])


async def malformed_http(target: Target) -> Seen:
    chance = random.Random(2)  # noqa: S311  no secret
    openings = [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + chance.randbytes(500),  # TLS
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET /healthz HTTP/9.9\r\n\r\n",
        b"GET /healthz\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\n\r\n",  # without a host
        b"GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost : x\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: x\r\n folded: y\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: x\r\nX: \x00\x01\r\n\r\n",
        b"GET /healthz HTTP/1.1\nHost: x\n\n",
        JSON_HEAD
        + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /x HTTP/1.1\r\n\r\n",
        JSON_HEAD + b"Transfer-Encoding: chunked\r\n\r\nno chunk\r\n",
        GET + b"\x00" * 100,
        *(chance.randbytes(chance.randint(1, 3_000)) + b"\r\n\r\n" for _ in range(30)),
    ]
    return await many(target, [one(target, opening) for opening in openings * 3])


async def half_closing_clients(target: Target) -> Seen:
    """No attack: a whole request, then the end of the client's own side. It is to be answered."""

    async def talk() -> str:
        reader, writer = await connect(target)
        writer.write(post(b'{"text": "It rained all day. We stayed at home."}'))
        writer.write_eof()
        return await close(writer, status_of(await reader.read(-1)))

    return await many(target, [talk] * 20)


async def long_texts(target: Target) -> Seen:
    """Some clients that ask for as much as they may, again and again: the worker is never free."""
    chance = random.Random(3)  # noqa: S311  no secret
    until = asyncio.get_running_loop().time() + target.seconds
    words = ("rain", "burger", "money", "teacher", "boat", "house", "winter", "coffee")

    async def talk() -> str:
        seen: Seen = Counter()
        while asyncio.get_running_loop().time() < until:
            text = ""
            while len(text) < target.long_text:
                picked = " and the ".join(chance.choices(words, k=8))
                text += f"In {chance.randint(1000, 2000)} she liked the {picked}, for he saw the {picked}. "
            reader, writer = await connect(target)
            writer.write(post(json.dumps({"text": text[: target.long_text]}).encode()))
            seen[await close(writer, status_of(await reader.readuntil(b"\r\n")))] += 1
            if seen["503"] and not seen["503"] % 3:
                await asyncio.sleep(1)
        return ", ".join(f"{status} ({count})" for status, count in sorted(seen.items()))

    return await many(target, [talk] * target.long_clients, seconds=target.seconds + 60)


ATTACKS: dict[str, Callable[[Target], Coroutine[Any, Any, Seen]]] = {
    attack.__name__.replace("_", " "): attack
    for attack in (
        slow_headers,
        slow_bodies,
        unread_answers,
        oversized_bodies,
        invalid_bodies,
        many_connections,
        cancelled_requests,
        pipelined_requests,
        header_floods,
        odd_methods_and_paths,
        malformed_http,
        half_closing_clients,
        long_texts,
    )
}


async def all_at_once(target: Target) -> Seen:
    found = await asyncio.gather(*[attack(target) for attack in ATTACKS.values()])
    return sum(found, Counter())
