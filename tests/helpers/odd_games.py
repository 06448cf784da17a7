"""Games in texts that readers of PGN stumble over."""

from __future__ import annotations

MATE = '[FEN "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"]'
OTHER_MATE = '[FEN "6k1/5ppp/8/8/8/8/5PPP/4R1K1 w - - 0 1"]'

# Texts that other programs stumbled over, and what is to be read: the value of `White` or, without it, of
# `Event`, and the moves of each game.
ODD_GAMES = {
    "event not first": (
        '[Site "x"]\n[White "A"]\n[Event "E"]\n[Annotator "n"]\n\n1. e4 e5 1-0\n\n'
        '[Site "y"]\n[White "B"]\n[Event "E"]\n\n1. f3 e5 0-1\n',
        ["A e2e4 e7e5", "B f2f3 e7e5"],
    ),
    "position before the event": (f'{MATE}\n[Event "x"]\n[White "A"]\n\n1. Rd8# *\n', ["A d1d8"]),
    "semicolon in a comment": (
        '[White "A"]\n\n1. e4 {wins; soon} e5 *\n\n[White "B"]\n\n1. d4 {a;{b} d5 *\n',
        ["A e2e4 e7e5", "B d2d4 d7d5"],
    ),
    "brace in a comment to the end of the line": (
        '[White "A"]\n\n1. e4 ; {\n1... e5 *\n\n[White "B"]\n\n1. d4 *\n',
        ["A e2e4 e7e5", "B d2d4"],
    ),
    "brace in an escaped line": (
        '[White "A"]\n\n% made by { a tool\n1. e4 *\n\n[White "B"]\n\n1. d4 *\n',
        ["A e2e4", "B d2d4"],
    ),
    "tag in a comment": ('[White "A"]\n\n1. e4 {\n[White "B"]\n\n[x] } e5 *\n', ["A e2e4 e7e5"]),
    "figurines": ('[White "A"]\n\n1. ♘f3 ♞︎f6 2. ♙e4 *\n', ["A g1f3 g8f6 e2e4"]),
    "variation before the first move": (
        f'[White "A"]\n{MATE}\n\n( 1. Rd7 {{ slow ) }}\n 1... h6 (1... h5) ) 1. Rd8# *\n\n'
        f'[White "B"]\n{OTHER_MATE}\n\n({{not}} 1. Re7 g6) {{best:}} 1. Re8# *\n',
        ["A d1d8", "B e1e8"],
    ),
    "empty tags": (
        '[White "A"]\n[FEN ""]\n\n1. e4 *\n\n[White "B"]\n[FEN " "]\n[Variant "?"]\n\n1. d4 *\n',
        ["A e2e4", "B d2d4"],
    ),
    "lines among the tags": (
        f'[White "A"]\n[Opening "unclosed]\n{MATE}\n\n1. Rd8# *\n\n'
        f'[White "B"]\n; by a tool\nby (a tool\n{OTHER_MATE}\n\n1. Re8# *\n',
        ["A d1d8", "B e1e8"],
    ),
    "no blank lines": (
        f'[Event "A"]\n{MATE}\n1. Rd8# 1-0\n[White "B"]\n{OTHER_MATE}\n\n1. Re8# 1-0\n',
        ["A d1d8", "B e1e8"],
    ),
    "many blank lines": (
        '[White "A"]\n\n\n\n1. e4\n\ne5\n\n\n1-0\n\n\n\n[White "B"]\n\n1. d4 *',
        ["A e2e4 e7e5", "B d2d4"],
    ),
    "blank lines among the tags": ('[Event "x"]\n\n[White "A"]\n\n1. e4 *\n', ["A e2e4"]),
    "several tags on a line": (
        f'[Event "x"] [Site "y"]\n[White "A"] [Black "\\"U\\""]\n{MATE} [SetUp "1"]\n\n1. Rd8# 1-0\n',
        ["A d1d8"],
    ),
    "text after the result": (
        '[White "A"]\n\n1. e4 1-0 White won\non time\n\n[White "B"]\n\n1. d4 *',
        ["A e2e4", "B d2d4"],
    ),
    "no tags, no results": ("1. e4 e5\n\n1. d4 d5\n", ["? e2e4 e7e5", "? d2d4 d7d5"]),
    "CR": ('[White "A"]\r\r1. e4 *\r\r[White "B"]\r\r1. d4 *\r', ["A e2e4", "B d2d4"]),
    "byte order marks": (
        '\ufeff[White "A"]\n\n1. e4 *\n\n\ufeff[White "B"]\n\n1. d4 *',
        ["A e2e4", "B d2d4"],
    ),
    "comment never closed": ('[Event "A"]\n\n1. e4 { so\n\n[Event "B"]\n\n1. d4 {}\n', ["A e2e4", "B d2d4"]),
}
