"""A process in which no socket reaches another machine and no program can be started: a script for tests.

python -m tests.without_network COMMAND... runs disco2 so; without a command it loads, predicts and explains.
"""

from __future__ import annotations

import sys
from typing import Any

REFUSED = "refused by the test:"
REFUSED_EVENTS = {
    *("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo"),
    *("socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg", "urllib.Request"),
    *("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "webbrowser.open"),
}
# So urllib3 asks whether there is IPv6 when it is imported, which spaCy does; nobody listens there.
PROBED = {("::1", 0), ("127.0.0.1", 0), ("localhost", 0)}


def refuse(event: str, arguments: tuple[Any, ...]) -> None:
    """An audit hook, which also sees what compiled code does through Python's own sockets."""
    if event in REFUSED_EVENTS and not (event == "socket.bind" and arguments[1][:2] in PROBED):
        sys.stderr.write(f"{REFUSED} {event} {arguments[1:]}\n")
        raise RuntimeError(f"{REFUSED} {event}")


def load_and_predict() -> None:
    import disco2

    nlp = disco2.load()
    document = nlp.annotate("Bob was hungry. He ate an apple. Then he slept.")
    found = nlp.relations(document)
    assert len(found) == 2
    assert all(0 < relation.probability < 1 for relation in found)
    assert len(list(nlp.explain_many(found))) == 2
    assert "<html" in str(disco2.render(found, pipeline=nlp, jupyter=False))


if __name__ == "__main__":
    sys.addaudithook(refuse)
    if sys.argv[1:]:
        from disco2.interfaces.cli import main

        main()
    else:
        load_and_predict()
