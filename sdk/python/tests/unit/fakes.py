# SPDX-License-Identifier: Apache-2.0
"""A server that answers from a list, without any I/O or time."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping, Sequence
from typing import Any, TypeVar

from dsec._core.endpoint import Endpoint
from dsec._core.request import Request
from dsec._core.retry import Retries
from dsec._flow.caller import Caller
from dsec._io import Line
from dsec._io.blocking import BlockingLock, run
from dsec.errors import ConnectionLost

T = TypeVar("T")


class Canned:
    """An answer; with `breaks` its connection is lost at the end of the body."""

    def __init__(
        self, status: int, *pieces: bytes, breaks: bool = False, retry_after: str | None = None
    ) -> None:
        self.status = status
        self.headers: Mapping[str, str] = {"retry-after": retry_after} if retry_after else {}
        self.pieces = list(pieces)
        self.breaks = breaks
        self.closed = False

    async def read(self) -> bytes:
        if self.breaks:
            raise ConnectionLost("broke")
        return b"".join(self.pieces)

    async def chunk(self) -> bytes:
        if self.pieces:
            return self.pieces.pop(0)
        if self.breaks:
            raise ConnectionLost("broke")
        return b""

    def line(self) -> Line:
        raise AssertionError("no answer is upgraded here")

    async def close(self) -> None:
        self.closed = True


def ok(value: object, status: int = 200) -> Canned:
    return Canned(status, json.dumps(value).encode())


def refused(code: str, status: int, retry_after: str | None = None) -> Canned:
    body = json.dumps({"error": {"code": code, "message": "no"}}).encode()
    return Canned(status, body, retry_after=retry_after)


def ndjson(*values: object, breaks: bool = False) -> Canned:
    return Canned(200, *(json.dumps(v).encode() + b"\n" for v in values), breaks=breaks)


class FakeIO:
    """`dsec._io.IO` that answers in order, and raises what is an exception."""

    def __init__(self, *answers: Canned | BaseException) -> None:
        self.answers = list(answers)
        self.given = [a for a in answers if isinstance(a, Canned)]
        self.asked: list[Request] = []
        self.endpoint = Endpoint("http://a.test", "k")
        self.slept: list[float] = []

    async def open(self, request: Request) -> Canned:
        self.asked.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    def lock(self) -> BlockingLock:
        return BlockingLock()

    async def all_of(self, work: Sequence[Coroutine[Any, Any, Any]]) -> None:
        for one in work:
            await one

    async def aside(self, work: Callable[[], T]) -> T:
        return work()

    def now(self) -> float:
        return sum(self.slept)

    async def see_through(self, work: Coroutine[Any, Any, None]) -> None:
        await work

    async def close(self) -> None:
        pass

    def caller(self, retries: Retries = Retries()) -> Caller:  # noqa: B008
        return Caller(self, retries, lambda: 0)

    def body(self, call: int) -> dict[str, Any]:
        """The JSON that was sent."""
        body = self.asked[call].body
        assert isinstance(body, bytes)
        value: dict[str, Any] = json.loads(body)
        return value

    def calls(self) -> list[str]:
        return [f"{r.method} {r.target}" for r in self.asked]


def collect(source: AsyncGenerator[T, None]) -> list[T]:
    async def all_of_it() -> list[T]:
        return [value async for value in source]

    return run(all_of_it())
