# SPDX-License-Identifier: Apache-2.0
"""Bytes that callers give: text, bytes, files, iterables."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Callable, Iterator
from typing import Any

from dsec._core.request import Upload
from dsec._io import IO
from dsec.execs import Input, Readable

PIECE = 1 << 20
"""Bytes read from a file at once."""


def is_whole(source: object) -> bool:
    """True for text and bytes, which are at hand whole and may be sent again."""
    return isinstance(source, (str, bytes, bytearray, memoryview))


def whole(source: Any) -> bytes:
    """Text or bytes as bytes."""
    return source.encode() if isinstance(source, str) else bytes(source)


async def pieces(io: IO, source: Input) -> AsyncGenerator[bytes, None]:
    """The bytes of a source in pieces of at most `PIECE`; none is empty."""
    if is_whole(source):
        data = memoryview(whole(source))
        for at in range(0, len(data), PIECE):
            yield bytes(data[at : at + PIECE])
        return
    take = _taker(source)
    while piece := await io.aside(take):
        if isinstance(piece, str):
            raise TypeError('a source of bytes gave text; open the file with "rb"')
        for at in range(0, len(piece), PIECE):
            yield bytes(piece[at : at + PIECE])


def _taker(source: Any) -> Callable[[], Any]:
    read = getattr(source, "read", None)
    if read is not None:
        return lambda: read(PIECE)
    rest: Iterator[Any] = iter(source)
    return lambda: next((piece for piece in rest if piece), None)


def upload(io: IO, source: Input) -> tuple[bytes | Upload, int | None, bool]:
    """A source as the body of one call, its length where known, and whether it may be sent again.

    A file is sent from where it stands.
    """
    if is_whole(source):
        data = whole(source)
        return data, len(data), True
    begin = _position(source)
    if begin is None:
        return (lambda: pieces(io, source)), None, False
    file: Any = source
    length = file.seek(0, os.SEEK_END) - begin
    file.seek(begin)

    async def again() -> AsyncGenerator[bytes, None]:
        file.seek(begin)
        async for piece in pieces(io, _Bounded(file, length)):
            yield piece

    return again, length, True


class _Bounded:
    """A file that has no more bytes than were promised, whoever writes to it meanwhile."""

    def __init__(self, file: Readable, left: int) -> None:
        self._file = file
        self._left = left

    def read(self, size: int) -> bytes:
        piece = self._file.read(min(size, self._left))
        self._left -= len(piece)
        return piece


def _position(source: Any) -> int | None:
    try:
        return int(source.tell()) if source.seekable() else None
    except (AttributeError, OSError):
        return None
