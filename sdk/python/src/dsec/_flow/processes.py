# SPDX-License-Identifier: Apache-2.0
"""Processes: start, feed, read, wait, end. Bytes go by offsets: none is lost or doubled."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import AsyncGenerator, Coroutine
from typing import Any

from dsec._core.request import ANSWER, BYTES, NDJSON, Query, Repeat, Request, encode, target
from dsec._flow.caller import Caller, resumed
from dsec._flow.sources import pieces
from dsec.amounts import Duration, seconds
from dsec.errors import Conflict, DsecError, Gone, SandboxFailed
from dsec.execs import Input
from dsec.processes import ProcessInfo, read_process
from dsec.results import ExecResult
from dsec.streams import ExecEnd, ExecEvent, Gap, Output, behind, read_output

TURN = 20.0
"""Seconds that one call waits for an end; then the next one does."""

LOOK = 0.5
"""Seconds between two looks at the output of a process whose own stream broke."""

LOG = logging.getLogger("dsec")

STREAMS = ("stdout", "stderr")


async def start(caller: Caller, sandbox: str, body: dict[str, Any]) -> ProcessInfo:
    """Runs. A start that may have happened is not sent again."""
    where = target("sandboxes", sandbox, "processes")
    request = Request("POST", where, encode(body), repeat=Repeat.REFUSED)
    return read_process((await caller.call(request)).json)


async def find(caller: Caller, sandbox: str) -> list[ProcessInfo]:
    """All that are known, newest first."""
    reply = (await caller.call(Request("GET", target("sandboxes", sandbox, "processes")))).json
    return [read_process(json) for json in reply.get("processes") or ()]


async def get(caller: Caller, sandbox: str, id: str, turn: float = 0) -> ProcessInfo:
    """As it is now, or once it ended when that comes within `turn` seconds."""
    query = [("wait", f"{turn:.3f}")] if turn else None
    request = Request("GET", _at(sandbox, id, query=query), silence=ANSWER + turn)
    return read_process((await caller.call(request)).json)


async def wait(caller: Caller, sandbox: str, info: ProcessInfo, limit: Duration | None) -> ProcessInfo:
    """Once it ended, or as it is when the limit passed first."""
    end = None if limit is None else caller.io.now() + seconds(limit)
    while info.running:
        left = TURN if end is None else end - caller.io.now()
        if left <= 0:
            break
        info = await get(caller.patiently(), sandbox, info.id, min(TURN, left))
    return info


def output(
    caller: Caller,
    sandbox: str,
    id: str,
    stream: str,
    offset: int,
    follow: bool,
) -> AsyncGenerator[Output, None]:
    """What is kept of a stream from `offset` on; goes on after a break where it was."""
    if stream not in STREAMS:
        raise ValueError(f"a process has stdout and stderr, no {stream!r}")

    def request(at: int) -> Request:
        query = [("stream", stream), ("offset", str(at))] + ([("follow", "true")] if follow else [])
        where = _at(sandbox, id, "output", query=query)
        return Request("GET", where, accept=NDJSON, silence=None if follow else ANSWER)

    return resumed(caller.patiently(), request, lambda json: read_output(json, stream), behind, offset)


async def result(caller: Caller, sandbox: str, id: str) -> ExecResult:
    """Its end with what is kept of its output, as of an exec."""
    info = await wait(caller, sandbox, await get(caller, sandbox, id), None)
    if info.ending is None:
        raise AssertionError("a wait without a limit ended early")
    stdout, stdout_head = await _kept(caller, sandbox, info, "stdout", info.stdout_size)
    stderr, stderr_head = await _kept(caller, sandbox, info, "stderr", info.stderr_size)
    return ExecResult(
        ending=info.ending,
        stdout_raw=stdout,
        stderr_raw=stderr,
        stdout_size=info.stdout_size,
        stderr_size=info.stderr_size,
        stdout_head=stdout_head,
        stderr_head=stderr_head,
        stdout_truncated=len(stdout) < info.stdout_size,
        stderr_truncated=len(stderr) < info.stderr_size,
        duration=info.duration,
        seq=(),
        id=info.id,
    )


async def _kept(caller: Caller, sandbox: str, info: ProcessInfo, stream: str, size: int) -> tuple[bytes, int]:
    """The kept bytes of the first `size`, and how many of them come before a gap."""
    parts: list[bytes] = []
    length, head = 0, None
    if size == 0:
        return b"", 0
    async with contextlib.aclosing(output(caller, sandbox, info.id, stream, 0, False)) as found:
        async for piece in found:
            if isinstance(piece, Gap):
                head = length if head is None else head
                continue
            data = piece.data[: max(0, size - piece.offset)]
            parts.append(data)
            length += len(data)
    return b"".join(parts), length if head is None else head


async def rest(
    caller: Caller,
    sandbox: str,
    id: str,
    seen: dict[str, int],
) -> AsyncGenerator[ExecEvent, None]:
    """What follows the bytes seen of both streams, to the end of the process."""
    caller = caller.patiently()
    info = await get(caller, sandbox, id)
    while True:
        for stream in STREAMS:
            async with contextlib.aclosing(output(caller, sandbox, id, stream, seen[stream], False)) as found:
                async for piece in found:
                    seen[stream] = behind(piece)
                    yield piece
        if info.ending is not None:
            sizes = info.stdout_size, info.stderr_size
            yield ExecEnd(info.id, info.ending, *sizes, info.duration or 0.0, ())
            return
        info = await get(caller, sandbox, id, LOOK)


async def feed(
    caller: Caller,
    sandbox: str,
    id: str,
    offset: int | None,
    data: bytes,
    close: bool,
) -> int:
    """Sends input that stands at `offset`; waits while nobody reads. Where it stands then."""
    query = [("offset", str(offset))] if offset is not None else []
    if close:
        query.append(("close", "true"))
    request = Request(
        "POST",
        _at(sandbox, id, "stdin", query=query),
        data,
        silence=None if data else ANSWER,
        stall=None,
        content_type=BYTES,
    )
    return int((await caller.patiently().call(request)).json["offset"])


async def write(caller: Caller, sandbox: str, id: str, at: int | None, data: Input) -> int:
    """Sends all of it behind the `at` bytes sent so far; asks how many those are when that is not known."""
    if at is None:
        at = await feed(caller, sandbox, id, None, b"", False)
    async with contextlib.aclosing(pieces(caller.io, data)) as found:
        async for piece in found:
            at = await feed(caller, sandbox, id, at, piece, False)
    return at


async def close_stdin(caller: Caller, sandbox: str, id: str, at: int | None) -> int:
    """No more input comes behind what was sent."""
    return await feed(caller, sandbox, id, at, b"", True)


async def signal(caller: Caller, sandbox: str, id: str, name: str | int, group: bool) -> None:
    """Once: a signal that may have been delivered is not sent again."""
    body = encode({"signal": name, "group": group})
    await caller.call(Request("POST", _at(sandbox, id, "signal"), body, repeat=Repeat.REFUSED))


async def kill(caller: Caller, sandbox: str, id: str) -> None:
    """KILL to its whole group; that it has ended already is fine."""
    body = encode({"signal": "KILL", "group": True})
    with contextlib.suppress(Conflict):
        await caller.call(Request("POST", _at(sandbox, id, "signal"), body))


async def abandon(caller: Caller, sandbox: str, id: str) -> None:
    """Kills a process whose user is gone; a failure is logged."""
    try:
        await kill(caller.briefly(), sandbox, id)
    except DsecError as e:
        LOG.warning("process %s of %s may be left running: %s", id, sandbox, e)


@contextlib.asynccontextmanager
async def abandoned_if_interrupted(
    caller: Caller, abandon: Coroutine[Any, Any, None]
) -> AsyncGenerator[None, None]:
    """Abandons when anything but an answer of the server ends the block."""
    try:
        yield
    except DsecError:
        raise
    except BaseException:
        await caller.io.see_through(abandon)
        raise
    finally:
        abandon.close()


async def leave(caller: Caller, sandbox: str, id: str) -> None:
    """Deletes a process at the end of its block, also when that is cancelled just then."""

    async def deleted() -> None:
        try:
            await delete(caller.briefly(), sandbox, id)
        except (Gone, SandboxFailed):
            pass  # with its sandbox
        except DsecError as e:
            LOG.warning("process %s of %s may be left running: %s", id, sandbox, e)

    await caller.io.see_through(deleted())


async def delete(caller: Caller, sandbox: str, id: str) -> None:
    """Kills what is left of it and forgets it."""
    await caller.call(Request("DELETE", _at(sandbox, id)))


def _at(sandbox: str, id: str, *more: str, query: Query | None = None) -> str:
    return target("sandboxes", sandbox, "processes", id, *more, query=query)
