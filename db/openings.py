"""The opening of the game that a puzzle is from, by its name or its ECO code.

Names come from the opening tags of Lichess, such as `Sicilian_Defense_Najdorf_Variation`, and from the tag
`Opening` of the game; codes only from its tag `ECO`, for the tags of Lichess have none. In names, case,
accents, apostrophes and other signs do not matter.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import reduce

from sqlalchemy import ColumnElement, and_, case, false, func, literal, select
from sqlalchemy.orm import Session

from db.games import LONGEST_NAME
from db.models import Game, Puzzle

# Families of openings that are offered: more than Lichess knows.
MOST_OFFERED = 250

# The most puzzles of a rare opening. Of one with more, a puzzle is soon found among all others.
FEW = 300

# The most puzzles from games whose openings are read: a hundredth of a second.
MOST_FROM_GAMES = 2_000

_ECO = re.compile(r"[A-E]\d{0,2}", re.IGNORECASE)

# The letters with accents in names of openings, and those that Lichess writes in its tags.
_ACCENTS = dict(zip("áäåéíóöøúüÁÉ", "aaaeiooouuAE", strict=True))

# Whose opening or gambit it is: Lichess' tags leave the apostrophe out.
_OWNERS = re.compile(r"\b(King|Queen|Bishop)s\b")


def is_eco(text: str) -> bool:
    """Return whether a text is an ECO code, such as `B90`, or the beginning of one."""
    return _ECO.fullmatch(text.strip()) is not None


def in_opening(text: str) -> ColumnElement[bool]:
    """Return the condition that puzzles, outer-joined with games, are from an opening.

    The text is an ECO code or its beginning, words of a name in any order, or a whole tag with underscores.
    The condition is NULL where nothing is known.
    """
    text = text.strip()
    if len(text) > LONGEST_NAME:
        return false()
    if is_eco(text):
        return func.nullif(Game.eco, "").istartswith(text)
    # As Lichess writes it in tags, and the family, the variation and the line, each alone.
    name = _replaced(func.coalesce(Game.opening, ""), {"'": "", "’": "", " ": "_"} | _ACCENTS)
    tag = _replaced(name, {",_": " ", ":_": "_"})
    names = func.trim(Puzzle.opening_tags + " " + tag + " " + _replaced(name, {",_": " ", ":_": " "}))
    # Most puzzles have tags, but no game; with its name, a search among millions takes a minute.
    known = case((Puzzle.game_number.is_(None), Puzzle.opening_tags.expression), else_=names)
    return _has_words(text, literal(" ") + func.nullif(known, "") + " ")


def _has_words(text: str, known: ColumnElement[str]) -> ColumnElement[bool]:
    if "_" in text:
        return known.icontains(f" {_plain(text)} ", autoescape=True)
    spaced = _replaced(known, {"_": " ", "-": " "})
    words = re.findall(r"\w+", _plain(text))
    return and_(known != "", *(spaced.icontains(f" {word} ") for word in words))


def few_in_opening(session: Session, text: str) -> list[str] | None:
    """Return the ids of the puzzles from an opening, as `in_opening` has it.

    Returns None if there are many, or if many puzzles are from games, whose openings are in no index.
    """
    if session.scalar(select(Puzzle.id).where(Puzzle.game_number > 0).offset(MOST_FROM_GAMES).limit(1)):
        return None
    named = _has_words(text, " " + Puzzle.opening_tags + " ")
    tagged = select(Puzzle.id).where(Puzzle.opening_tags != "", named)
    of_games = select(Puzzle.id).outerjoin(Puzzle.game).where(Puzzle.game_number > 0, in_opening(text))
    found = session.scalars(tagged.union_all(of_games).limit(FEW + 1)).all()
    return list(found) if len(found) <= FEW else None


def openings_of(session: Session) -> list[tuple[str, str]]:
    """Return the most frequent families of openings: the tag that finds each, and its name.

    Reads all puzzles.
    """
    found, names = Counter[str](), dict[str, str]()
    tagged = select(Puzzle.opening_tags, func.count()).where(Puzzle.opening_tags != "")
    for tags, count in session.execute(tagged.group_by(Puzzle.opening_tags)):
        found[tags.split()[0]] += count
    untagged = select(Game.opening, func.count()).join(Puzzle, Puzzle.game_number == Game.number)
    # The number is above 0, so that its index is used: few puzzles have games.
    is_untagged = and_(Puzzle.game_number > 0, Puzzle.opening_tags == "", Game.opening != "")
    untagged = untagged.where(is_untagged).group_by(Game.opening)
    for opening, count in session.execute(untagged):
        name = opening.partition(":")[0].strip()
        found[tag := re.sub(r"\W*\s+", "_", _plain(name))] += count
        names[tag] = name
    offered = sorted(tag for tag, _ in found.most_common(MOST_OFFERED))
    return [(tag, names.get(tag) or _OWNERS.sub(r"\1's", tag.replace("_", " "))) for tag in offered]


def _replaced(text: ColumnElement[str], signs: dict[str, str]) -> ColumnElement[str]:
    return reduce(lambda done, sign: func.replace(done, sign, signs[sign]), signs, text)


def _plain(text: str) -> str:
    """Return a text without accents and apostrophes."""
    letters = unicodedata.normalize("NFD", text.replace("ø", "o"))
    return "".join(each for each in letters if not unicodedata.combining(each) and each not in "'’")
