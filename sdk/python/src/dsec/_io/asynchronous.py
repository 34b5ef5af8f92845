# SPDX-License-Identifier: Apache-2.0
"""I/O over asyncio."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from typing import Any, TypeVar

import httpcore

from dsec._core.endpoint import Endpoint
from dsec._core.request import STALL, Request
from dsec._io.http import FAILURES, Headers, Wire
from dsec._io.tcp import Tcp

T = TypeVar("T")


class AsyncReply:
    """A reply whose head has come."""

    def __init__(self, wire: Wire, response: httpcore.Response, what: str) -> None:
        self._wire = wire
        self._response = response
        self._what = what
        self._pieces: AsyncIterator[bytes] | None = None

    @property
    def status(self) -> int:
        return self._response.status

    @property
    def headers(self) -> Mapping[str, str]:
        return Headers(self._response.headers)

    async def read(self) -> bytes:
        try:
            return await self._response.aread()
        except FAILURES as e:
            raise self._wire.failed(e, self._what) from e

    async def chunk(self) -> bytes:
        if self._pieces is None:
            self._pieces = self._response.aiter_stream()
        try:
            return await anext(self._pieces, b"")
        except FAILURES as e:
            raise self._wire.failed(e, self._what) from e

    def line(self) -> AsyncLine:
        return AsyncLine(self._wire, self._response, self._what)

    async def close(self) -> None:
        await self._response.aclose()


class AsyncLine:
    """A connection after its upgrade."""

    def __init__(self, wire: Wire, response: httpcore.Response, what: str) -> None:
        self._wire = wire
        self._response = response
        self._what = what
        self._stream: httpcore.AsyncNetworkStream = response.extensions["network_stream"]
        self._reading: asyncio.Task[bytes] | None = None

    async def read(self, limit: float | None = None) -> bytes | None:
        """A wait that ends early is taken up by the next read: no byte is lost to it."""
        reading = self._reading or asyncio.ensure_future(self._stream.read(LINE))
        self._reading = reading
        await asyncio.wait({reading}, timeout=limit)
        if not reading.done():
            return None
        self._reading = None
        try:
            return reading.result()
        except FAILURES as e:
            raise self._wire.failed(e, self._what) from e

    async def write(self, data: bytes) -> None:
        try:
            await self._stream.write(data, STALL)
        except FAILURES as e:
            raise self._wire.failed(e, self._what) from e

    async def close(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.gather(self._reading, return_exceptions=True)
        await self._response.aclose()


LINE = 64 << 10
"""Bytes read at once."""


class AsyncIO:
    """`dsec._io.IO` over a connection pool of httpcore."""

    def __init__(
        self, endpoint: Endpoint, max_connections: int, network: httpcore.AsyncNetworkBackend | None
    ) -> None:
        self.endpoint = endpoint
        self._wire = Wire(endpoint)
        if network is None and self._wire.is_plain:
            network = Tcp()
        self._http = httpcore.AsyncConnectionPool(**self._wire.pool(max_connections), network_backend=network)

    async def open(self, request: Request) -> AsyncReply:
        content = request.body() if callable(request.body) else request.body
        try:
            response = await self._send(self._wire.request(request, content))
        except FAILURES as e:
            raise self._wire.failed(e, str(request)) from e
        return AsyncReply(self._wire, response, str(request))

    async def _send(self, request: httpcore.Request) -> httpcore.Response:
        if sys.version_info >= (3, 11):
            return await self._http.handle_async_request(request)
        # Before 3.11 anyio swallows a cancellation at the moment when a connection opens. In a task of its
        # own the request may swallow what it likes.
        task = asyncio.ensure_future(self._http.handle_async_request(request))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            task.cancel()
            await asyncio.wait({task})
            if not task.cancelled() and task.exception() is None:
                await task.result().aclose()
            raise

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def lock(self) -> asyncio.Lock:
        return asyncio.Lock()

    async def all_of(self, work: Sequence[Coroutine[Any, Any, Any]]) -> None:
        results = await asyncio.gather(*work, return_exceptions=True)
        for result in results:
            if isinstance(result, BaseException):
                raise result

    async def aside(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(None, work)

    def now(self) -> float:
        return time.monotonic()

    async def see_through(self, work: Coroutine[Any, Any, None]) -> None:
        """The work runs as a task of its own; a cancellation meanwhile is told once it is done."""
        task = asyncio.ensure_future(work)
        cancelled: asyncio.CancelledError | None = None
        while not task.done():
            try:
                await asyncio.shield(task)
            except asyncio.CancelledError as e:
                cancelled = e
        if cancelled is not None:
            raise cancelled
        task.result()

    async def close(self) -> None:
        await self._http.aclose()
