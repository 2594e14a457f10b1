"""Fits in the processes of dask."""

from __future__ import annotations

import dask
from test_files import fit, largest

import leapfrog

__all__ = ["fit"]


def test_dask(fit: leapfrog.Fit) -> None:
    found = dask.compute(*[dask.delayed(largest)(each) for each in [fit, fit]], scheduler="processes", num_workers=2)
    assert [mean for mean, _ in found] == [largest(fit)[0]] * 2
