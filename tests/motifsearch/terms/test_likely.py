"""Likely labels: likelihoods of a small model, the terms made of them, and the model that is shipped."""

from __future__ import annotations

import math

import pytest

from motifsearch.terms.encoding import encode
from motifsearch.terms.likely import LEVELS, READ_FIELDS, LabelModel, features, level_terms, likely_fields
from puzzlegen.reasons.tactics import Tactics
from tests.helpers.solutions import parsed

FORK = ("r3k3/8/8/3N4/8/8/8/4K3 w q - 0 1", "d5c7 e8d7 c7a8")
BACK_RANK = ("6k1/5ppp/8/8/8/8/5PPP/4R1K1 w - - 0 1", "e1e8")

MODEL = LabelModel({"decoy": -1.0, "pin": 0.0}, {"course_line:checks:1": {"decoy": 3.0}})


def test_a_likelihood_is_logistic_in_the_weights() -> None:
    assert MODEL.likelihoods(["course_line:checks:1"])["decoy"] == pytest.approx(1 / (1 + math.exp(-2)))


def test_an_unknown_feature_says_nothing() -> None:
    assert MODEL.likelihoods(["course_line:checks:4"])["pin"] == 0.5


def test_a_feature_counts_once() -> None:
    fields: dict[str, list[str]] = {field: [] for field in READ_FIELDS} | {
        "course_line": ["checks:1", "checks:1"]
    }
    assert features(fields) == {"course_line:checks:1"}


def test_a_single_likely_label_has_all_levels() -> None:
    assert level_terms({"decoy": 0.6}) == [f"decoy:{level}" for level in range(1, LEVELS + 1)]


def test_a_label_that_is_not_likely_has_few() -> None:
    assert level_terms({"decoy": 0.2}) == ["decoy:1", "decoy:2"]


def test_an_unlikely_label_has_no_terms() -> None:
    assert [term for term in level_terms({"decoy": 0.9, "pin": 0.01}) if term.startswith("pin")] == []


def test_two_labels_that_are_as_likely_have_as_many_levels() -> None:
    terms = level_terms({"decoy": 0.6, "pin": 0.6})
    assert [term.split(":")[0] for term in terms].count("decoy") == len(terms) / 2


@pytest.mark.parametrize(("case", "theme"), [(FORK, "fork"), (BACK_RANK, "backRankMate")])
def test_the_shipped_model_knows_plain_cases(case: tuple[str, str], theme: str) -> None:
    assert f"{theme}:3" in encode(Tactics(*parsed(*case)))["likely_theme"]


def test_labels_do_not_depend_on_the_place_of_the_terms() -> None:
    fields = encode(Tactics(*parsed(*FORK)))
    turned = {field: terms[::-1] for field, terms in fields.items()}
    assert likely_fields(turned) == likely_fields(fields)
