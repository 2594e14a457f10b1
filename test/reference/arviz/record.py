"""Writes files in ArviZ's format from the draws in chain_1.txt and chain_2.txt.

    leapfrog sample model.stan --chains 2 --seed 3 --num-samples 6 --num-warmup 4 --save-warmup true --output chain.csv
    for chain in 1 2; do mv chain_$chain.csv chain_$chain.txt; done
    python record.py

Recorded with ArviZ 0.23.4 and h5netcdf 1.8.2.
"""

import gzip
import os
import tempfile

import arviz

FILES = ["chain_1.txt", "chain_2.txt"]


def record(name, draws, **options):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name)
        draws.to_netcdf(path, **options)
        with open(path, "rb") as file, open(f"{name}.gz", "wb") as target:
            target.write(gzip.compress(file.read(), 9, mtime=0))


record(
    "warm.nc",
    arviz.from_cmdstan(FILES, posterior_predictive=["y_rep"], log_likelihood="log_lik", save_warmup=True),
)
record("plain.nc", arviz.from_cmdstan(FILES), compress=False)
