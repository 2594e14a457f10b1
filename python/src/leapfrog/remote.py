"""The same interface on a server: programs are compiled and run there, and draws come back as Arrow."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any, Callable, Mapping, Optional, Sequence, Union
from urllib.parse import quote

import numpy as np

from . import _process
from ._arrow import read_stream
from ._process import Engine, Event
from ._values import json_data
from .errors import ArgumentError, EngineError, LeapfrogError, StanError, error_of
from .fit import Fit
from .model import Model, ModelMethods, compile, program_and_name, source
from .posterior import Posterior

_INCLUDE = re.compile(r'#include\s+(?:"([^"\r\n]*)"|<([^>\r\n]*)>|(\S+))')
# Seconds between two requests for the state of a run.
_SHORTEST_INTERVAL = 0.02
_LONGEST_INTERVAL = 0.5


def connect(url: str, *, token: Optional[str] = None, timeout: float = 60) -> Server:
    """
    Connects to the server at an address such as `http://127.0.0.1:8080`, or to any server of a cluster. `token` is the server's token,
    `timeout` the maximum duration of a request in seconds. Raises EngineError if the server does not respond.
    """
    server = Server(url, token, timeout)
    server.request("GET", "health")
    return server


class Server:
    """A server. `compile` returns models that run there."""

    def __init__(self, url: str, token: Optional[str] = None, timeout: float = 60) -> None:
        self.url = url.rstrip("/")
        self._token = token
        self._timeout = timeout

    def compile(
        self,
        program: Union[str, Path, None] = None,
        *,
        name: Optional[str] = None,
        include_paths: Sequence[Union[str, Path]] = (),
        includes: Optional[Mapping[str, str]] = None,
        **arguments: Any,
    ) -> RemoteModel:
        """Compiles a program on the server; the arguments are those of `leapfrog.compile`."""
        read = source(*program_and_name(program, name, arguments), include_paths, includes)
        texts = _included(read["program"], read["folders"], read["includes"])
        resource = self.request("POST", "models", {"program_code": read["program"], "includes": texts})
        return RemoteModel(self, resource["name"], read["name"], read["program"], texts, resource["stanc_warnings"])

    def request(self, method: str, path: str, body: Optional[Mapping[str, Any]] = None) -> Any:
        """The JSON of a response. Raises StanProgramError, StanError, ArgumentError or EngineError for an error."""
        return json.loads(self.download(method, path, body))

    def download(self, method: str, path: str, body: Optional[Mapping[str, Any]] = None) -> bytes:
        # A tenth of the time of `import leapfrog`, without a server.
        import urllib.error
        import urllib.request

        headers = {"Content-Type": "application/json"} if body is not None else {}
        if self._token is not None:
            headers["Authorization"] = f"Bearer {self._token}"
        query = "&" if "?" in path else "?"
        address = f"{self.url}/v1/{path}{query}nonfinite=literal"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(address, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=self._timeout) as response:
                return bytes(response.read())
        except urllib.error.HTTPError as error:
            raise _failure(error.code, error.read()) from None
        except (OSError, ValueError) as error:
            raise EngineError(f"The server at {self.url} did not answer: {error}") from None

    def __repr__(self) -> str:
        return f"<leapfrog.Server {self.url}>"


class RemoteModel(ModelMethods):
    """
    A program that is compiled on a server. Algorithms and functions run there. `on`, `log_prob` and the other evaluations at points run in this
    process, which compiles the program for them; so do `log_likelihood`, `predict` and `Fit.loo`. Ctrl-C cancels a run; its draws are lost.
    """

    def __init__(
        self, server: Server, server_name: str, name: str, code: str, includes: Mapping[str, str], warnings: str
    ) -> None:
        super().__init__()
        self.server = server
        self.server_name = server_name
        """Name of the model on the server, `models/…`."""
        self.name = name
        self.code = code
        self.warnings = warnings
        self._includes = dict(includes)
        self._local: Optional[Model] = None

    def on(self, data: Any = None, **options: Any) -> Posterior:
        return self._compiled().on(data, **options)

    def _compiled(self) -> Model:
        """The model in this process."""
        if self._local is None:
            # With a line break, the text is never taken for a path.
            self._local = compile(self.code + "\n", name=self.name, includes=self._includes)
        return self._local

    def _derive(self, kind: str, data: Any, given: Mapping[str, Any], previous_fit: Any) -> Fit:
        return self._compiled()._derive(kind, data, given, previous_fit)

    def delete(self) -> None:
        """Deletes the model and its fits from the server."""
        self.server.request("DELETE", self.server_name)

    def _call(self, name: str, arguments: str, seed: Optional[int], signature: Optional[Sequence[str]]) -> Any:
        body: dict[str, Any] = {"arguments": json.loads(arguments)}
        if seed is not None:
            body["random_seed"] = int(seed)
        if signature is not None:
            body["signature"] = list(signature)
        return self.server.request("POST", f"{self.server_name}/functions/{quote(name)}", body)

    def _profile(self, data: Mapping[str, Any], options: Mapping[str, Any], seed: int) -> Any:
        given = {"unconstrained_parameters" if name == "point" else name: value for name, value in options.items()}
        body = {"data": json_data(data), "random_seed": int(seed), **given}
        return self.server.request("POST", f"{self.server_name}/profile", body)

    def _program(self) -> dict[str, Any]:
        return {"name": self.name, "program": self.code, "includes": self._includes}

    def _opened(self) -> tuple[Engine, int]:
        return self._compiled()._opened()

    def _loo(self, fit: Fit, data: Mapping[str, Any], moment_match: bool, exact: Optional[Mapping[str, float]]) -> Any:
        return self._compiled()._loo(fit, data, moment_match, exact)

    def _start(
        self,
        method: str,
        data: Mapping[str, Any],
        fields: dict[str, Any],
        sources: Mapping[str, Any],
        on_event: Callable[[Event], None],
        on_start: Optional[Callable[[Callable[[], None]], None]],
    ) -> Fit:
        if fields.pop("diagnostics"):
            raise ArgumentError("diagnostics of each draw are not among what a server sends as Arrow")
        derived = fields.pop("derived", "")
        numbers = {name: np.asarray(value).tolist() for name, value in fields.items() if name == "inv_metric"}
        inputs = {name: self._input(name, value) for name, value in sources.items()}
        header = {"op": "method", "method": method, "fields": {**fields, **numbers, **inputs}, "caller": "python"}
        reply, _ = _process.engine().request(header)
        body = {**reply["request"], "data": json_data(data)}
        path = {"prior": "prior", "sbc": "sbc", "kfold": "kfold"}.get(derived, "fits")
        try:
            operation = self.server.request("POST", f"{self.server_name}/{path}", body)
        except ArgumentError as error:
            # Each line begins with the name of an argument.
            typed = re.sub(r"^\w+", lambda name: reply["typed"].get(name[0], name[0]), str(error), flags=re.MULTILINE)
            renamed = ArgumentError(typed)
            renamed.reason = error.reason
            raise renamed from None
        if on_start is not None:
            on_start(lambda: self._cancel(operation["name"]))
        try:
            operation = self._wait(operation, on_event)
        except KeyboardInterrupt:
            self._cancel(operation["name"])
            raise
        return self._read(operation)

    def _input(self, name: str, value: Any) -> Any:
        if isinstance(value, Fit):
            prefix = f"{self.server.url}/v1/"
            if value.server_name is None or not value.server_name.startswith(prefix):
                raise ArgumentError(f"{name} must be values, or a fit of the same server")
            return value.server_name[len(prefix) :]
        if isinstance(value, Mapping):
            return json_data(value)
        raise ArgumentError(f"{name} must be a mapping or a fit: a server takes the same values for all chains")

    def _wait(self, operation: Any, on_event: Callable[[Event], None]) -> Any:
        interval = _SHORTEST_INTERVAL
        while True:
            for chain in operation["metadata"]["chains"]:
                on_event({"kind": "progress", "chain": chain["chain"], "progress": chain})
            if operation["done"]:
                break
            time.sleep(interval)
            interval = min(_LONGEST_INTERVAL, 1.3 * interval)
            operation = self.server.request("GET", operation["name"])
        if "code" in operation["result"]:
            raise _error(operation["result"])
        return operation

    def _cancel(self, operation: str) -> None:
        try:
            self.server.request("DELETE", operation)
        except LeapfrogError:
            pass

    def _read(self, operation: Any) -> Fit:
        name = operation["result"]["name"]
        table = read_stream(self.server.download("GET", f"{name}?format=arrow"))
        request = json.loads(table.metadata["leapfrog"])
        numbers = table.columns.pop("chain__", None)
        adapted = {each["chain"]: each for each in operation["metadata"].get("adaptation", [])}
        rows = np.column_stack(list(table.columns.values())) if table.columns else np.empty((0, 0))
        chains, parts = [], []
        for chain in request["chains"]:
            number = chain["chain"]
            own = rows if numbers is None else rows[numbers == number]
            found = {key: each for key, each in adapted.get(number, {}).items() if key != "chain"}
            settings = {"adapted": found} if found else {}
            chains.append({"id": number, "warmup": chain["warmup"], "draws": chain["draws"], **settings})
            parts += [np.ascontiguousarray(own, np.float64).tobytes(), b"", b""]
        asked = {key: request[key] for key in ("function", "arguments", "random_seed")}
        header = {
            "op": "open fit",
            "asked": {**asked, "created": operation["metadata"]["created"]},
            "program": self.server_name,
            "outputs": self._outputs(),
            "columns": list(table.columns),
            "diagnosticColumns": [],
            "chains": chains,
        }
        engine = _process.engine()
        fit = Fit(engine, engine.request(header, parts)[0])
        fit.server_name = f"{self.server.url}/v1/{name}"
        return fit

    def _outputs(self) -> list[dict[str, str]]:
        """What the program declares, by block."""
        info = self.server.request("GET", self.server_name)["info"]
        blocks = ("parameters", "transformed parameters", "generated quantities")
        return [{"name": name, "block": block} for block in blocks for name in info[block]]

    def __reduce__(self) -> tuple[Any, ...]:
        return RemoteModel, (self.server, self.server_name, self.name, self.code, self._includes, self.warnings)

    def __repr__(self) -> str:
        return f"<leapfrog.RemoteModel {self.name} on {self.server.url}>"


def _included(program: str, folders: Sequence[str], given: Mapping[str, str]) -> dict[str, str]:
    """The texts of the files that a program includes, directly or indirectly. The compiler reports missing files."""
    found = dict(given)
    waiting = [program, *given.values()]
    while waiting:
        for names in _INCLUDE.findall(waiting.pop()):
            name = "".join(names)
            path = next((path for folder in folders if (path := Path(folder, name)).is_file()), None)
            if name not in found and path is not None:
                found[name] = path.read_text(encoding="utf-8")
                waiting.append(found[name])
    return found


def _failure(status: int, content: bytes) -> LeapfrogError:
    try:
        body = json.loads(content)
        return _error(body)
    except (ValueError, KeyError):
        return EngineError(f"The server returned {status}.")


def _error(body: Mapping[str, Any]) -> LeapfrogError:
    """The exception for an error of the server, by its reason."""
    message, reason, details = body["message"], body.get("reason"), body.get("details", [])
    if reason == "not_compiled":
        diagnostics = [{"text": each["message"], **each} for each in details]
        error = error_of({"kind": "program", "message": message, "diagnostics": diagnostics})
    elif reason == "invalid_request":
        error = ArgumentError("\n".join(f"{each['field'].lstrip('/')} {each['message']}" for each in details))
    else:
        error = StanError(message, *details[:1]) if reason == "refused" else EngineError(message)
    error.reason = reason
    return error
