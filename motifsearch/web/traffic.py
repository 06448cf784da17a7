"""What was asked: a line in the log for each request, and counters in the text format of Prometheus."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

from fastapi import APIRouter, Request
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.responses import Response
from starlette.types import Scope

from chess_motif.logs import log_event
from db.runs import RunState, state_of, stored_runs
from motifsearch.web.access import TOKEN
from motifsearch.web.homework import BY_LINK
from motifsearch.web.site import Site, client_of, site_of
from puzzlegen.mining.report import MiningSummary

router = APIRouter()

# What is asked by any other method is counted as one.
METHODS = {"GET", "HEAD", "POST"}

# Bounds of the counted times, in seconds.
BOUNDS = (0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1.0, 2.5, 10.0)


class Traffic:
    """Counts and logs the requests to one server."""

    def __init__(self) -> None:
        """Count from zero."""
        self.registry = CollectorRegistry()
        self._seconds = Histogram(
            "chess_motif_request_seconds",
            "Time to answer requests.",
            ["method", "route", "status"],
            registry=self.registry,
            buckets=BOUNDS,
        )

    def add(self, request: Request, scope: Scope, status: int, seconds: float) -> None:
        """Count and log a request that was answered; `scope` is what the client asked."""
        route = getattr(request.scope.get("route"), "path", "other")
        method = scope["method"] if scope["method"] in METHODS else "other"
        self._seconds.labels(method, route, status).observe(seconds)
        query = scope["query_string"].decode("latin-1")
        path = _logged(scope["path"])
        log_event(
            "request",
            client=client_of(request),
            method=scope["method"],
            path=path + (f"?{query}" if query and TOKEN not in request.query_params else ""),
            status=status,
            ms=round(1000 * seconds, 1),
        )


def _logged(path: str) -> str:
    """Return a path without the token of a homework link, however the link is written."""
    return re.sub(f"(?i)({BY_LINK}).+", r"\1…", path)


@router.get("/metrics")
def show_metrics(request: Request) -> Response:
    """Return counters of the requests, and of all mining runs of the database, for Prometheus."""
    traffic: Traffic = request.app.state.traffic
    text = generate_latest(traffic.registry) + _mining(site_of(request))
    return Response(text, media_type=CONTENT_TYPE_LATEST)


def _mining(site: Site) -> bytes:
    total = MiningSummary()
    with site.store.reading() as session:
        runs = stored_runs(session)
        for run in runs:
            total.add(MiningSummary.from_dict(run.summary or {}))
        running = sum(state_of(site.store, run) is RunState.RUNNING for run in runs if run.finished is None)
    return mining_metrics(total, running=running)


def mining_metrics(summary: MiningSummary, *, running: int) -> bytes:
    """Return counts in the text format of Prometheus. `running` is how many runs go on."""

    class Counts(Collector):
        def collect(self) -> Iterator[Metric]:
            for name, value, text in (
                ("games", summary.games, "Games read."),
                ("candidates", summary.candidates, "Blunders that may be puzzles."),
                ("puzzles", summary.puzzles, "Puzzles stored."),
                ("searches", summary.positions_searched, "Positions searched by the engine."),
                ("nodes", summary.nodes, "Nodes searched by the engine."),
            ):
                yield CounterMetricFamily(f"chess_motif_{name}", text, value)
            for name, counts, text in (
                ("rejected", summary.rejected, "Candidates rejected, by reason."),
                ("skipped", summary.skipped, "Games skipped, by reason."),
            ):
                family = CounterMetricFamily(f"chess_motif_{name}", text, labels=["reason"])
                for reason, count in counts.items():
                    family.add_metric([reason], count)
                yield family
            yield GaugeMetricFamily("chess_motif_running", "Runs that go on.", running)
            yield GaugeMetricFamily(
                "chess_motif_updated_seconds", "When this was written, since 1970.", time.time()
            )

    registry = CollectorRegistry()
    registry.register(Counts())
    return generate_latest(registry)
