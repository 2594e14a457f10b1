"""
Reads the Arrow IPC streams of a server: columns of doubles and 32-bit integers without nulls.

Source: "Arrow Columnar Format", sections "IPC Streaming Format" and "Encapsulated message format" (arrow.apache.org/docs/format/Columnar.html),
and the FlatBuffers binary format (flatbuffers.dev/internals).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

# Numbers of `MessageHeader` and `Type` in Arrow's Message.fbs and Schema.fbs.
_SCHEMA = 1
_RECORD_BATCH = 3
_FLOATING_POINT = 3


@dataclass(frozen=True)
class ArrowTable:
    columns: dict[str, NDArray[Any]]
    metadata: dict[str, str]


def read_stream(content: bytes) -> ArrowTable:
    """The columns of a stream, each in one array."""
    names: list[str] = []
    types: list[str] = []
    metadata: dict[str, str] = {}
    batches: list[list[NDArray[Any]]] = []
    start = 0
    while start + 8 <= len(content):
        _, length = struct.unpack_from("<iI", content, start)
        if length == 0:
            break
        message = _Table.root(content, start + 8)
        body = start + 8 + length
        header = message.table(2)
        kind = message.number(1, "B")
        if kind == _SCHEMA and header is not None:
            for field in header.tables(1):
                names.append(field.text(0))
                types.append("<f8" if field.number(2, "B") == _FLOATING_POINT else "<i4")
            metadata = {each.text(0): each.text(1) for each in header.tables(2)}
        elif kind == _RECORD_BATCH and header is not None:
            buffers = header.pairs(2)
            # The first buffer of each column is for nulls.
            batches.append(
                [
                    np.frombuffer(content, types[place], size // int(types[place][2]), body + offset)
                    for place, (offset, size) in enumerate(buffers[1::2])
                ]
            )
        start = body + message.number(3, "q")
    empty = [np.empty(0, each) for each in types]
    joined = [np.concatenate(parts) for parts in zip(*batches)] if batches else empty
    return ArrowTable(dict(zip(names, joined)), metadata)


class _Table:
    """A table of a FlatBuffer."""

    def __init__(self, content: bytes, place: int) -> None:
        self._content = content
        self._place = place
        self._vtable = place - self._read("i", place)

    @classmethod
    def root(cls, content: bytes, start: int) -> _Table:
        return cls(content, start + int(struct.unpack_from("<I", content, start)[0]))

    def number(self, field: int, format: str) -> int:
        place = self._field(field)
        return 0 if place is None else self._read(format, place)

    def table(self, field: int) -> Optional[_Table]:
        place = self._field(field)
        return None if place is None else _Table(self._content, self._target(place))

    def text(self, field: int) -> str:
        place = self._field(field)
        if place is None:
            return ""
        start = self._target(place)
        return self._content[start + 4 : start + 4 + self._read("I", start)].decode()

    def tables(self, field: int) -> list[_Table]:
        start, count = self._vector(field)
        return [_Table(self._content, self._target(start + 4 * index)) for index in range(count)]

    def pairs(self, field: int) -> list[tuple[int, int]]:
        """A vector of structures with two 64-bit integers."""
        start, count = self._vector(field)
        return [struct.unpack_from("<qq", self._content, start + 16 * index) for index in range(count)]

    def _vector(self, field: int) -> tuple[int, int]:
        place = self._field(field)
        if place is None:
            return 0, 0
        start = self._target(place)
        return start + 4, self._read("I", start)

    def _field(self, field: int) -> Optional[int]:
        if 4 + 2 * field >= self._read("H", self._vtable):
            return None
        offset = self._read("H", self._vtable + 4 + 2 * field)
        return self._place + offset if offset else None

    def _target(self, place: int) -> int:
        return place + self._read("I", place)

    def _read(self, format: str, place: int) -> int:
        return int(struct.unpack_from("<" + format, self._content, place)[0])
