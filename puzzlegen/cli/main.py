"""The command `puzzlegen` with all its subcommands."""

from __future__ import annotations

from chess_motif.console import run
from chess_motif.program import Place, Program

app = Program(
    "puzzlegen",
    "Turns chess games into verified tactical puzzles.",
    {
        "mine": Place(
            "puzzlegen.cli.mine:mine_command",
            "Find blunders in games, verify the moves that punish them, and store the puzzles.",
        ),
        "runs": Place(
            "puzzlegen.cli.runs:runs_command",
            "List the mining runs: which go on, which ended, and which were killed.",
        ),
        "import": Place(
            "puzzlegen.cli.puzzles:import_command",
            "Import puzzles from a file.",
        ),
        "export": Place(
            "puzzlegen.cli.puzzles:export_command",
            "Write puzzles to a file: Lichess CSV, PGN, EPD, JSON lines, Anki deck, PDF to print, or web"
            " page.",
        ),
        "list": Place(
            "puzzlegen.cli.puzzles:list_command",
            "List the puzzles in the database, one per line.",
        ),
        "show": Place(
            "puzzlegen.cli.puzzles:show_command",
            "Show one puzzle with its board and solution.",
        ),
        "simplify": Place(
            "puzzlegen.cli.upkeep:simplify_command",
            "Remove the pieces that a puzzle's solution does not need.",
        ),
        "audit": Place(
            "puzzlegen.cli.upkeep:audit_command",
            "Search stored puzzles or exercises again with more nodes, and report those that have a fault.",
        ),
        "retag": Place(
            "puzzlegen.cli.upkeep:retag_command",
            "Update the tags of all stored puzzles, after an upgrade that recognises more motifs.",
        ),
        "rate": Place(
            "puzzlegen.cli.upkeep:rate_command",
            "Estimate how difficult puzzles are: the rating that each would get on Lichess.",
        ),
        "delete": Place(
            "puzzlegen.cli.upkeep:delete_command",
            "Delete puzzles from the database.",
        ),
        "stats": Place(
            "puzzlegen.cli.puzzles:stats_command",
            "Count what is in the database.",
        ),
        "tags": Place(
            "puzzlegen.cli.puzzles:tags_command",
            "List all tags with their definitions, and how many puzzles in the database have them.",
        ),
        "cache": Place(
            "puzzlegen.cli.cache:app",
            "Packs searched positions as files that can be shared.",
        ),
    },
)


def main() -> None:
    """Run the command `puzzlegen`."""
    run(app, "puzzlegen")
