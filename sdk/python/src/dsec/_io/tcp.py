# SPDX-License-Identifier: Apache-2.0
"""Bare TCP for httpcore. Over asyncio its own way leads through anyio and takes twice as long.

Both ways put the head of a call and its body into one packet, where httpcore makes two.
"""

from __future__ import annotations

import asyncio
import select
from collections.abc import Iterable
from typing import Any

import httpcore

BUFFER = 256 << 10
"""Bytes of an answer that may lie unread before the server is held up."""


class Head:
    """The head of a call that has a body waits for the body's beginning, or for the answer to be read."""

    def __init__(self) -> None:
        self._held = b""

    def take(self, data: bytes) -> bytes:
        """What is to be sent now."""
        if not self._held and data.startswith((b"POST ", b"PUT ")) and data.endswith(b"\r\n\r\n"):
            self._held = data
            return b""
        return self.rest() + data

    def rest(self) -> bytes:
        """What was not sent yet."""
        held, self._held = self._held, b""
        return held


class PlainStream(httpcore.NetworkStream):
    """One blocking connection."""

    def __init__(self, stream: httpcore.NetworkStream) -> None:
        self._stream = stream
        self._head = Head()

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        head = self._head.rest()
        if head:
            self._stream.write(head, timeout)
        return self._stream.read(max_bytes, timeout)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        data = self._head.take(buffer)
        if data:
            self._stream.write(data, timeout)

    def close(self) -> None:
        self._stream.close()

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class Plain(httpcore.SyncBackend):
    """Makes blocking connections."""

    def connect_tcp(self, *args: Any, **kwargs: Any) -> httpcore.NetworkStream:
        return PlainStream(super().connect_tcp(*args, **kwargs))


class TcpStream(httpcore.AsyncNetworkStream):
    """One connection. After a timeout it is of no more use, as httpcore has it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._loop = asyncio.get_running_loop()
        self._head = Head()

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        head = self._head.rest()
        if head:
            self._writer.write(head)
        alarm = timeout and self._loop.call_later(timeout, self._reader.set_exception, httpcore.ReadTimeout())
        try:
            return await self._reader.read(max_bytes)
        except OSError as e:
            raise httpcore.ReadError(e) from e
        finally:
            if alarm:
                alarm.cancel()

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        data = self._head.take(buffer)
        if not data:
            return
        self._writer.write(data)
        if not self._writer.transport.get_write_buffer_size():
            return
        alarm = timeout and self._loop.call_later(timeout, self._writer.transport.abort)
        try:
            await self._writer.drain()
            if self._writer.transport.is_closing():
                raise httpcore.WriteError("the server takes nothing")
        except OSError as e:
            raise httpcore.WriteError(e) from e
        finally:
            if alarm:
                alarm.cancel()

    async def aclose(self) -> None:
        """What was not taken yet is dropped: whoever closes does not wait for a stalled server."""
        if self._writer.transport.get_write_buffer_size():
            self._writer.transport.abort()
        else:
            self._writer.close()
        await asyncio.sleep(0)  # the transport closes its socket then

    def get_extra_info(self, info: str) -> Any:
        if info == "is_readable":  # on a connection without a call: the server has closed it
            return self._reader.at_eof() or _is_readable(self._writer.get_extra_info("socket").fileno())
        return self._writer.get_extra_info(info)


class Tcp(httpcore.AsyncNetworkBackend):
    """Makes connections."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> TcpStream:
        opening = asyncio.open_connection(host, port, limit=BUFFER)
        try:
            reader, writer = await _within(timeout, asyncio.ensure_future(opening))
        except OSError as e:
            raise httpcore.ConnectError(e) from e
        for option in socket_options or ():
            writer.get_extra_info("socket").setsockopt(*option)
        return TcpStream(reader, writer)


Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def _within(timeout: float | None, opening: asyncio.Future[Connection]) -> Connection:
    """`asyncio.wait_for` loses a cancellation that comes as the connection does, before Python 3.12."""
    try:
        await asyncio.wait({opening}, timeout=timeout)
        if not opening.done():
            raise httpcore.ConnectTimeout
        return opening.result()
    except BaseException:
        opening.cancel()
        opening.add_done_callback(_drop)
        raise


def _drop(opening: asyncio.Future[Connection]) -> None:
    if not opening.cancelled() and opening.exception() is None:
        opening.result()[1].close()


def _is_readable(fd: int) -> bool:
    if fd < 0:
        return True
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    return bool(poll.poll(0))
