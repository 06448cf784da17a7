from __future__ import annotations

from collections import Counter
from pathlib import Path

from puzzlegen.mining.record import RunRecord, metrics_text
from puzzlegen.mining.report import MiningSummary


def test_counts_in_the_format_of_prometheus() -> None:
    summary = MiningSummary(games=3, nodes=4_000_000_000, rejected=Counter({'a "b"\n\\c': 2}))
    text = metrics_text(summary, running=True, at=1_700_000_000.5)
    assert text.startswith(
        "# HELP chess_motif_games_total Games read.\n# TYPE chess_motif_games_total counter\n"
    )
    samples = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    assert samples["chess_motif_games_total"] == "3"
    assert samples["chess_motif_nodes_total"] == "4000000000"
    assert samples['chess_motif_rejected_total{reason="a \\"b\\"\\n\\\\c"}'] == "2"
    assert samples["chess_motif_running"] == "1"
    assert samples["chess_motif_updated_seconds"] == "1700000000.5"


def test_a_folder_that_is_gone_stops_no_run(tmp_path: Path) -> None:
    RunRecord(1, tmp_path / "gone" / "metrics.prom").write_metrics(running=True)
