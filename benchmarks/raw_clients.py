"""Clients over bare sockets that do what no library would: what attacks are made of."""

from __future__ import annotations

import asyncio
import re
import socket
import struct
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

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
