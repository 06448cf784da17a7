"""Worksheets, read again by a PDF reader."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence

import pypdf
import pytest
from fpdf import FPDF

from db.models import Game, Puzzle
from puzzlegen.formats import worksheet
from puzzlegen.formats.worksheet import printable
from tests.helpers.sheet_puzzles import EVIL, blundered, evil_game, named


def pages_of(
    puzzles: Sequence[Puzzle], title: str = "Forks", solver: str = "", per_page: int = 6
) -> list[str]:
    out = io.BytesIO()
    worksheet.write(out, puzzles, title, solver, per_page)
    return [page.extract_text() for page in pypdf.PdfReader(out).pages]


def numbers_on(page: str) -> list[int]:
    return [int(number) for number in re.findall(r"^(\d+)\.\s*(?:White|Black) to move", page, re.MULTILINE)]


@pytest.mark.parametrize(("per_page", "pages"), [(4, 3), (6, 2), (9, 2)])
def test_each_page_has_so_many_diagrams(per_page: int, pages: int) -> None:
    *diagrams, answers = pages_of([named("fork")] * 10, per_page=per_page)
    assert len(diagrams) == pages
    assert [number for page in diagrams for number in numbers_on(page)] == list(range(1, 11))
    assert len(numbers_on(diagrams[0])) == per_page
    assert len(re.findall(r"1\. Nxc7\+ Kd7 2\. Nxa8", answers)) == 10


def test_each_page_has_title_name_and_number() -> None:
    pages = pages_of([named("fork")] * 7, "Übung: forks", "Anna Example")
    for number, page in enumerate(pages, 1):
        assert "Übung: forks" in page
        assert "Anna Example" in page
        assert f"{number} / 3" in page


@pytest.mark.parametrize("per_page", [4, 6, 9])
def test_a_diagram_says_who_may_castle_if_it_matters(per_page: int) -> None:
    diagrams, answers = pages_of([named("fork"), named("back rank")], per_page=per_page)
    said = "White may still castle kingside. Black may still castle on either side."
    assert " ".join(diagrams.split()).count(said) == 1
    assert "castle" not in answers


def test_a_diagram_says_after_which_move() -> None:
    assert "1.White to move after 1...Kg8" in pages_of([blundered()])[0].replace(" White", "White")


def test_an_answer_has_solution_reasons_id_level_and_game() -> None:
    game = Game(key="k", white="Anna", black="Berta", date="2024.01.02")
    puzzle = named("back rank, two moves", rating=1500, game=game)
    answers = pages_of([puzzle])[-1]
    assert "1. Qe8+ Rxe8 2. Rxe8#" in answers
    assert "is backed up by the rook on e1." in answers
    assert f"{puzzle.id} · level 1500 · Anna – Berta, 2024.01.02" in answers


def test_an_answer_to_an_exercise_has_all_accepted_moves() -> None:
    assert "2. Rb8# or 2. Rd1" in pages_of([blundered(accepted=["b1b8", "b1d1"])])[-1]


def test_many_answers_take_several_pages() -> None:
    pages = pages_of([named("back rank, two moves")] * 40, per_page=4)
    assert [numbers_on(page) != [] for page in pages] == [True] * 10 + [False] * 4
    answered = re.findall(r"^(\d+)\.\s*1\. Qe8\+", "\n".join(pages[10:]), re.MULTILINE)
    assert [int(number) for number in answered] == list(range(1, 41))


def test_any_name_can_be_printed() -> None:
    first, answers = pages_of([named("fork", game=evil_game())], EVIL, "Анна")
    assert EVIL in first
    assert "Anna" in first
    assert EVIL in answers
    assert "Dvoretskiy, Mark, BeiJing Open" in answers


@pytest.mark.parametrize("letter", ["A", "Ж", "名", "\U0001f600", " "])
def test_long_names_are_shortened_or_wrapped(letter: str) -> None:
    game = Game(key="k", white=letter * 300, black="B", event="", date="")
    first, answers = pages_of([named("fork", game=game)], letter * 300, letter * 300, 9)
    assert "1.White to move" in first.replace(" White", "White")
    assert "1. Nxc7+ Kd7 2. Nxa8" in answers


def test_no_puzzles_are_a_sheet_without_diagrams() -> None:
    (page,) = pages_of([])
    assert numbers_on(page) == []
    # Without a name, there is a line for it.
    assert "Name" in page


@pytest.mark.parametrize(
    ("text", "printed"), [("Müller – “Ş”", "Müller – “S”"), ("Дворецкий", "Dvoretskiy"), ("\u0300", "")]
)
def test_letters_that_the_fonts_lack_are_transliterated(text: str, printed: str) -> None:
    assert printable(text) == printed


def test_a_title_of_any_length_is_shortened(monkeypatch: pytest.MonkeyPatch) -> None:
    measured: list[int] = []
    width = FPDF.get_string_width

    def counted(pdf: FPDF, text: str, *options: bool) -> float:
        measured.append(len(text))
        assert sum(measured) < 30 * 30_000
        return width(pdf, text, *options)

    monkeypatch.setattr(FPDF, "get_string_width", counted)
    first, _ = pages_of([named("fork")], "W" * 30_000)
    assert re.search("^W{10,60}…$", first, re.MULTILINE)
