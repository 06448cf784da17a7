from __future__ import annotations

import pytest

from chess_motif.errors import InputError
from puzzlegen.games.server import Account, account_of


@pytest.mark.parametrize("text", ["lichess:Some_User-1", "Lichess:some_user-1"])
def test_case_does_not_matter(text: str) -> None:
    assert account_of(text) == Account("lichess", "some_user-1")


@pytest.mark.parametrize("text", ["games.pgn", "lichess", "other:user", "C:\\games.pgn", ""])
def test_other_texts_are_no_accounts(text: str) -> None:
    assert account_of(text) is None


@pytest.mark.parametrize(
    "user",
    ["", "a", "a" * 31, "../../etc", "a/b", "a?b", "a b", "ab\n", "a\0b", "ünal", "a.b", "a%2fb"],
)
def test_hostile_names_are_refused(user: str) -> None:
    with pytest.raises(InputError, match="is not a user name"):
        account_of(f"chesscom:{user}")


def test_an_unknown_site_is_refused() -> None:
    with pytest.raises(InputError, match="'icc' is not a site; lichess and chesscom are"):
        Account("icc", "user")
