"""SIGTERM while everybody asks: what was sent in full before the signal is answered, the exit code is 0."""

from __future__ import annotations

import http.client
import json
import signal
import threading
import time
from dataclasses import dataclass, field
from typing import Any

from benchmarks.made_up_requests import Asked
from benchmarks.served import JSON, Server, errors_in

LOADERS = 32  # clients at the time of the signal


@dataclass
class Loader:
    """A client that asks until the server takes no more; of each request, when it was sent in full."""

    answered: list[float] = field(default_factory=list)
    unanswered: list[float] = field(default_factory=list)
    refused: int = 0
    faults: list[str] = field(default_factory=list)

    def ask(self, server: Server, requests: list[Asked], *, keeps: bool) -> None:
        connection = server.connect()
        for asked in requests * 1_000:
            sent = float("inf")
            try:
                connection.request("POST", asked.path, asked.body, JSON)
                sent = time.monotonic()
                answer = connection.getresponse()
                content = json.loads(answer.read())
            except (OSError, http.client.HTTPException):
                self.unanswered.append(sent)
                break
            self.answered.append(sent)
            self.refused += answer.status == 503
            if answer.status not in (200, 503) or (answer.status == 200 and content != asked.answer):
                self.faults.append(f"status {answer.status}: {json.dumps(content)[:200]}")
            if not keeps:
                connection.close()
        connection.close()


def ended_under_load(requests: list[Asked], number: int) -> dict[str, Any]:
    """A server of its own, ended at another moment each time."""
    server = Server()
    loaders = [Loader() for _ in range(LOADERS)]
    threads = [
        threading.Thread(
            target=loader.ask, args=(server, requests[place::LOADERS]), kwargs={"keeps": place % 2 == 0}
        )
        for place, loader in enumerate(loaders)
    ]
    for thread in threads:
        thread.start()
    time.sleep(3 + 0.37 * number)
    before = sum(len(loader.answered) for loader in loaders)
    signalled = time.monotonic()
    server.process.send_signal(signal.SIGTERM)
    code, said = server.ended()
    took = time.monotonic() - signalled
    for thread in threads:
        thread.join()
    lost = sum(sent < signalled for loader in loaders for sent in loader.unanswered)
    faults = [fault for loader in loaders for fault in loader.faults]
    if lost:
        faults.append(f"{lost} requests sent before the signal were not answered")
    if code or errors_in(said):
        faults.append(f"exit code {code}: {errors_in(said)}")
    return {
        "ending": number + 1,
        "answered_before": before,
        "answered_after_the_signal": sum(len(loader.answered) for loader in loaders) - before,
        "lost": lost,
        "refused": sum(loader.refused for loader in loaders),
        "exit_code": code,
        "seconds": round(took, 1),
        "faults": faults,
    }
