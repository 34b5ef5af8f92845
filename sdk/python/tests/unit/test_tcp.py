# SPDX-License-Identifier: Apache-2.0
"""Bare TCP over asyncio, against a real socket of this process."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable

import httpcore
import pytest

from dsec._io.tcp import Head, Tcp, TcpStream

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@contextlib.asynccontextmanager
async def connected(serve: Serve) -> AsyncIterator[TcpStream]:
    over = asyncio.Event()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await serve(reader, writer)
            await over.wait()
        finally:
            writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    stream = await Tcp().connect_tcp("127.0.0.1", server.sockets[0].getsockname()[1], 5)
    try:
        yield stream
    finally:
        over.set()
        await stream.aclose()
        server.close()
        await server.wait_closed()


async def nothing(_: asyncio.StreamReader, __: asyncio.StreamWriter) -> None:
    pass


async def test_bytes_go_both_ways() -> None:
    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write((await reader.readexactly(5))[::-1])

    async with connected(echo) as stream:
        await stream.write(b"hello", 5)
        assert await stream.read(100, 5) == b"olleh"
        assert not stream.get_extra_info("is_readable")


def test_a_head_waits_for_its_body_and_nothing_else_waits() -> None:
    head = Head()
    assert head.take(b"GET / HTTP/1.1\r\n\r\n") == b"GET / HTTP/1.1\r\n\r\n"
    assert head.take(b"POST / HTTP/1.1\r\n\r\n") == b""
    assert head.take(b"body") == b"POST / HTTP/1.1\r\n\r\nbody"
    assert head.take(b"more") == b"more"
    assert head.take(b"PUT / HTTP/1.1\r\n\r\n") == b""
    assert head.rest() == b"PUT / HTTP/1.1\r\n\r\n"
    assert head.rest() == b""


async def test_a_head_is_sent_at_the_latest_when_the_answer_is_read() -> None:
    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(await reader.readuntil(b"\r\n\r\n"))

    async with connected(echo) as stream:
        await stream.write(b"POST / HTTP/1.1\r\n\r\n")
        assert await stream.read(100, 5) == b"POST / HTTP/1.1\r\n\r\n"


async def test_a_silent_server_is_a_read_timeout() -> None:
    async with connected(nothing) as stream:
        with pytest.raises(httpcore.ReadTimeout):
            await stream.read(100, 0.01)


async def test_a_server_that_takes_nothing_is_a_write_error() -> None:
    async with connected(nothing) as stream:
        with pytest.raises(httpcore.WriteError):
            await stream.write(b"x" * (64 << 20), 0.05)


async def test_the_end_and_a_closed_connection() -> None:
    async def leave(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    async with connected(leave) as stream:
        assert await stream.read(100, 5) == b""
        assert stream.get_extra_info("is_readable"), "an unused connection that was closed is not used again"


async def test_an_address_where_nobody_listens() -> None:
    async with connected(nothing) as stream:
        port = stream.get_extra_info("peername")[1]
    with pytest.raises(httpcore.ConnectError):
        await Tcp().connect_tcp("127.0.0.1", port, 5)


async def test_a_connect_that_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    async def never(*_: object, **__: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(asyncio, "open_connection", never)
    with pytest.raises(httpcore.ConnectTimeout):
        await Tcp().connect_tcp("127.0.0.1", 1, 0.01)


@pytest.mark.parametrize("turns", range(6))
async def test_a_cancelled_connect_leaves_no_connection(turns: int) -> None:
    """Whichever step of it the cancellation meets."""
    serving: list[asyncio.Task[None] | None] = []
    later_came = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        serving.append(asyncio.current_task())
        if await reader.read() == b"later":
            later_came.set()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        host, port = server.sockets[0].getsockname()
        connecting = asyncio.create_task(Tcp().connect_tcp(host, port, 5))
        for _ in range(turns):
            await asyncio.sleep(0)
        connecting.cancel()
        try:
            stream = await connecting
        except asyncio.CancelledError:
            pass
        else:
            await stream.aclose()
        _, later = await asyncio.open_connection(host, port)
        later.write(b"later")
        later.close()
        await later_came.wait()
        await asyncio.wait_for(asyncio.gather(*(task for task in serving if task)), 5)
