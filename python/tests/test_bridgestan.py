"""`leapfrog.bridgestan`. Scripts for BridgeStan are in docs/moving.md."""

from __future__ import annotations

import contextlib
import ctypes
import io
import json
import os
import shutil
import subprocess
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_package import DATA, SCHOOLS

import leapfrog
from leapfrog import bridgestan
from leapfrog.bridgestan import StanModel, compile, download

NORMAL = "data { int N; } parameters { vector[N] x; } model { x ~ std_normal(); }"
PRINTING = 'parameters { real x; } model { print("x = ", x); x ~ std_normal(); } generated quantities { print("gq"); }'


@pytest.fixture(scope="module")
def normal() -> StanModel:
    return StanModel(NORMAL, {"N": 3})


def test_bridgestan() -> None:
    model = leapfrog.compile(SCHOOLS)
    data = json.dumps({name: np.asarray(value).tolist() for name, value in DATA.items()})
    bridge = StanModel(model, data)
    posterior = model.on(DATA)
    point = np.linspace(-1, 1, 10)
    assert (bridge.param_unc_num(), bridge.param_num(), bridge.param_num(include_tp=True)) == (10, 10, 18)
    assert bridge.param_names()[:3] == ["mu", "tau", "eta.1"]
    assert bridge.param_unc_names()[2] == "eta.1"
    assert bridge.log_density(point, propto=False) == posterior.log_prob(point)
    assert bridge.log_density(point) == posterior.log_prob(point, propto=True)
    out = np.empty(10)
    value, gradient = bridge.log_density_gradient(point, propto=False, jacobian=False, out=out)
    assert gradient is out and np.array_equal(out, posterior.log_prob_grad(point, jacobian=False)[1])
    assert value == posterior.log_prob(point, jacobian=False)
    _, _, hessian = bridge.log_density_hessian(point)
    assert np.array_equal(hessian, posterior.hessian(point))
    direction = np.arange(10.0)
    assert np.allclose(bridge.log_density_hessian_vector_product(point, direction)[1], hessian @ direction)
    constrained = bridge.param_constrain(point)
    assert np.allclose(bridge.param_unconstrain(constrained), point)
    values = {"mu": constrained[0], "tau": constrained[1], "eta": constrained[2:].tolist()}
    assert np.allclose(bridge.param_unconstrain_json(json.dumps(values)), point)
    assert np.allclose(bridge.param_unconstrain_json(values), point)
    rng = bridge.new_rng(1)
    first, second = (bridge.param_constrain(point, include_gq=True, rng=rng) for _ in range(2))
    assert not np.array_equal(first, second) and first.shape == (26,)
    with pytest.raises(ValueError):
        bridge.param_constrain(point, include_gq=True)


def test_arrays_of_wrong_shapes_raise_both_errors_of_bridgestan(normal: StanModel) -> None:
    for kind in (ctypes.ArgumentError, ValueError, leapfrog.ArgumentError):
        with pytest.raises(kind, match=r"theta_unc must have the shape \(3,\), but has \(4,\)"):
            normal.log_density(np.zeros(4))
        with pytest.raises(kind, match=r"out must have the shape \(3,\), but has \(2,\)"):
            normal.log_density_gradient(np.zeros(3), out=np.zeros(2))
    with pytest.raises(ctypes.ArgumentError, match="but has"):
        normal.log_density(0.5)
    with pytest.raises(ctypes.ArgumentError, match="writable array of doubles"):
        normal.param_constrain(np.zeros(3), out=np.zeros(3, np.float32))


def test_arrays_and_pointers_of_ctypes(normal: StanModel) -> None:
    point = (ctypes.c_double * 3)(1, 2, 3)
    out = (ctypes.c_double * 3)()
    assert normal.log_density(ctypes.cast(point, ctypes.POINTER(ctypes.c_double))) == normal.log_density([1, 2, 3])
    assert normal.log_density_gradient(point, out=out)[1] is out
    assert list(out) == [-1, -2, -3]
    pointer = ctypes.cast((ctypes.c_double * 3)(), ctypes.POINTER(ctypes.c_double))
    normal.log_density_gradient(point, out=pointer)
    assert pointer[:3] == [-1, -2, -3]
    hessian = (ctypes.c_double * 9)()
    normal.log_density_hessian(point, out_hess=hessian)
    assert np.array_equal(np.reshape(hessian, (3, 3)), -np.eye(3))
    with pytest.raises(ctypes.ArgumentError, match="array of doubles"):
        normal.log_density((ctypes.c_int * 3)(1, 2, 3))


def test_printed_text_is_printed_by_python() -> None:
    model = StanModel(PRINTING)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        model.log_density([0.5])
        model.log_density_gradient([1.5])
        model.param_constrain([0.5], include_gq=True, rng=model.new_rng(1))
    assert printed.getvalue() == "x = 0.5\nx = 1.5\ngq\n"
    quiet = StanModel(PRINTING, capture_stan_prints=False)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        quiet.log_density([0.5])
    assert printed.getvalue() == ""


def test_a_function_of_ctypes_receives_printed_text() -> None:
    model = StanModel(PRINTING)
    received: list[bytes] = []

    @ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_char), ctypes.c_int)
    def callback(text: Any, length: int) -> None:
        received.append(text[:length])

    model._set_print_callback(callback, None)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        model.log_density([0.5])
    assert received == [b"x = 0.5", b"\n"] and printed.getvalue() == ""


def test_printed_text_precedes_an_error() -> None:
    model = leapfrog.compile('parameters { real x; } model { print("before"); reject("no"); }')
    printed: list[str] = []
    posterior = model.on(on_print=printed.append)
    with pytest.raises(leapfrog.StanError, match="no"):
        posterior.log_prob([0.5])
    assert printed == ["before\n"]


def test_data_blocks_print_when_a_model_is_created() -> None:
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        StanModel('transformed data { print("created"); } parameters { real x; } model { }')
    assert printed.getvalue() == "created\n"


def test_threads_share_a_model_that_prints() -> None:
    printed: list[str] = []
    posterior = leapfrog.compile(PRINTING).on(on_print=printed.append)

    def constrain() -> None:
        for seed in range(25):
            posterior.constrain_array([0.5], generated_quantities=True, seed=seed)

    threads = [threading.Thread(target=constrain) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert printed == ["gq\n"] * 250


def test_compiled_programs(tmp_path: Path) -> None:
    program = tmp_path / "normal.stan"
    program.write_text(NORMAL)
    compiled = bridgestan.compile_model(program, stanc_args=["--O1"], make_args=["STAN_THREADS=true"])
    assert compiled == compile.generate_so_name(program)
    with pytest.raises(ValueError, match="does not end in .stan"):
        bridgestan.compile_model(compiled)
    assert StanModel(tmp_path / "normal_model.so", {"N": 2}).param_unc_num() == 2
    program.unlink()
    model = StanModel(compiled, {"N": 2})
    assert (model.name(), model.param_unc_num()) == ("normal_model", 2)
    with pytest.raises(FileNotFoundError):
        StanModel(tmp_path / "normal_model.so", {"N": 2})
    with pytest.raises(FileNotFoundError):
        bridgestan.compile_model(program)


def test_a_model_of_a_program_writes_the_compiled_program(tmp_path: Path) -> None:
    program = tmp_path / "normal.stan"
    program.write_text(NORMAL)
    StanModel(program, {"N": 2})
    program.rename(tmp_path / "moved.stan")
    compiled = compile.generate_so_name(program)
    assert StanModel(compiled, {"N": 2}).param_unc_num() == 2
    compiled.unlink()
    compiled.mkdir()
    # A folder in which the file cannot be written.
    assert StanModel((tmp_path / "moved.stan").rename(program), {"N": 2}).param_unc_num() == 2


def test_programs_that_another_version_compiled_are_compiled_again(tmp_path: Path, monkeypatch) -> None:
    program = tmp_path / "normal.stan"
    program.write_text(NORMAL)
    monkeypatch.setattr(compile, "version", lambda: "0.0.1")
    compiled = bridgestan.compile_model(program)
    monkeypatch.undo()
    program.unlink()
    assert StanModel(compiled, {"N": 2}).log_density([0, 0]) == 0
    for contents in (b"", b"\x7fELF" + bytes(100), compiled.read_bytes()[:40]):
        compiled.write_bytes(contents)
        with pytest.raises(leapfrog.ArgumentError, match="is not a compiled program"):
            StanModel(compiled, {"N": 2})


def test_include_paths(tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "prior.stan").write_text("x ~ std_normal();")
    program = tmp_path / "including.stan"
    program.write_text("parameters { real x; }\nmodel {\n#include prior.stan\n}\n")
    assert StanModel(program, stanc_args=[f"--include-paths=.,{tmp_path / 'shared'}"]).log_density([1]) == -0.5


def test_functions_of_headers_are_not_supported(tmp_path: Path) -> None:
    program = tmp_path / "external.stan"
    program.write_text("functions { real f(real x); } parameters { real x; } model { x ~ normal(f(1), 1); }")
    with pytest.raises(RuntimeError, match="declared without specifying a definition"):
        bridgestan.compile_model(program)
    with pytest.raises(RuntimeError, match="USER_HEADER.*not supported"):
        bridgestan.compile_model(program, stanc_args=["--allow-undefined"])


def test_set_bridgestan_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="does not exist"):
        bridgestan.set_bridgestan_path(tmp_path / "missing")
    with pytest.raises(ValueError, match="does not contain file 'Makefile'"):
        bridgestan.set_bridgestan_path(tmp_path)
    (tmp_path / "Makefile").touch()
    monkeypatch.setenv("BRIDGESTAN", "")
    bridgestan.set_bridgestan_path(tmp_path)
    assert compile.get_bridgestan_path() == str(tmp_path)


def test_the_folder_instead_of_sources_compiles_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGESTAN", "")
    for module in (compile, download):
        monkeypatch.setattr(module, "CURRENT_BRIDGESTAN", tmp_path / "current")
    assert compile.get_bridgestan_path(download=False) == ""
    folder = compile.get_bridgestan_path()
    compile.verify_bridgestan_path(folder)
    assert compile.get_bridgestan_path(download=False) == folder
    program = tmp_path / "normal.stan"
    program.write_text(NORMAL)
    make = shutil.which("make", path=os.defpath)
    if make is None:
        pytest.skip("make is not installed")
    subprocess.run([make, "-C", folder, compile.generate_so_name(program)], check=True, capture_output=True)
    assert StanModel(compile.generate_so_name(program), {"N": 2}).param_unc_num() == 2
