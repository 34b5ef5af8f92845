# SPDX-License-Identifier: Apache-2.0
"""Blocking I/O, and the driver of coroutines that never suspend."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Coroutine, Iterator, Mapping
from typing import Any, TypeVar

import httpx

from dsec._core.endpoint import Endpoint
from dsec._core.request import Request
from dsec._io.http import Wire

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

    def __init__(self, wire: Wire, response: httpx.Response, what: str) -> None:
        self._wire = wire
        self._response = response
        self._what = what
        self._pieces: Iterator[bytes] | None = None

    @property
    def status(self) -> int:
        return self._response.status_code

    @property
    def headers(self) -> Mapping[str, str]:
        return self._response.headers

    async def read(self) -> bytes:
        try:
            return self._response.read()
        except httpx.TransportError as e:
            raise self._wire.failed(e, self._what) from e

    async def chunk(self) -> bytes:
        if self._pieces is None:
            self._pieces = self._response.iter_bytes()
        try:
            return next(self._pieces, b"")
        except httpx.TransportError as e:
            raise self._wire.failed(e, self._what) from e

    async def close(self) -> None:
        self._response.close()


class BlockingIO:
    """`dsec._io.IO` over an httpx transport."""

    def __init__(
        self, endpoint: Endpoint, max_connections: int, transport: httpx.BaseTransport | None
    ) -> None:
        self._wire = Wire(endpoint)
        self._http = transport or httpx.HTTPTransport(**self._wire.transport(max_connections))

    async def open(self, request: Request) -> BlockingReply:
        try:
            response = self._http.handle_request(self._wire.request(request))
        except httpx.TransportError as e:
            raise self._wire.failed(e, str(request)) from e
        return BlockingReply(self._wire, response, str(request))

    async def sleep(self, seconds: float) -> None:
        time.sleep(seconds)  # noqa: ASYNC251 (no event loop here)

    def now(self) -> float:
        return time.monotonic()

    async def see_through(self, work: Coroutine[Any, Any, None]) -> None:
        await work

    async def close(self) -> None:
        self._http.close()
