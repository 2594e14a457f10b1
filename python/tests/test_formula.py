"""Models from formulas: data frames, mappings and files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import leapfrog

PUPILS: dict[str, Any] = {
    "score": [52.5, 61.25, 57.5, 48.0, 66.0, 59.5, 71.0, 64.5],
    "hours": [1.5, 3.0, None, 0.5, 4.0, 2.0, 5.0, 3.5],
    "school": ["Aue", "Aue", "Aue", "Bern", "Bern", "Chur", "Chur", "Chur"],
    "passed": [False, True, True, False, True, False, True, True],
    "grade": ["low", "mid", "mid", "low", "high", "mid", "high", "high"],
}


def test_a_formula_becomes_a_program_with_its_data() -> None:
    made = leapfrog.model_from_formula("score ~ hours + (1 | school)", PUPILS)
    assert made.program.startswith("// score ~ hours + (1 | school)\n// Linear regression.\n")
    assert made.omitted == 1
    assert made.labels == {"school": ("Aue", "Bern", "Chur")}
    assert made.data == {
        "N": 7,
        "score": [52.5, 61.25, 48, 66, 59.5, 71, 64.5],
        "hours": [1.5, 3, 0.5, 4, 2, 5, 3.5],
        "N_school": 3,
        "school": [1, 1, 2, 2, 3, 3, 3],
    }
    fit = leapfrog.compile(made.program).sample(made.data, algorithm="recommended", iter_sampling=300, seed=1, chains=2)
    assert 2 < float(np.mean(fit["b_hours"])) < 7


def test_data_frames_and_files_give_the_same_model(tmp_path: Path) -> None:
    frame = pd.DataFrame(PUPILS)
    frame.to_csv(tmp_path / "pupils.csv", index=False)
    formula = "passed ~ hours*school"
    expected = leapfrog.model_from_formula(formula, PUPILS, "bernoulli")
    given = [frame, frame.convert_dtypes()]
    polars = pytest.importorskip("polars")
    given.append(polars.DataFrame(PUPILS))
    for data in given:
        assert leapfrog.model_from_formula(formula, data, "bernoulli") == expected
    read = leapfrog.model_from_formula(formula, tmp_path / "pupils.csv", "logistic")
    assert read.data == expected.data


def test_missing_numbers_are_parameters_on_request() -> None:
    made = leapfrog.model_from_formula("score ~ hours + (1 | school)", PUPILS, missing="parameters")
    assert made.omitted == 0
    assert len(made.data["hours_mis_rows"]) == 1
    fit = leapfrog.compile(made.program).sample(made.data, algorithm="recommended", iter_sampling=300, seed=1, chains=2)
    assert 0 < float(np.mean(fit["hours_mis"])) < 6
    with pytest.raises(leapfrog.ArgumentError, match="missing must be one of omit, parameters"):
        leapfrog.model_from_formula("score ~ hours", PUPILS, missing="drop")


def test_categories_keep_their_order() -> None:
    frame = pd.DataFrame(PUPILS)
    frame["grade"] = pd.Categorical(frame["grade"], ["none", "low", "mid", "high"], ordered=True)
    frame["school"] = pd.Categorical(frame["school"], ["Chur", "Bern", "Aue"])
    made = leapfrog.model_from_formula("grade ~ school", frame, "cumulative")
    assert made.data["grade"] == [1, 2, 2, 1, 3, 2, 3, 3]
    assert list(made.data) == ["N", "N_grade", "grade", "school_Bern", "school_Aue"]
    ordered = leapfrog.model_from_formula("grade ~ 1", PUPILS, "ordinal", order=["low", "mid", "high"])
    assert ordered.data["grade"] == made.data["grade"]


def test_errors_underline_the_part_of_the_formula() -> None:
    with pytest.raises(leapfrog.ArgumentError) as error:
        leapfrog.model_from_formula("score ~ hours + (1 | scholl)", PUPILS)
    assert str(error.value) == (
        'formula is invalid.\nThe table has no column "scholl". Did you mean "school"?\n'
        "  score ~ hours + (1 | scholl)\n                       ^^^^^^"
    )
    with pytest.raises(leapfrog.ArgumentError, match="family must be one of normal, student"):
        leapfrog.model_from_formula("score ~ hours", PUPILS, "gamma")
    with pytest.raises(leapfrog.ArgumentError, match="same length"):
        leapfrog.model_from_formula("a ~ b", {"a": [1, 2], "b": [1, 2, 3]})
