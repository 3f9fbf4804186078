"""Figures for Prometheus, in a registry of their own."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Info,
    ProcessCollector,
)
from prometheus_client.exposition import choose_encoder

from disco2.inference.pipeline import Pipeline
from disco2.interfaces.server.request_record import RequestRecord
from disco2.version import VERSION

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
TOGETHER = (1, 2, 4, 8, 16, 32)


class Metrics:
    """Labels are addresses, methods and statuses that exist, so nobody can make the list grow."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)  # memory and processor time, where the system tells
        registry = self.registry
        self._requests = Counter(
            "disco2_requests", "Requests answered.", ["route", "method", "status"], registry=registry
        )
        self._seconds = Histogram(
            "disco2_request_seconds", "From request to answer.", ["route"], buckets=SECONDS, registry=registry
        )
        self._batches = Histogram(
            "disco2_batch_requests", "Requests taken together.", buckets=TOGETHER, registry=registry
        )
        self._sentences = Counter("disco2_sentences", "Sentences of texts answered.", registry=registry)
        self._pairs = Counter("disco2_pairs", "Pairs answered.", registry=registry)
        self._relations = Counter("disco2_relations", "Relations in answers.", registry=registry)
        self._waiting = Gauge(
            "disco2_queue_requests", "Requests that wait for their turn.", registry=registry
        )
        self.under_way = Gauge("disco2_requests_under_way", "Requests not yet answered.", registry=registry)
        self._info = Info("disco2_model", "The model that answers.", registry=registry)

    def tell_model(self, pipeline: Pipeline) -> None:
        self._info.info(
            {
                "disco2": VERSION,
                "name": pipeline.info.name,
                "digest": pipeline.info.digest,
                "annotators": pipeline.annotators.name,
            }
        )

    def watch_queue(self, length: Callable[[], int]) -> None:
        self._waiting.set_function(length)

    def observe_batch(self, requests: int) -> None:
        self._batches.observe(requests)

    def observe(self, record: RequestRecord) -> None:
        self._requests.labels(record.route, record.method, str(record.status)).inc()
        self._seconds.labels(record.route).observe(record.seconds)
        self._sentences.inc(record.sentences)
        self._pairs.inc(record.pairs)
        self._relations.inc(record.relations)

    def exposition(self, accept: str) -> tuple[bytes, str]:
        """All figures, in the form that the one who asks prefers, and its media type."""
        encode, media_type = choose_encoder(accept)
        return encode(self.registry), media_type
