"""Fits in the files and processes of joblib."""

from __future__ import annotations

from pathlib import Path

import joblib
from test_files import fit, largest

import leapfrog

__all__ = ["fit"]


def test_joblib(fit: leapfrog.Fit, tmp_path: Path) -> None:
    joblib.dump(fit, tmp_path / "fit.joblib")
    assert str(joblib.load(tmp_path / "fit.joblib").summary()) == str(fit.summary())
    found = joblib.Parallel(n_jobs=2)(joblib.delayed(largest)(each) for each in [fit, fit])
    assert [mean for mean, _ in found] == [largest(fit)[0]] * 2
