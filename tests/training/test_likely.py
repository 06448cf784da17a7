"""Learning labels from puzzles, on data in which one term decides."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("sklearn")

from training.likely import FEWEST_WITH_LABEL, LabelledTerms, as_label, fit, read_labelled_tactics

DECOYS = [LabelledTerms({"course_line:a", f"course_line:{n % 3}"}, frozenset(["decoy"])) for n in range(60)]
PINS = [LabelledTerms({"course_line:b", f"course_line:{n % 3}"}, frozenset(["pin"])) for n in range(60)]


def test_the_term_that_decides_has_a_weight() -> None:
    model = fit([*DECOYS, *PINS], c=1.0)
    likelihoods = model.likelihoods({"course_line:a"})
    assert likelihoods["decoy"] > 0.8 > 0.2 > likelihoods["pin"]


def test_terms_that_say_nothing_have_none() -> None:
    assert "course_line:0" not in fit([*DECOYS, *PINS], c=0.2).weights


def test_rare_labels_are_left_out() -> None:
    model = fit([*DECOYS, *PINS[: FEWEST_WITH_LABEL - 1]], c=1.0)
    assert set(model.bias) == {"decoy"}


def test_a_label_is_one_word() -> None:
    assert as_label("Removal of defence") == "removal-of-defence"


def test_tactics_are_read_with_their_labels(tmp_path: Path) -> None:
    file = tmp_path / "labelled.csv"
    file.write_text("Motif,Level,FEN,SolutionUCI\nBack rank,1,6k1/5ppp/8/8/8/8/8/4R1K1 w - - 0 1,e1e8\n")
    assert read_labelled_tactics(file)[0].labels == {"back-rank"}
