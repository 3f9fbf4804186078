"""disco2 serve: relations over HTTP, and a page to look at them."""

from __future__ import annotations

import gc
import sys
from typing import Annotated

import typer

from disco2.errors import SettingsError
from disco2.interfaces.cli.listing import messages
from disco2.interfaces.cli.options import PipelineOptions
from disco2.interfaces.server.settings import LOOPBACK_HOSTS, Limits, ServerSettings, check_extra
from disco2.threads import limit_this_process


def serve(
    host: Annotated[str, typer.Option(help="Address to listen at; 0.0.0.0 is every one of this machine.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option(help="Port to listen at; 0 is any free one.", min=0, max=65535)] = 8000,
    api_key: Annotated[
        str | None,
        typer.Option(
            help="Key that clients must send, as 'Authorization: Bearer KEY'. Others see it in the list of "
            "processes: the environment is safer.",
            envvar="DISCO2_API_KEY",
            show_default=False,
        ),
    ] = None,
    cors_origin: Annotated[
        list[str] | None,
        typer.Option(help="Web pages of this origin may ask, such as https://example.org. May be repeated."),
    ] = None,
    allowed_host: Annotated[
        list[str] | None,
        typer.Option(
            help="Name by which clients may call this server, such as example.org, or * for any. May be "
            "repeated. Default: localhost and --host; any name if --host is 0.0.0.0."
        ),
    ] = None,
    workers: Annotated[
        int,
        typer.Option(
            help="Processes that answer, each with about one core; they share the model's memory. More than "
            "one needs Linux.",
            min=1,
            max=256,
        ),
    ] = 1,
    access_log: Annotated[bool, typer.Option(help="Log every request on standard error.")] = True,
    *,
    limits: Limits,
    pipeline: PipelineOptions,
) -> None:
    """Serve relations over HTTP, with a web page. Ctrl+C or SIGTERM stops it gracefully."""
    check_extra()
    if api_key == "":
        raise SettingsError("The API key is empty.", hint="Give one, or leave out --api-key.")
    # Late: these need what the extra brings.
    from disco2.interfaces.server import running
    from disco2.interfaces.server.app import make_app
    from disco2.interfaces.server.middleware import write_log

    default_hosts = ["*"] if host in running.ALL_INTERFACES else []
    settings = ServerSettings(
        limits=limits,
        api_key=api_key or "",
        cors_origins=tuple(cors_origin or ()),
        allowed_hosts=(*LOOPBACK_HOSTS, host, *(allowed_host or default_hosts)),
    )
    if workers > 1:
        if sys.platform != "linux":
            hint = "Start several servers at different ports behind a proxy."
            raise SettingsError("Several workers need Linux.", where=f"--workers {workers}", hint=hint)
        limit_this_process(everything=True)
    # Before models are read, so that a port in use is reported at once.
    with running.bind(host, port) as bound, pipeline.loaded() as nlp:
        app = make_app(nlp, settings)
        gc.collect()
        gc.freeze()  # the models stay to the end: no need to search them for cycles
        write_log(access=access_log)
        if bound.getsockname()[0] in running.ALL_INTERFACES and not api_key:
            messages.print(
                "warning: everybody in the network can ask this server; --api-key would keep others out"
            )
        if "*" in settings.cors_origins and not api_key:
            messages.print("warning: --cors-origin '*' lets every web page that you open use this server")

        started = f"disco2 serves {nlp.info.name} at {running.url_of(bound)}"
        if workers == 1:
            running.run(app, bound, limits=limits, on_start=lambda: messages.print(started))
        else:
            running.check_threads()
            running.run_workers(
                app, bound, limits=limits, workers=workers, on_start=lambda: messages.print(started)
            )
