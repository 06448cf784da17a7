"""What was asked: a line in the log for each request, and counters in the text format of Prometheus."""

from __future__ import annotations

from fastapi import APIRouter, Request
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Histogram, generate_latest
from starlette.responses import Response
from starlette.types import Scope

from chess_motif.logs import log_event
from db.runs import RunState, state_of, stored_runs
from motifsearch.web.access import TOKEN
from motifsearch.web.site import Site, client_of, site_of
from puzzlegen.mining.record import metrics_text
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
        log_event(
            "request",
            client=client_of(request),
            method=scope["method"],
            path=scope["path"] + (f"?{query}" if query and TOKEN not in request.query_params else ""),
            status=status,
            ms=round(1000 * seconds, 1),
        )


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
    return metrics_text(total, running=running)
