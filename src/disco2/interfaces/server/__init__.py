"""The HTTP server: relations over HTTP, and a web page that shows them.

A request passes ``middleware`` (log, metrics, host, API key, body limit), a route of ``app``, whose body is
validated by ``schemas``, and ``worker``, where a thread answers waiting requests together. ``running`` starts
the processes.

FastAPI, uvicorn and prometheus_client come with the extra ``serve``; only ``settings`` can be imported
without them.
"""
