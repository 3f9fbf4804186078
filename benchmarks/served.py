"""disco2 serve in a process of its own, looked at from outside."""

from __future__ import annotations

import atexit
import http.client
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

JSON = {"Content-Type": "application/json"}


@dataclass(frozen=True)
class State:
    """What the process holds at a moment."""

    megabytes: float
    files: int
    threads: int


class Server:
    """The server's process; what it says after its first line is kept."""

    def __init__(self, options: Sequence[str] = ()) -> None:
        command = [sys.executable, "-c", "from disco2.interfaces.cli import main; main()"]
        self.process = subprocess.Popen(
            [*command, "serve", "--port", "0", "--no-access-log", *options], stderr=subprocess.PIPE, text=True
        )
        atexit.register(self.process.kill)  # whatever happens here
        assert self.process.stderr is not None
        said = self.process.stderr.readline()
        found = re.search(r":(\d+)/", said)
        if found is None:
            raise SystemExit(f"The server did not start: {said}{self.process.stderr.read()}")
        self.port = int(found[1])
        self._said: list[str] = []
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        assert self.process.stderr is not None
        with self.process.stderr as written:
            self._said.extend(written)

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def state(self) -> State:
        """As the system tells it, so that a server that does not answer is measured too."""
        process = Path("/proc") / str(self.process.pid)
        lines = (process / "status").read_text(encoding="utf-8").splitlines()
        told = dict(line.split(":", 1) for line in lines)
        files = len(list((process / "fd").iterdir()))
        return State(int(told["VmRSS"].split()[0]) / 1024, files, int(told["Threads"]))

    def figures(self) -> dict[str, float]:
        """The server's own metrics."""
        connection = self.connect()
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
        connection.close()
        lines = [line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#")]
        return {name: float(value) for name, value in lines}

    def stop(self) -> tuple[int, str]:
        """Its exit code, and all that it had to say."""
        self.process.send_signal(signal.SIGTERM)
        return self.ended()

    def ended(self) -> tuple[int, str]:
        code = self.process.wait(90)
        self._listener.join(10)
        return code, "".join(self._said)


def errors_in(said: str) -> list[str]:
    """Of a log; that a request was no HTTP is none."""
    return [line for line in said.splitlines() if '"level": "warning"' not in line]
