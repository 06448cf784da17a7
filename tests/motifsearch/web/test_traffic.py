from __future__ import annotations

import time
from collections import Counter

import pytest

from motifsearch.web.traffic import mining_metrics
from puzzlegen.mining.report import MiningSummary


def test_counts_in_the_format_of_prometheus() -> None:
    summary = MiningSummary(games=3, nodes=4_000_000_000, rejected=Counter({'a "b"\n\\c': 2}))
    text = mining_metrics(summary, running=1).decode()
    assert text.startswith(
        "# HELP chess_motif_games_total Games read.\n# TYPE chess_motif_games_total counter\n"
    )
    samples = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    assert samples["chess_motif_games_total"] == "3.0"
    assert samples["chess_motif_nodes_total"] == "4e+09"
    assert samples['chess_motif_rejected_total{reason="a \\"b\\"\\n\\\\c"}'] == "2.0"
    assert samples["chess_motif_running"] == "1.0"
    assert float(samples["chess_motif_updated_seconds"]) == pytest.approx(time.time(), abs=60)
