"""The command `motifsearch` with all its subcommands."""

from __future__ import annotations

from chess_motif.console import run
from chess_motif.program import Place, Program

app = Program(
    "motifsearch",
    "Finds similar puzzles and similar positions.",
    {
        "similar": Place(
            "motifsearch.cli.puzzles:similar_command",
            "Find puzzles with the same motif as a stored puzzle or a position.",
        ),
        "index": Place(
            "motifsearch.cli.puzzles:index_command",
            "Update the search index now, instead of at the next search.",
        ),
        "train": Place(
            "motifsearch.cli.training:train_command",
            "Find the tactics that a player missed, and make a training set of these and of similar puzzles.",
        ),
        "solve": Place(
            "motifsearch.cli.solve:solve_command",
            "Solve the puzzles of a training set: first puzzles that are due again, then new puzzles.",
        ),
        "serve": Place(
            "motifsearch.cli.serve:serve_command",
            "Serve a web page for solving and searching puzzles, to a browser on this computer.",
        ),
        "sets": Place(
            "motifsearch.cli.sets:app",
            "Makes, lists, shows, changes, exports or deletes training sets.",
        ),
        "positions": Place(
            "motifsearch.cli.positions:app",
            "Finds similar positions in archived games.",
        ),
        "retrieval": Place(
            "motifsearch.cli.retrieval:app",
            "Builds the memory of the engines, and shows the games that they name.",
        ),
        "report": Place(
            "motifsearch.cli.puzzles:report_app",
            "Measures how well searches work.",
        ),
    },
)


def main() -> None:
    """Run the command `motifsearch`."""
    run(app, "motifsearch")
