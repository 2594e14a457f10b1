"""
Runs four chains of another engine with its default settings and 1000 iterations after warmup, on one thread, and prints as JSON what they took
and drew: `python peers.py ENGINE PROGRAM DATA SEED SCRATCH`.

nutpie and walnutpie compile with BridgeStan, whose sources the environment variable BRIDGESTAN names. A program is compiled once for all runs
with the same scratch folder, and its processor seconds are kept there.
"""

import ctypes
import hashlib
import json
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np

CHAINS = 4
DRAWS = 1000
DIVERGENT, LEAPFROG = 5, 4
"""Columns of stanli's statistics of a transition."""


def processor_seconds() -> float:
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def dotted(names: list) -> list:
    """Names of columns as in CmdStan's files: `theta.1`."""
    return [name.replace("[", ".").replace(",", ".").replace("]", "") for name in names]


def finite(draws) -> list:
    """JSON has no numbers that are not finite: they become null."""
    return np.where(np.isfinite(draws), draws, None).tolist()


def result(names: list, draws, warmup: int, sampling: int, compilation: float, seconds: float, divergences: int):
    """Where an engine measures no phases, processor time is divided in proportion to gradients. `draws` has the dimensions chain, draw, column."""
    share = warmup / (warmup + sampling)
    return {
        "gradients": {"warmup": int(warmup), "sampling": int(sampling)},
        "seconds": {"compilation": compilation, "warmup": seconds * share, "sampling": seconds * (1 - share)},
        "divergences": int(divergences),
        "draws": {name: finite(np.asarray(draws)[:, :, k]) for k, name in enumerate(dotted(names))},
    }


def stanli(program: Path, data: Path, seed: int, scratch: Path):
    import stanli

    start = processor_seconds()
    model = stanli.Model(stan_file=str(program), data=str(data), seed=seed)
    compiled = processor_seconds()
    fit = model.sample(chains=CHAINS, samples=DRAWS, seed=seed, parallel_chains=1, refresh=0, save_warmup=True)
    seconds = processor_seconds() - compiled
    statistics = fit.sampler_stats
    gradients = statistics[:, :, LEAPFROG]
    divergences = statistics[:, -DRAWS:, DIVERGENT].sum()
    warmup, sampling = gradients[:, :-DRAWS].sum(), gradients[:, -DRAWS:].sum()
    return result(fit.names, fit.draws()[:, -DRAWS:], warmup, sampling, compiled - start, seconds, divergences)


def library_of(program: Path, scratch: Path):
    """The BridgeStan library of a program, and the processor seconds of its compilation."""
    import bridgestan

    text = program.read_text()
    own = scratch / f"peer_{hashlib.sha256(text.encode()).hexdigest()[:12]}.stan"
    library, kept = own.with_name(f"{own.stem}_model.so"), own.with_suffix(".json")
    if not kept.exists():
        own.write_text(text)
        start = processor_seconds()
        bridgestan.compile_model(own, make_args=["STAN_THREADS=true"])
        kept.write_text(json.dumps(processor_seconds() - start))
    return library, json.loads(kept.read_text())


def nutpie(program: Path, data: Path, seed: int, scratch: Path, low_rank: bool = False):
    import bridgestan
    import nutpie

    library, compilation = library_of(program, scratch)

    def compiled(file, **_):
        return shutil.copy(library, Path(file).with_name("model_model.so"))

    bridgestan.compile_model = compiled
    model = nutpie.compile_stan_model(filename=str(program)).with_data(**json.loads(data.read_text()))
    start = processor_seconds()
    trace = nutpie.sample(
        model,
        draws=DRAWS,
        chains=CHAINS,
        cores=1,
        seed=seed,
        progress_bar=False,
        low_rank_modified_mass_matrix=low_rank,
    )
    seconds = processor_seconds() - start
    warmup = trace.warmup_sample_stats.n_steps.values.sum()
    sampling = trace.sample_stats.n_steps.values.sum()
    divergences = trace.sample_stats.diverging.values.sum()
    names, columns = [], []
    for name, variable in trace.posterior.data_vars.items():
        values = variable.values
        # Elements are in the order of Stan's columns: the first index varies fastest.
        for index in np.ndindex(*values.shape[2:][::-1]):
            place = index[::-1]
            names.append(".".join([name, *(str(i + 1) for i in place)]))
            columns.append(values[(slice(None), slice(None), *place)])
    return result(names, np.stack(columns, axis=2), warmup, sampling, compilation, seconds, divergences)


def nutpie_low_rank(program: Path, data: Path, seed: int, scratch: Path):
    return nutpie(program, data, seed, scratch, low_rank=True)


def walnutpie(program: Path, data: Path, seed: int, scratch: Path):
    import bridgestan
    from walnutpie import walnuts_pyfunc
    from walnutpie._ffi import logp_cfunc_type

    library, compilation = library_of(program, scratch)
    model = bridgestan.StanModel(str(library), str(data), seed=seed)
    source = Path(__file__).with_name("counted-gradient.c")
    adapter = scratch / "counted-gradient.so"
    if not adapter.exists():
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", adapter, source], check=True)
    counted = ctypes.CDLL(str(adapter))
    counted.target_of.restype = ctypes.c_void_p
    counted.target_of.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    counted.calls_of.restype = ctypes.c_long
    counted.calls_of.argtypes = [ctypes.c_void_p]
    gradient = ctypes.cast(model.stanlib.bs_log_density_gradient, ctypes.c_void_p)
    function = ctypes.cast(counted.evaluate, logp_cfunc_type)

    def run(draws: int):
        target = counted.target_of(model.model, gradient)
        start = processor_seconds()
        chains = walnuts_pyfunc(
            (function, target),
            num_params=model.param_unc_num(),
            num_chains=CHAINS,
            seed=seed,
            min_sampling_iter=draws,
            max_sampling_iter=draws,
        )
        return chains, counted.calls_of(target), processor_seconds() - start

    _, warmup, _ = run(1)
    chains, gradients, seconds = run(DRAWS)
    warmup = min(warmup, gradients - 1)
    names = model.param_names(include_tp=True)
    draws = [
        [model.param_constrain(row, include_tp=True) for row in np.ascontiguousarray(chain.data)] for chain in chains
    ]
    return result(names, draws, warmup, gradients - warmup, compilation, seconds, 0)


def reason(error: BaseException) -> str:
    """The last line of the exception that led to this one, before a stack trace of Rust. Messages of compilers end with the error."""
    while error.__context__ is not None:
        error = error.__context__
    message, *_ = str(error).split("\n\nStack backtrace")
    *_, last = ["", *message.splitlines()]
    return f"{type(error).__name__}: {last}"


ENGINES = {each.__name__: each for each in (stanli, nutpie, nutpie_low_rank, walnutpie)}

if __name__ == "__main__":
    engine, program, data, seed, scratch = sys.argv[1:]
    try:
        measured = ENGINES[engine](Path(program), Path(data), int(seed), Path(scratch))
    except BaseException as error:
        raise SystemExit(reason(error)) from error
    sys.stdout.write(json.dumps(measured))
    sys.stdout.flush()
    os._exit(0)
