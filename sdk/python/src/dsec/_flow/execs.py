# SPDX-License-Identifier: Apache-2.0
"""Commands in a sandbox. One that may have started is never sent again."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator
from typing import Any

from dsec._core.reply import decode
from dsec._core.request import ANSWER, NDJSON, Repeat, Request, encode, target
from dsec._flow.caller import Caller, lines
from dsec.amounts import seconds
from dsec.errors import ConnectionLost
from dsec.results import ExecResult, read_exec_result
from dsec.streams import ExecEnd, ExecEvent, read_exec_event

HEARTBEAT = 15.0
"""Seconds after which a stream says something in any case."""


async def run(caller: Caller, sandbox: str, body: dict[str, Any]) -> ExecResult:
    """Waits for the end."""
    limit = None if "timeout" not in body else ANSWER + seconds(body["timeout"])
    request = Request(
        "POST",
        target("sandboxes", sandbox, "exec"),
        encode(body),
        repeat=Repeat.REFUSED,
        silence=limit,
    )
    return read_exec_result((await caller.call(request)).json)


async def stream(caller: Caller, sandbox: str, body: dict[str, Any]) -> AsyncGenerator[ExecEvent, None]:
    """Tells what comes, to the end."""
    request = Request(
        "POST",
        target("sandboxes", sandbox, "exec"),
        encode(body),
        accept=NDJSON,
        repeat=Repeat.REFUSED,
        silence=ANSWER + HEARTBEAT,
    )
    opened = await caller.open(request)
    async with contextlib.aclosing(lines(opened, str(request))) as found:
        async for line in found:
            event = read_exec_event(decode(line, str(request)))
            if event is not None:
                yield event
            if isinstance(event, ExecEnd):
                return
    raise ConnectionLost(f"{request}: the stream ended before the program did")
