"""The command `puzzlegen`, also `python -m puzzlegen`."""

from chess_motif.interruption import end_at_once


def main() -> None:
    """Run the command `puzzlegen`."""
    end_at_once("puzzlegen")
    from puzzlegen.cli.main import main

    main()


if __name__ == "__main__":
    main()
