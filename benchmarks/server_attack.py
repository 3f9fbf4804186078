"""disco2 serve under attack: does it stay up, answer honest clients, and hold afterwards no more than before?

    python -m benchmarks.server_attack [--seconds 35] [--only NAME ...] [--endings 3] [--json FILE]

The server runs in a process of its own with the shipped model and its usual limits. One after the other, then
all at once, the attacks of ``benchmarks.attacks`` run while honest clients ask; each of their answers is
compared with what the pipeline says in this process. Who is told to come again later (503) does so. After
each attack the server must be back where it was when warm: no connection left, no thread more, no request
waiting, memory within ``TOLERANCE``. Then ``benchmarks.server``: SIGTERM under load. On Linux
alone, for it reads /proc.
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import json
import resource
import sys
import threading
import time
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import disco2
from benchmarks.attacks import ATTACKS, Target, all_at_once, long_texts
from benchmarks.server import (
    JSON,
    RELATIONS,
    Asked,
    Server,
    State,
    ended_under_load,
    errors_in,
    made_up_requests,
)
from benchmarks.speed.measure import describe_machine
from disco2.files import write_text
from disco2.threads import limit_this_process

HONEST = 4  # clients; every other one keeps its connection
PAUSE = 0.05  # seconds between the requests of one
PATIENCE = 90.0  # seconds in which the server must be back where it was
TOLERANCE = 0.1  # of the memory when warm
JUST_LONG = Asked("text", RELATIONS, json.dumps({"text": "It rained in the old town. " * 400}).encode())


@dataclass
class Honest:
    """What an honest client saw."""

    seconds: list[float] = field(default_factory=list)
    told_to_wait: int = 0
    faults: list[str] = field(default_factory=list)

    def ask(self, server: Server, requests: list[Asked], stop: threading.Event, *, keeps: bool) -> None:
        connection = server.connect()
        number = 0
        while not stop.wait(PAUSE):
            asked = requests[number % len(requests)]
            number += 1
            started = time.monotonic()
            try:
                while (found := _answer(connection, asked))[0] == 503:
                    self.told_to_wait += 1
                    time.sleep(1)
            except (OSError, http.client.HTTPException) as error:
                self.faults.append(f"{type(error).__name__}: {error}")
                connection.close()
                continue
            self.seconds.append(time.monotonic() - started)
            if found[0] != 200 or found[1] != asked.answer:
                self.faults.append(f"{asked.kind}: status {found[0]}, {json.dumps(found[1])[:200]}")
            if not keeps:
                connection.close()
        connection.close()


def _answer(connection: http.client.HTTPConnection, asked: Asked) -> tuple[int, Any]:
    connection.request("POST", asked.path, asked.body, JSON)
    answer = connection.getresponse()
    return answer.status, json.loads(answer.read())


class Watch:
    """The most that the server held while it was watched, and the longest that it took to say it is well."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._stop = threading.Event()
        self.most = server.state()
        self.health_longest = 0.0
        self.faults: list[str] = []
        self._threads = [threading.Thread(target=look) for look in (self._look, self._ask)]

    def __enter__(self) -> Watch:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _look(self) -> None:
        while not self._stop.wait(0.1):
            now = self._server.state()
            self.most = State(
                max(self.most.megabytes, now.megabytes),
                max(self.most.files, now.files),
                max(self.most.threads, now.threads),
            )

    def _ask(self) -> None:
        while not self._stop.wait(0.2):
            connection = self._server.connect()
            started = time.monotonic()
            try:
                connection.request("GET", "/healthz")
                status = connection.getresponse().status
            except (OSError, http.client.HTTPException) as error:
                self.faults.append(f"/healthz: {type(error).__name__}: {error}")
            else:
                self.health_longest = max(self.health_longest, time.monotonic() - started)
                if status != 200:
                    self.faults.append(f"/healthz: status {status}")
            connection.close()


def attacked(server: Server, name: str, target: Target, requests: list[Asked], warm: State) -> dict[str, Any]:
    """One attack with honest clients beside it, and what is left of it."""
    stop = threading.Event()
    clients = [Honest() for _ in range(HONEST)]
    threads = [
        threading.Thread(
            target=client.ask,
            args=(server, requests[number::HONEST], stop),
            kwargs={"keeps": number % 2 == 0},
        )
        for number, client in enumerate(clients)
    ]
    started = time.monotonic()
    with Watch(server) as watch:
        for thread in threads:
            thread.start()
        time.sleep(1)
        seen = asyncio.run(all_at_once(target) if name == "all at once" else ATTACKS[name](target))
        time.sleep(1)
        stop.set()
        for thread in threads:
            thread.join()
    took = time.monotonic() - started
    after, waiting, left = _settled(server, warm)
    times = sorted(one for client in clients for one in client.seconds)
    faults = [f"honest client: {one}" for client in clients for one in client.faults]
    faults += [*watch.faults, *(f"afterwards: {one}" for one in left)]
    if name == "half closing clients" and set(seen) != {"200"}:
        faults.append(f"half-closing clients saw {dict(seen)}")
    if seen["out of order"]:
        faults.append("pipelined requests were not answered in order")
    return {
        "attack": name,
        "seconds": round(took, 1),
        "seen": dict(sorted(seen.items())),
        "honest_requests": len(times),
        "honest_told_to_wait": sum(client.told_to_wait for client in clients),
        "honest_p50": round(times[len(times) // 2], 3) if times else None,
        "honest_longest": round(times[-1], 3) if times else None,
        "health_longest": round(watch.health_longest, 3),
        "most": asdict(watch.most),
        "after": asdict(after),
        "waiting_after": waiting,
        "faults": faults,
    }


def _settled(server: Server, warm: State) -> tuple[State, int, list[str]]:
    """The state once it is back where it was, or what is not after a while."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            waiting = int(server.figures()["disco2_queue_requests"])
        except (OSError, http.client.HTTPException) as error:
            return server.state(), -1, [f"no figures: {error}"]
        time.sleep(0.1)  # the connection that asked is closed
        now = server.state()
        left = [
            f"{what}: {count}, {before} before"
            for what, count, before in (
                ("files", now.files, warm.files),
                ("threads", now.threads, warm.threads),
                ("waiting", waiting, 0),
            )
            if count > before
        ]
        if now.megabytes > warm.megabytes * (1 + TOLERANCE):
            left.append(f"{now.megabytes:.0f} MB, {warm.megabytes:.0f} MB before")
        if not left or time.monotonic() > until or server.process.poll() is not None:
            return now, waiting, left
        time.sleep(1)


def warmed(requests: list[Asked], target: Target) -> tuple[Server, State]:
    """A server that has seen requests of all kinds, and as long ones as it takes."""
    server = Server()
    connection = server.connect()
    for asked in requests:
        _answer(connection, asked)
    connection.close()
    asyncio.run(long_texts(Target(server.port, seconds=15, long_clients=2, long_text=target.long_text)))
    while _answer(connection, JUST_LONG)[0] != 200:  # the worker may still be in a text nobody waits for
        pass
    connection.close()
    time.sleep(1)
    return server, server.state()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=Target.seconds, help="for which slow clients go on")
    parser.add_argument("--connections", type=int, default=Target.connections)
    parser.add_argument("--only", nargs="*", choices=[*ATTACKS, "all at once"], help="attacks")
    parser.add_argument("--endings", type=int, default=3, help="times that it is ended under load")
    parser.add_argument("--json", type=Path, help="file for the figures")
    options = parser.parse_args()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * options.connections + 500
    if hard != resource.RLIM_INFINITY and hard < wanted:
        raise SystemExit(f"{wanted} files are needed at a time; raise the limit (ulimit -n).")
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    limit_this_process()
    print("making requests and their answers", file=sys.stderr)
    requests = [one for one in made_up_requests(disco2.load(), 400) if one.status == 200]
    target = Target(0, seconds=options.seconds, connections=options.connections)
    server, warm = warmed(requests, target)
    target = Target(server.port, seconds=options.seconds, connections=options.connections)
    print(f"warm: {warm.megabytes:.0f} MB, {warm.files} files, {warm.threads} threads", file=sys.stderr)
    found = []
    names = [*ATTACKS, "all at once"] if options.only is None else options.only
    for name in names:
        found.append(attacked(server, name, target, requests, warm))
        print(_line(found[-1]))
        if server.process.poll() is not None:
            break
    code, said = server.stop()
    faults = [] if not code and not errors_in(said) else [f"it ended with {code}: {errors_in(said)[:5]}"]
    endings = [ended_under_load(requests, number) for number in range(options.endings)]
    for ending in endings:
        print(json.dumps(ending))
    report = {
        "warm": asdict(warm),
        "tolerance": TOLERANCE,
        "attacks": found,
        "endings": endings,
        "faults": faults,
        "machine": describe_machine(),
    }
    if options.json is not None:
        write_text(options.json, json.dumps(report, indent=2) + "\n")
    faults += [fault for one in (*found, *endings) for fault in one["faults"]]
    for fault in faults[:20]:
        print(f"FAULT: {fault}")
    print(f"{len(faults)} faults")
    if faults:
        raise SystemExit(1)


def _line(found: dict[str, Any]) -> str:
    most, after = found["most"], found["after"]
    seen = Counter({name: count for name, count in found["seen"].items() if len(name) < 20})
    told = ", ".join(f"{name}: {count}" for name, count in seen.items()) or "; ".join(found["seen"])
    return (
        f"{found['attack']:22} | {found['seconds']:6.1f} s | {told} | honest {found['honest_requests']}, "
        f"p50 {found['honest_p50']} s, longest {found['honest_longest']} s, "
        f"503: {found['honest_told_to_wait']} | /healthz at most {found['health_longest']} s | "
        f"most {most['megabytes']:.0f} MB, {most['files']} files, {most['threads']} threads | "
        f"after {after['megabytes']:.0f} MB, {after['files']} files, {after['threads']} threads, "
        f"{found['waiting_after']} waiting | {len(found['faults'])} faults"
    )


if __name__ == "__main__":
    main()
