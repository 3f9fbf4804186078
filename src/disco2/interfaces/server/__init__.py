"""The HTTP server: relations over HTTP, and a web page that shows them.

A request passes ``running`` (uvicorn), ``middleware`` (log, metrics, host, API key, body limit), a route of
``app``, whose body is validated by ``schemas``, and ``worker``, where a thread answers waiting requests
together. ``errors`` has the one form of all errors.

FastAPI, uvicorn and prometheus_client come with the extra ``serve``; only ``settings``
can be imported without them.
"""
