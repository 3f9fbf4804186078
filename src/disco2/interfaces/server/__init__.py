"""The HTTP server: relations over HTTP, and a page to look at them.

The way of a request, file by file:

1. ``running`` listens, ``connection`` reads HTTP and ends those that keep it waiting, ``app`` puts everything
   together.
2. Layers that every request passes: ``observing`` (id, log, metrics; with ``request_record``, ``log_lines``,
   ``metrics``), ``api_key``, ``body_limit``.
3. ``routes`` has a function for each address. For one that asks the model, ``reading`` gets the JSON,
   ``admission`` checks it by ``bodies`` and makes one of the ``jobs``, and ``waiting`` waits for its answer.
4. Meanwhile, in two threads, one for long jobs: ``batching`` takes jobs that wait together; ``batch_work``
   does them with what lies on the ``workbench``: the pipeline, documents annotated
   ``together``, and ``recent`` ones.
5. What can't be answered is a ``refusal``, wherever it is found.

Beside it: ``page_files``; the description of the API (``openapi``, ``view_schema``, ``examples``);
``addresses`` and ``settings``.

FastAPI, uvicorn and prometheus_client come with the extra ``serve``; ``settings`` and ``extra`` need none of
them, so that the command line can be read without.
"""
