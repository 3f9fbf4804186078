"""Run disco2 bulk on a Dask cluster of several hosts with TLS: network namespaces on this machine.

    sudo python -m benchmarks.dask_hosts [--documents 300]

A scheduler, two workers and the command each have a namespace with its own address; a bridge in a fifth one
connects them. Nothing of the machine's own network is changed, and all namespaces are removed at the end.
Every connection needs a certificate that was made for this run. The output must be byte for byte that of a
local run, and a client with another certificate must be refused. Needs Linux, root, ip and openssl.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from benchmarks.bulk import PROGRAM, bulk_arguments, differences, totals
from benchmarks.made_up_documents import write_documents

PORT = 8786
HOSTS = {
    "scheduler": "10.231.77.1",
    "worker1": "10.231.77.2",
    "worker2": "10.231.77.3",
    "client": "10.231.77.4",
}
SCHEDULER = f"tls://{HOSTS['scheduler']}:{PORT}"
START_SECONDS, RUN_SECONDS, STOP_SECONDS = 60, 600, 20
OPENSSL = "openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=disco2"
SHARDS = ("--shard-documents", "10")  # so that both workers have some


def ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, timeout=20)


@contextmanager
def namespaces() -> Iterator[dict[str, str]]:
    """The name of each host's namespace; a bridge in another one connects them."""
    names = {host: f"disco2-{os.getpid()}-{host}" for host in (*HOSTS, "bridge")}
    try:
        for name in names.values():
            ip("netns", "add", name)
            ip("-n", name, "link", "set", "lo", "up")
        bridge = names["bridge"]
        ip("-n", bridge, "link", "add", "bridge", "type", "bridge")
        ip("-n", bridge, "link", "set", "bridge", "up")
        for host, address in HOSTS.items():
            ends = ("type", "veth", "peer", "name", "eth0", "netns", names[host])
            ip("-n", bridge, "link", "add", host, *ends)
            ip("-n", bridge, "link", "set", host, "master", "bridge", "up")
            ip("-n", names[host], "address", "add", f"{address}/24", "dev", "eth0")
            ip("-n", names[host], "link", "set", "eth0", "up")
        yield names
    finally:
        for name in names.values():
            subprocess.run(
                ["ip", "netns", "delete", name], check=False, stderr=subprocess.DEVNULL, timeout=20
            )


def make_certificate(folder: Path) -> dict[str, str]:
    """A certificate that all hosts share and that is its own CA, as settings of Dask in the environment."""
    folder.mkdir()
    key, certificate = folder / "key.pem", folder / "cert.pem"
    command = [*OPENSSL.split(), "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    comm = "DASK_DISTRIBUTED__COMM__"
    found = {f"{comm}REQUIRE_ENCRYPTION": "true", f"{comm}TLS__CA_FILE": str(certificate)}
    for role in ("SCHEDULER", "WORKER", "CLIENT"):
        found[f"{comm}TLS__{role}__CERT"] = str(certificate)
        found[f"{comm}TLS__{role}__KEY"] = str(key)
    return found


@contextmanager
def cluster(names: dict[str, str], settings: dict[str, str], place: Path) -> Iterator[None]:
    """A scheduler and two workers, each in its namespace; SystemExit with their log if they don't start."""
    log = place / "cluster.log"
    commands = {"scheduler": ["scheduler", "--port", str(PORT)]}
    for host in ("worker1", "worker2"):
        commands[host] = ["worker", SCHEDULER, "--nthreads", "1", "--local-directory", str(place / host)]
    with ExitStack() as stack, log.open("w", encoding="utf-8") as stream:
        for host, command in commands.items():
            command += ["--host", HOSTS[host], "--protocol", "tls", "--no-dashboard"]
            process = subprocess.Popen(
                [*inside(names[host]), sys.executable, "-m", "dask", *command],
                env=os.environ | settings,
                stdout=stream,
                stderr=stream,
            )
            stack.callback(end, process)
        deadline = time.monotonic() + START_SECONDS
        while log.read_text(encoding="utf-8").count("Registered to") < 2:
            if time.monotonic() > deadline:
                raise SystemExit(f"The cluster did not start:\n{log.read_text(encoding='utf-8')}")
            time.sleep(0.2)
        yield


def end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()


def inside(name: str) -> list[str]:
    return ["ip", "netns", "exec", name]


def received(name: str) -> int:
    """Bytes that a host has received over its network."""
    command = [*inside(name), "cat", "/sys/class/net/eth0/statistics/rx_bytes"]
    return int(subprocess.run(command, check=True, capture_output=True, timeout=20).stdout)


def bulk(command: Sequence[str], settings: dict[str, str]) -> subprocess.CompletedProcess[str]:
    environment = os.environ | settings
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=RUN_SECONDS, check=False
    )


def measure(place: Path, documents: int) -> list[str]:
    """The lines of the report; the last one is the verdict."""
    corpus, local, remote = place / "documents", place / "local", place / "dask"
    sum(write_documents(corpus, documents, parts=1))
    settings = make_certificate(place / "certificate")
    foreign = make_certificate(place / "foreign")
    run = bulk([*PROGRAM, *bulk_arguments(corpus, local, "local", 1, *SHARDS)], {})
    if run.returncode:
        raise SystemExit(run.stderr)
    with namespaces() as names, cluster(names, settings, place):
        arguments = bulk_arguments(corpus, remote, "dask", 1, *SHARDS, "--scheduler", SCHEDULER)
        command = [*inside(names["client"]), *PROGRAM, *arguments]
        refused = bulk(command, foreign)
        before = {host: received(name) for host, name in names.items() if host in HOSTS}
        began = time.monotonic()
        run = bulk(command, settings)
        seconds = time.monotonic() - began
        got = {host: received(names[host]) - count for host, count in before.items()}
    if run.returncode:
        raise SystemExit(f"{run.stderr}\n{(place / 'cluster.log').read_text(encoding='utf-8')}")
    found = differences(local, remote)
    return [
        f"{documents} documents on a Dask cluster at {SCHEDULER} with two workers: {seconds:.1f} s",
        *(f"{host} at {HOSTS[host]} received {count:,} bytes" for host, count in got.items()),
        f"with another certificate: exit code {refused.returncode}, {refused.stderr.strip()}",
        f"{totals(remote)}",
        f"FAULTS: {found[:5]}" if found or refused.returncode != 2 else "byte for byte the local output",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--documents", type=int, default=300)
    options = parser.parse_args()
    missing = [name for name in ("ip", "openssl") if shutil.which(name) is None]
    if sys.platform != "linux" or os.geteuid() != 0 or missing:
        raise SystemExit("This needs Linux, root (for network namespaces), ip (iproute2) and openssl.")
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(143))  # so that namespaces are removed
    with tempfile.TemporaryDirectory(prefix="dask-hosts-") as place:
        lines = measure(Path(place), options.documents)
    print("\n".join(lines))
    if "FAULTS" in lines[-1]:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
