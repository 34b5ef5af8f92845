# SPDX-License-Identifier: Apache-2.0
"""Calls with retries, and streams of lines that go on after a break."""

from __future__ import annotations

import contextlib
import random
import uuid
from collections.abc import AsyncGenerator, Callable
from dataclasses import replace
from typing import Any, TypeVar

from dsec._core.lines import LineDecoder
from dsec._core.reply import decode, error_of
from dsec._core.request import Query, Request, target
from dsec._core.retry import Retries, Tries
from dsec._io import IO, Opened
from dsec.errors import ApiError, ConnectionLost, DsecError, NoServer, ProtocolError

T = TypeVar("T")

REFUSED_BY_DSEC = "dsec-error"
"""A header of every refusal of DSec's own."""

WATCHING = 3
"""How many times more often than other calls one is sent that watches something."""

WATCH = 5.0
"""Seconds of the longest pause of such a call."""


class Reply:
    """An answer that means success, and its JSON."""

    def __init__(self, status: int, body: bytes, what: str) -> None:
        self.status = status
        self._body = body
        self._what = what

    @property
    def json(self) -> dict[str, Any]:
        """The object in the body."""
        return decode(self._body, self._what)


class Caller:
    """Sends requests until they are answered, refused, or not worth another try."""

    def __init__(self, io: IO, retries: Retries, luck: Callable[[], float] = random.random) -> None:
        self.io = io
        self.retries = retries
        self.luck = luck

    def briefly(self) -> Caller:
        """The same for undoing: whoever was interrupted does not want to wait."""
        return Caller(self.io, Retries(attempts=2, patience=5), self.luck)

    def patiently(self) -> Caller:
        """The same for watching what goes on by itself: it outlasts a restart of the server."""
        r = self.retries
        attempts = r.attempts * WATCHING if r.attempts > 1 else 1
        longest = min(r.longest, WATCH)
        return Caller(self.io, replace(r, attempts=attempts, longest=longest), self.luck)

    async def call(self, request: Request) -> Reply:
        """The whole answer."""
        tries = Tries(self.retries, request.repeat)
        while True:
            try:
                opened = await self._accepted(request)
                try:
                    return Reply(opened.status, await opened.read(), str(request))
                finally:
                    await opened.close()
            except DsecError as failure:
                await self.wait_or_raise(tries, failure)

    async def open(self, request: Request) -> Opened:
        """An answer to be read as it comes; the caller closes it."""
        tries = Tries(self.retries, request.repeat)
        while True:
            try:
                return await self._accepted(request)
            except DsecError as failure:
                await self.wait_or_raise(tries, failure)

    async def wait_or_raise(self, tries: Tries, failure: DsecError) -> None:
        """Waits for the next try; raises the failure when there is none."""
        pause = tries.pause(failure, self.luck())
        if pause is None:
            raise failure
        await self.io.sleep(pause)

    async def _accepted(self, request: Request) -> Opened:
        opened = await self.io.open(request)
        if opened.status < 300 or (request.proxied and REFUSED_BY_DSEC not in opened.headers):
            return opened
        try:
            body = await opened.read()
        finally:
            await opened.close()
        raise error_of(opened.status, opened.headers, body, str(request))


async def lines(opened: Opened, what: str) -> AsyncGenerator[bytes, None]:
    """The lines of an answer; a broken last one means that the connection was lost."""
    decoder = LineDecoder()
    try:
        while chunk := await opened.chunk():
            for line in decoder.feed(chunk):
                yield line
    finally:
        await opened.close()
    if decoder.rest():
        raise ConnectionLost(f"{what}: the answer broke off in the middle of a line")


async def resumed(
    caller: Caller,
    request: Callable[[int], Request],
    read: Callable[[dict[str, Any]], T | None],
    position: Callable[[T], int],
    start: int = 0,
) -> AsyncGenerator[T, None]:
    """JSON lines of a history from position `start` on, over as many connections as it takes.

    `read` gives None for a line that only shows that the server lives.
    """
    at = start
    tries: Tries | None = None
    while True:
        asked = request(at)
        opened = await caller.open(asked)
        try:
            async with contextlib.aclosing(lines(opened, str(asked))) as found:
                async for line in found:
                    tries = None
                    if not line:
                        continue  # the server lives
                    value = read(decode(line, str(asked)))
                    if value is not None:
                        at = position(value)
                        yield value
            return
        except ConnectionLost as failure:
            tries = tries or Tries(caller.retries, asked.repeat)
            await caller.wait_or_raise(tries, failure)


async def paged(
    caller: Caller, name: str, query: Query, page: int, read: Callable[[dict[str, Any]], T]
) -> AsyncGenerator[T, None]:
    """All entries of a list, page by page; `name` is that of the call and of the field with the entries."""
    cursor: str | None = ""
    while cursor is not None:
        here = [*query, ("limit", str(page)), *([("cursor", cursor)] if cursor else [])]
        reply = (await caller.call(Request("GET", target(name, query=here)))).json
        for json in reply.get(name) or ():
            yield read(json)
        cursor = reply.get("next_cursor")


def new_key() -> str:
    """An identity for something about to be made."""
    return uuid.uuid4().hex


def may_exist(failure: BaseException) -> bool:
    """True when what was to be made may have been made, although nobody told."""
    return not isinstance(failure, (ApiError, NoServer, ProtocolError))
