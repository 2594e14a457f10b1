"""Compiles a program and draws from its posterior, from the import on: `python first_draw.py PACKAGE PROGRAM DATA CHAINS WARMUP DRAWS`."""

import json
import sys
from pathlib import Path


def leapfrog(program, data, chains, warmup, draws):
    import leapfrog

    model = leapfrog.compile(Path(program))
    return model.sample(data, chains=chains, iter_warmup=warmup, iter_sampling=draws, seed=1).draws("mu")


def stanli(program, data, chains, warmup, draws):
    import stanli

    model = stanli.Model(stan_file=program, data=data)
    return model.sample(chains=chains, warmup=warmup, samples=draws, seed=1, refresh=0).draws("mu")


def pystan(program, data, chains, warmup, draws):
    import stan

    model = stan.build(Path(program).read_text(), data=json.loads(Path(data).read_text()), random_seed=1)
    return model.sample(num_chains=chains, num_warmup=warmup, num_samples=draws)["mu"]


def cmdstanpy(*_):
    """The import alone, because CmdStan cannot be downloaded from a package registry."""
    import cmdstanpy

    return cmdstanpy.CmdStanModel


name, program, data, *counts = sys.argv[1:]
globals()[name](program, data, *map(int, counts))
