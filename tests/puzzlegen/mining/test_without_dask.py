"""Dask is needed for clusters only."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from chess_motif.errors import ClusterError
from db.store import Store
from puzzlegen.mining.run import mine


def test_the_commands_do_not_load_dask() -> None:
    program = (
        "import sys, puzzlegen.cli.main, motifsearch.cli.main; "
        "sys.exit(bool({'dask', 'distributed'} & {*sys.modules}))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_a_cluster_without_dask_says_how_to_get_it(
    sqlite_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    for name in ("puzzlegen.mining.dask", "puzzlegen.mining.dask"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    with pytest.raises(ClusterError, match=r"pip install 'chess-motif\[cluster\]'"):
        mine(["games.pgn"], sqlite_store, cluster="tcp://127.0.0.1:8786")
