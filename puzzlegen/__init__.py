"""Verified tactical puzzles from games (command `puzzlegen`).

`mine` reads game archives and stores puzzles in a `db.Store`; `find_players` finds the names of players in
archives; `import_puzzles` and `export_puzzles` read and write files of puzzles; `pack_store`, `pack_archives`
and `merge_packed` write packed files of positions; `audit`, `rate` and `retag` work on stored puzzles;
`simplify` removes needless pieces from a puzzle. Everything else in this package may change without notice.
"""

from typing import TYPE_CHECKING

from chess_motif import lazy_names

if TYPE_CHECKING:
    from puzzlegen.cache import PackReport, merge_packed, pack_archives, pack_store
    from puzzlegen.difficulty.rating import Estimate
    from puzzlegen.formats.exporting import ExportOptions, ExportReport, Format, export_puzzles, write_puzzles
    from puzzlegen.formats.importing import ImportFilter, ImportReport, import_puzzles
    from puzzlegen.games.filter import ArchiveFilter
    from puzzlegen.games.players import FoundPlayer, find_players
    from puzzlegen.mining.game import mine_game
    from puzzlegen.mining.report import MiningReport, MiningSummary
    from puzzlegen.mining.run import mine
    from puzzlegen.motifs.table import Tag, TagGroup
    from puzzlegen.reasons.explained import ExplainedReason
    from puzzlegen.reasons.fact import Drawing, Role
    from puzzlegen.rules import LineRules, MiningRules, Pattern, Stage
    from puzzlegen.solutions import explain_solution, rate_solution, tag_solution
    from puzzlegen.upkeep.audit import AuditReport, Fault, Finding, audit
    from puzzlegen.upkeep.changes import delete, rate, retag
    from puzzlegen.upkeep.simplify import Shift, SimplifiedPuzzle, simplify
    from puzzlegen.upkeep.stats import Stats, TagCount, count_tags, stats
    from puzzlegen.verify.ending import Ending
    from puzzlegen.verify.idea import Idea, NoTactic, WinningMove
    from puzzlegen.verify.solution import Rejection, Solution, find_solution
    from puzzlegen.verify.won_line import WonLine

__all__ = [
    "ArchiveFilter",
    "AuditReport",
    "Drawing",
    "Ending",
    "Estimate",
    "ExplainedReason",
    "ExportOptions",
    "ExportReport",
    "Fault",
    "Finding",
    "Format",
    "FoundPlayer",
    "Idea",
    "ImportFilter",
    "ImportReport",
    "LineRules",
    "MiningReport",
    "MiningRules",
    "MiningSummary",
    "NoTactic",
    "PackReport",
    "Pattern",
    "Rejection",
    "Role",
    "Shift",
    "SimplifiedPuzzle",
    "Solution",
    "Stage",
    "Stats",
    "Tag",
    "TagCount",
    "TagGroup",
    "WinningMove",
    "WonLine",
    "audit",
    "count_tags",
    "delete",
    "explain_solution",
    "export_puzzles",
    "find_players",
    "find_solution",
    "import_puzzles",
    "merge_packed",
    "mine",
    "mine_game",
    "pack_archives",
    "pack_store",
    "rate",
    "rate_solution",
    "retag",
    "simplify",
    "stats",
    "tag_solution",
    "write_puzzles",
]

if not TYPE_CHECKING:
    # Out of sight of type checkers, which would believe that it finds any name.
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "puzzlegen.cache": ["PackReport", "merge_packed", "pack_archives", "pack_store"],
            "puzzlegen.difficulty.rating": ["Estimate"],
            "puzzlegen.formats.exporting": [
                "ExportOptions",
                "ExportReport",
                "Format",
                "export_puzzles",
                "write_puzzles",
            ],
            "puzzlegen.formats.importing": ["ImportFilter", "ImportReport", "import_puzzles"],
            "puzzlegen.games.filter": ["ArchiveFilter"],
            "puzzlegen.games.players": ["FoundPlayer", "find_players"],
            "puzzlegen.mining.game": ["mine_game"],
            "puzzlegen.mining.report": ["MiningReport", "MiningSummary"],
            "puzzlegen.mining.run": ["mine"],
            "puzzlegen.motifs.table": ["Tag", "TagGroup"],
            "puzzlegen.reasons.fact": ["Drawing", "Role"],
            "puzzlegen.reasons.explained": ["ExplainedReason"],
            "puzzlegen.rules": [
                "LineRules",
                "MiningRules",
                "Pattern",
                "Stage",
            ],
            "puzzlegen.solutions": ["explain_solution", "rate_solution", "tag_solution"],
            "puzzlegen.upkeep.audit": ["AuditReport", "Fault", "Finding", "audit"],
            "puzzlegen.upkeep.changes": ["delete", "rate", "retag"],
            "puzzlegen.upkeep.simplify": ["Shift", "SimplifiedPuzzle", "simplify"],
            "puzzlegen.upkeep.stats": ["Stats", "TagCount", "count_tags", "stats"],
            "puzzlegen.verify.ending": ["Ending"],
            "puzzlegen.verify.idea": ["Idea", "NoTactic", "WinningMove"],
            "puzzlegen.verify.solution": ["Rejection", "Solution", "find_solution"],
            "puzzlegen.verify.won_line": ["WonLine"],
        },
    )
