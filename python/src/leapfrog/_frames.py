"""The frames of `src/pipe/frames.ts`: 16 bytes of lengths, a header of JSON, and binary parts."""

from __future__ import annotations

import json
import struct
from typing import Any, Callable, Sequence

HEAD = struct.Struct("<IIQ")

Header = dict[str, Any]


def encode(header: Header, parts: Sequence[bytes] = ()) -> bytes:
    """A frame of kind 0."""
    text = json.dumps({**header, "parts": [len(part) for part in parts]}).encode()
    return b"".join((HEAD.pack(len(text), 0, sum(map(len, parts))), text, *parts))


def decode(read: Callable[[int], bytes]) -> tuple[int, Header, list[memoryview]]:
    """Reads a frame: its kind, its header and its parts; a frame without a header has one part."""
    header_length, kind, payload_length = HEAD.unpack(read(HEAD.size))
    header = json.loads(read(header_length)) if header_length else {}
    payload = memoryview(read(payload_length))
    parts = []
    start = 0
    for length in header.get("parts", [payload_length]):
        parts.append(payload[start : start + length])
        start += length
    return kind, header, parts
