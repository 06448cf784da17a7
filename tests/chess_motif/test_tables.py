"""Tables that fit a terminal."""

from __future__ import annotations

from chess_motif.tables import Column, fitted_table

URL = "https://lichess.org/abcdefgh/black#56"
COLUMNS = [
    Column("id", ["a", "b"]),
    Column("rating", ["900", "1200"], right=True),
    Column("motif", ["fork pin skewer", "quietMove"], order=1),
    Column("from", [URL, "Ann – Bob, Casual game, 2024.01.02"], order=2),
]


def test_what_fits_is_shown_as_it_is() -> None:
    assert fitted_table(COLUMNS[:3], 80) == (
        "id  rating  motif\n--  ------  ---------------\na      900  fork pin skewer\nb     1200  quietMove",
        [],
    )


def test_lines_fit_and_addresses_are_in_one_piece() -> None:
    for width in range(25, 120):
        text, left_out = fitted_table(COLUMNS, width)
        assert max(map(len, text.splitlines())) <= width
        assert (URL in text) == ("from" not in left_out)


def test_words_are_cut_before_a_column_is_left_out() -> None:
    text, left_out = fitted_table(COLUMNS, 62)
    assert left_out == []
    assert "fork pin…" in text


def test_the_least_important_column_is_left_out_first() -> None:
    assert fitted_table(COLUMNS, 30)[1] == ["from"]
    assert fitted_table(COLUMNS, 12)[1] == ["motif", "from"]


def test_a_cell_may_be_blank() -> None:
    assert fitted_table([Column("id", ["  "]), Column("from", ["a b"])], 6)[0].startswith("id")
