# SPDX-License-Identifier: Apache-2.0
"""Decoders of what comes in pieces. A piece may end anywhere, also inside a character."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dsec.errors import ProtocolError

LONGEST = 64 << 20
"""Bytes of the longest line taken; the server's longest are events of 16 MiB."""


class LineDecoder:
    """Whole lines, without their ends (LF or CRLF)."""

    def __init__(self, longest: int = LONGEST) -> None:
        self._longest = longest
        self._parts: list[bytes] = []
        self._held = 0

    def feed(self, piece: bytes) -> Iterator[bytes]:
        """The lines that this piece completes."""
        first, *more = piece.split(b"\n")
        if more:
            yield self._ended(first)
            for line in more[:-1]:
                yield line.removesuffix(b"\r")
            first = more[-1]
        if first:
            self._parts.append(first)
            self._held += len(first)
            if self._held > self._longest:
                raise ProtocolError(f"the server sent a line of more than {self._longest} bytes")

    def rest(self) -> bytes:
        """What came after the last end of a line: at the end of a stream, a broken line."""
        return b"".join(self._parts)

    def _ended(self, last: bytes) -> bytes:
        if self._parts:
            last = b"".join([*self._parts, last])
            self._parts.clear()
            self._held = 0
        return last.removesuffix(b"\r")


@dataclass(frozen=True)
class ServerEvent:
    """One server-sent event."""

    event: str
    data: bytes
    id: str | None


class SseDecoder:
    """Server-sent events from lines. An event that no empty line ends is none."""

    def __init__(self) -> None:
        self._event = ""
        self._data: list[bytes] = []
        self._id: str | None = None

    def feed(self, line: bytes) -> ServerEvent | None:
        """The event that this line completes."""
        if not line:
            return self._dispatch()
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"event":
            self._event = value.decode("utf-8", "replace")
        elif name == b"data":
            self._data.append(value)
        elif name == b"id":
            self._id = value.decode("utf-8", "replace")
        return None

    def _dispatch(self) -> ServerEvent | None:
        event = ServerEvent(self._event or "message", b"\n".join(self._data), self._id)
        empty = not self._data
        self._event, self._data, self._id = "", [], None
        return None if empty else event
