# SPDX-License-Identifier: Apache-2.0
"""Blocking I/O, and the driver of coroutines that never suspend."""

from __future__ import annotations

import contextlib
import select
import socket
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import httpcore

from dsec._core.endpoint import Endpoint
from dsec._core.request import STALL, Request, Upload
from dsec._io.http import FAILURES, Headers, Wire
from dsec._io.tcp import Plain

T = TypeVar("T")


def run(work: Awaitable[T]) -> T:
    """Drives a coroutine over `BlockingIO` to its end in this thread."""
    steps = work.__await__()
    try:
        next(steps)
    except StopIteration as end:
        result: T = end.value
        return result
    raise AssertionError("a coroutine over blocking I/O waited for something else")


class BlockingReply:
    """A reply whose head has come."""

    def __init__(self, wire: Wire, response: httpcore.Response, what: str) -> None:
        self._wire = wire
        self._response = response
        self._what = what
        self._pieces: Iterator[bytes] | None = None

    @property
    def status(self) -> int:
        return self._response.status

    @property
    def headers(self) -> Mapping[str, str]:
        return Headers(self._response.headers)

    async def read(self) -> bytes:
        try:
            return self._response.read()
        except FAILURES as e:
            raise self._wire.failed(e, self._what) from e

    async def chunk(self) -> bytes:
        if self._pieces is None:
            self._pieces = self._response.iter_stream()
        try:
            return next(self._pieces, b"")
        except FAILURES as e:
            raise self._wire.failed(e, self._what) from e

    def line(self) -> BlockingLine:
        return BlockingLine(self._wire, self._response, self._what)

    async def close(self) -> None:
        self._response.close()


class BlockingLine:
    """A connection after its upgrade. One thread may read while another writes."""

    def __init__(self, wire: Wire, response: httpcore.Response, what: str) -> None:
        self._wire = wire
        self._response = response
        self._what = what
        self._stream: httpcore.NetworkStream = response.extensions["network_stream"]
        self._is_tls = self._stream.get_extra_info("ssl_object") is not None
        self._turn = threading.Lock()

    async def read(self, limit: float | None = None) -> bytes | None:
        if not self._has_some() and not _is_readable(self._stream.get_extra_info("socket"), limit):
            return None
        try:
            with self._turn if self._is_tls else contextlib.nullcontext():
                return self._stream.read(LINE, STALL)
        except FAILURES as e:
            raise self._wire.failed(e, self._what) from e

    def _has_some(self) -> bool:
        """Bytes that the socket does not show: what came with the upgrade, and what TLS has decoded."""
        if getattr(self._stream, "_leading_data", b""):
            return True
        return self._is_tls and bool(self._stream.get_extra_info("ssl_object").pending())

    async def write(self, data: bytes) -> None:
        try:
            with self._turn if self._is_tls else contextlib.nullcontext():
                self._stream.write(data, STALL)
        except FAILURES as e:
            raise self._wire.failed(e, self._what) from e

    async def close(self) -> None:
        self._response.close()


def _is_readable(source: socket.socket, limit: float | None) -> bool:
    if source.fileno() < 0:
        return True  # to be told by the read
    poll = select.poll()
    poll.register(source, select.POLLIN)
    return bool(poll.poll(None if limit is None else limit * 1000))


LINE = 64 << 10
"""Bytes read at once."""


class BlockingLock:
    """A lock of threads as flows take it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def locked(self) -> bool:
        return self._lock.locked()

    async def __aenter__(self) -> None:
        self._lock.acquire()

    async def __aexit__(self, *_: object) -> None:
        self._lock.release()


class BlockingIO:
    """`dsec._io.IO` over a connection pool of httpcore."""

    def __init__(
        self, endpoint: Endpoint, max_connections: int, network: httpcore.NetworkBackend | None
    ) -> None:
        self.endpoint = endpoint
        self._wire = Wire(endpoint)
        if network is None and self._wire.is_plain:
            network = Plain()
        self._http = httpcore.ConnectionPool(**self._wire.pool(max_connections), network_backend=network)

    async def open(self, request: Request) -> BlockingReply:
        body = request.body
        content = pieces(body) if callable(body) else body
        try:
            response = self._http.handle_request(self._wire.request(request, content))
        except FAILURES as e:
            raise self._wire.failed(e, str(request)) from e
        return BlockingReply(self._wire, response, str(request))

    async def sleep(self, seconds: float) -> None:
        time.sleep(seconds)  # noqa: ASYNC251 (no event loop here)

    def lock(self) -> BlockingLock:
        return BlockingLock()

    async def all_of(self, work: Sequence[Coroutine[Any, Any, Any]]) -> None:
        failure: Exception | None = None
        try:
            for one in work:
                try:
                    await one
                except Exception as e:
                    failure = failure or e
        finally:
            for one in work:  # what an interruption left undone
                one.close()
        if failure is not None:
            raise failure

    async def aside(self, work: Callable[[], T]) -> T:
        return work()

    def now(self) -> float:
        return time.monotonic()

    async def see_through(self, work: Coroutine[Any, Any, None]) -> None:
        await work

    async def close(self) -> None:
        self._http.close()


def pieces(upload: Upload) -> Iterator[bytes]:
    """An upload as blocking I/O takes it."""
    source = upload()
    while True:
        try:
            piece = run(anext(source))
        except StopAsyncIteration:
            return
        yield piece
