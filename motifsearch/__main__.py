"""The commands `motifsearch` (also `python -m motifsearch`), `chess-motif`, `chesscone` and `chessbert`."""

from chess_motif.interruption import end_at_once


def main() -> None:
    """Run the command `motifsearch`."""
    end_at_once("motifsearch")
    from motifsearch.cli.main import main

    main()


def chess_motif() -> None:
    """Run the command `chess-motif`."""
    end_at_once("chess-motif")
    from motifsearch.cli.start import main

    main()


def chesscone() -> None:
    """Run the command `chesscone`."""
    end_at_once("chesscone")
    from motifsearch.cli.retrieval import chesscone

    chesscone()


def chessbert() -> None:
    """Run the command `chessbert`."""
    end_at_once("chessbert")
    from motifsearch.cli.retrieval import chessbert

    chessbert()


if __name__ == "__main__":
    main()
