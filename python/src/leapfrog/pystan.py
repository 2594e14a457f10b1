"""
PyStan 3 on this engine: after `import leapfrog.pystan`, `stan.build` needs no C++ compiler and starts no server.

PyStan sends its requests to a client of httpstan's interface. The client here answers them in this process.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import re
import threading
from typing import Any, Callable, Optional

import httpstan.models
import stan.common

from ._columns import variable_of
from ._process import Event
from .errors import ArgumentError, LeapfrogError, StanProgramError
from .fit import Fit
from .model import Model, compile
from .posterior import Posterior

Body = dict[str, Any]
Answer = tuple[int, Any]

_models: dict[str, Model] = {}
_operations: dict[str, Operation] = {}
_numbers = itertools.count(1)
_latest: Optional[tuple[tuple[str, str], Posterior]] = None


class Operation:
    """A run of one chain in a thread."""

    def __init__(self, model: Model, model_name: str, body: Body) -> None:
        number = next(_numbers)
        self.name = f"operations/{number}"
        self.fit_name = f"{model_name}/fits/{number}"
        self.model = model
        self.progress: Optional[str] = None
        self.logged: list[tuple[str, str]] = []
        self.fit: Optional[Fit] = None
        self.error: Optional[LeapfrogError] = None
        self.is_done = False
        self.cancel: Callable[[], None] = lambda: None
        self._begun = threading.Event()
        threading.Thread(target=self._run, args=(body,), name=self.name, daemon=True).start()

    def wait_for_begin(self) -> None:
        """Waits until the chain has sent an event or ended: invalid arguments are then known."""
        self._begun.wait()

    def resource(self) -> Body:
        result: Body = {}
        if self.error is not None:
            message = str(self.error)
            if "Initialization failed" in message:
                message += f" {ValueError('Initialization failed.')!r}"
            result = {"code": 400, "message": message}
        elif self.is_done:
            result = {"name": self.fit_name}
        return {"name": self.name, "done": self.is_done, "metadata": {"progress": self.progress}, "result": result}

    def messages(self) -> bytes:
        """The fit as httpstan sends it: one line of JSON per draw and per line of the log."""
        assert self.fit is not None
        lines: list[Body] = [{"topic": "logger", "values": [f"{level}:{text}"]} for level, text in self.logged]
        (chain,) = self.fit.chains
        for rows in (chain.warmup, chain.draws):
            for row in rows.tolist():
                lines.append({"topic": "sample", "values": dict(zip(self.fit.columns, row))})
        return "\n".join(json.dumps({"version": 1, **line}) for line in lines).encode()

    def _run(self, body: Body) -> None:
        def on_event(event: Event) -> None:
            if event["kind"] == "log":
                self.logged.append((event["level"], event["text"]))
                if event["text"].startswith("Iteration:"):
                    self.progress = event["text"]
            self._begun.set()

        def on_start(cancel: Callable[[], None]) -> None:
            self.cancel = cancel

        fields = dict(body)
        data, function = fields.pop("data", {}), fields.pop("function")
        if not fields.get("init"):
            fields.pop("init", None)
        if function == "stan::services::sample::fixed_param":
            fields["algorithm"] = "fixed_param"
        try:
            self.fit = self.model._run("sample", data, fields, on_event=on_event, on_start=on_start)
        except LeapfrogError as error:
            self.error = error
        except KeyboardInterrupt:
            self.error = LeapfrogError("The run was cancelled.")
        self.is_done = True
        self._begun.set()


class Client(stan.common.HttpstanClient):  # type: ignore[misc]
    """PyStan's requests to httpstan's interface."""

    async def __aenter__(self) -> Client:
        self._own: list[Operation] = []
        return self

    async def __aexit__(self, *error: Any) -> None:
        for operation in self._own:
            if not operation.is_done:
                operation.cancel()
            _operations.pop(operation.name, None)

    async def get(self, path: str) -> Any:
        return await self._answer(self._get, path)

    async def post(self, path: str, json: Body) -> Any:
        return await self._answer(_post, path, json, self._own)

    async def delete(self, path: str) -> Any:
        return await self._answer(lambda _: (200, {}), path)

    def _get(self, path: str) -> Answer:
        if path.strip("/") in _operations:
            return 200, _operations[path.strip("/")].resource()
        for operation in self._own:
            if path == f"/{operation.fit_name}":
                return 200, operation.messages()
        return _failure(404, f"{path} is not here")

    @staticmethod
    async def _answer(perform: Callable[..., Answer], *arguments: Any) -> Any:
        status, answer = await asyncio.get_running_loop().run_in_executor(None, lambda: perform(*arguments))
        content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        return stan.common.HTTPResponse(status=status, content=content)


def _post(path: str, body: Body, own: list[Operation]) -> Answer:
    if path == "/models":
        return _build(body["program_code"])
    found = re.fullmatch(r"/(models/\w+)/(\w+)", path)
    if found is None or found.group(1) not in _models:
        return _failure(404, f"{path} is not here")
    model_name, what = found.groups()
    try:
        if what == "fits":
            return _begin(model_name, body, own)
        return 200, _evaluate(what, _posterior(model_name, body.pop("data")), body)
    except LeapfrogError as error:
        return _failure(400, str(error))
    except ValueError as error:
        return _failure(400, f"{error!r}")


def _build(program: str) -> Answer:
    name = httpstan.models.calculate_model_name(program)
    try:
        if name not in _models:
            _models[name] = compile(program)
    except StanProgramError as error:
        # PyStan reads the text of an error from the representation of a ValueError.
        return _failure(400, f"Exception while building model extension module: `{ValueError(str(error))!r}`")
    return 201, {"name": name, "compiler_output": "", "stanc_warnings": _models[name].warnings}


def _begin(model_name: str, body: Body, own: list[Operation]) -> Answer:
    operation = Operation(_models[model_name], model_name, body)
    operation.wait_for_begin()
    if isinstance(operation.error, ArgumentError):
        return _failure(422, str(operation.error))
    own.append(operation)
    _operations[operation.name] = operation
    return 201, operation.resource()


def _posterior(model_name: str, data: Body) -> Posterior:
    """The model on data. The latest one is kept, because PyStan evaluates it repeatedly."""
    global _latest
    key = (model_name, json.dumps(data))
    if _latest is None or _latest[0] != key:
        _latest = (key, _models[model_name].on(data))
    return _latest[1]


def _evaluate(what: str, posterior: Posterior, body: Body) -> Body:
    if what == "params":
        names = posterior.names(transformed_parameters=True, generated_quantities=True)
        by_variable: dict[str, list[str]] = {name: [] for name in posterior.variables}
        for name in names:
            by_variable[variable_of(name)].append(name)
        params = [
            {"name": name, "dims": list(dims), "constrained_names": by_variable[name]}
            for name, dims in posterior.variables.items()
        ]
        return {"params": params}
    if what == "transform_inits":
        return {"params_r_unconstrained": posterior.unconstrain(body["constrained_parameters"]).tolist()}
    point = body["unconstrained_parameters"]
    if what == "write_array":
        values = posterior.constrain_array(
            point,
            transformed_parameters=body.get("include_tparams", True),
            generated_quantities=body.get("include_gqs", True),
        )
        return {"params_r_constrained": values.tolist()}
    if what == "log_prob":
        return {"log_prob": posterior.log_prob(point, jacobian=body.get("adjust_transform", True))}
    if what == "log_prob_grad":
        return {"log_prob_grad": posterior.log_prob_grad(point)[1].tolist()}
    raise ValueError(f"{what} is not among the requests")


def _failure(status: int, message: str) -> Answer:
    return status, {"code": status, "status": "", "message": message}


stan.common.HttpstanClient = Client
