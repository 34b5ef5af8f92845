# SPDX-License-Identifier: Apache-2.0
"""Commands that are waited for. One that may have started is never sent again: it is looked for by its id."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from dsec._core.bodies import Command
from dsec._core.reply import decode
from dsec._core.request import ANSWER, NDJSON, Query, Repeat, Request, encode, target
from dsec._flow import processes
from dsec._flow.caller import Caller, lines
from dsec._flow.sources import is_whole, pieces, whole
from dsec.errors import ApiError, Conflict, ConnectionLost, DsecError
from dsec.execs import Input
from dsec.results import ExecResult, read_exec_result
from dsec.streams import ExecEnd, ExecEvent, ExecStart, Stderr, Stdout, behind, read_exec_event

LOG = logging.getLogger("dsec")

T = TypeVar("T")

HEARTBEAT = 15.0
"""Seconds after which a stream says something in any case."""

AT_ONCE = 8 << 20
"""Bytes of input that go along with the command; more of it is sent behind."""


async def run(caller: Caller, sandbox: str, command: Command) -> ExecResult:
    """Waits for the end, over as many connections as it takes. Interrupted, it kills the program."""
    stdin = None
    if command.stdin is not None:
        stdin = whole(command.stdin) if is_whole(command.stdin) else None
        if stdin is None or len(stdin) > AT_ONCE:
            return await _fed(caller, sandbox, command, command.stdin)
    request = _request(sandbox, command, stdin, [("output", "end")])
    return await waited_for(caller, sandbox, request, lambda id: processes.abandon(caller, sandbox, id))


async def waited_for(
    caller: Caller, sandbox: str, request: Request, abandon: Callable[[str], Coroutine[Any, Any, None]]
) -> ExecResult:
    """The end of a command that the request starts; interrupted, the command is abandoned."""
    opened = await caller.open(request)
    id: str | None = None
    result: ExecResult | None = None
    try:
        async with contextlib.aclosing(lines(opened, str(request))) as found:
            async for line in found:  # to its end, so that the connection can be used again
                json = decode(line, str(request))
                if "end" in json:
                    result = read_exec_result(json["end"])
                if "start" in json:
                    id = str(json["start"]["id"])
                    LOG.debug("%s runs in %s", id, sandbox)
        if result is None:
            raise ConnectionLost(f"{request}: the answer ended before the program did")
        return result
    except ConnectionLost as lost:
        if result is not None:
            return result
        if id is None:
            raise
        async with processes.abandoned_if_interrupted(caller, abandon(id)):
            return await _found(lost, processes.result(caller.patiently(), sandbox, id))
    except DsecError:
        raise
    except BaseException:
        if id is not None:
            await caller.io.see_through(abandon(id))
        raise


async def _fed(caller: Caller, sandbox: str, command: Command, stdin: Input) -> ExecResult:
    """A command whose input is sent piece by piece."""
    info = await processes.start(caller, sandbox, {**command.body, "stdin_open": True})
    async with processes.abandoned_if_interrupted(caller, processes.abandon(caller, sandbox, info.id)):
        with contextlib.suppress(Conflict):  # it reads no more: that says nothing of how it ends
            at = 0
            async with contextlib.aclosing(pieces(caller.io, stdin)) as found:
                async for piece in found:
                    at = await processes.feed(caller, sandbox, info.id, at, piece, False)
            await processes.feed(caller, sandbox, info.id, at, b"", True)
        return await processes.result(caller, sandbox, info.id)


async def stream(caller: Caller, sandbox: str, command: Command) -> AsyncGenerator[ExecEvent, None]:
    """Tells what comes, to the end, over as many connections as it takes."""
    stdin = None
    if command.stdin is not None:
        stdin = b"".join([piece async for piece in pieces(caller.io, command.stdin)])
    told = streamed(caller, sandbox, _request(sandbox, command, stdin, ()))
    async with contextlib.aclosing(told):
        async for event in told:
            yield event


async def streamed(caller: Caller, sandbox: str, request: Request) -> AsyncGenerator[ExecEvent, None]:
    """What comes of a command that the request starts."""
    opened = await caller.open(request)
    id: str | None = None
    end: ExecEnd | None = None
    seen = dict.fromkeys(processes.STREAMS, 0)
    try:
        async with contextlib.aclosing(lines(opened, str(request))) as found:
            async for line in found:
                event = read_exec_event(decode(line, str(request)))
                if isinstance(event, ExecStart):
                    id = event.id
                if isinstance(event, (Stdout, Stderr)):
                    seen[event.stream] = behind(event)
                if isinstance(event, ExecEnd):
                    end = event
                elif event is not None:
                    yield event
        if end is None:
            raise ConnectionLost(f"{request}: the stream ended before the program did")
    except ConnectionLost as e:
        lost = e
    if end is not None:
        yield end
        return
    if id is None:
        raise lost
    async with contextlib.aclosing(processes.rest(caller, sandbox, id, seen)) as after:
        while (late := await _found(lost, anext(after, None))) is not None:
            yield late


async def _found(lost: ConnectionLost, search: Awaitable[T]) -> T:
    """What a search by id finds. Where it is refused, the connection that was lost is what went wrong."""
    try:
        return await search
    except ApiError as e:
        raise ConnectionLost(f"{lost}; and by its id it is not found: {e}") from lost


def _request(sandbox: str, command: Command, stdin: bytes | None, query: Query) -> Request:
    return Request(
        "POST",
        target("sandboxes", sandbox, "exec", query=query),
        encode(command.with_stdin(stdin)),
        accept=NDJSON,
        repeat=Repeat.REFUSED,
        silence=ANSWER + HEARTBEAT,
    )
