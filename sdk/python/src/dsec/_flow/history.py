# SPDX-License-Identifier: Apache-2.0
"""What happened to a sandbox."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator

from dsec._core.reply import decode
from dsec._core.request import ANSWER, NDJSON, Request, target
from dsec._flow.caller import Caller, lines, resumed
from dsec.sandboxes import StateChange, read_change
from dsec.trajectories import TrajectoryEvent, read_event


def trajectory(
    caller: Caller,
    sandbox: str,
    start: int,
    follow: bool,
) -> AsyncGenerator[TrajectoryEvent, None]:
    """Events from number `start` on; goes on after a break where it was."""

    def request(after: int) -> Request:
        query = [("from", str(after + 1))] + ([("follow", "true")] if follow else [])
        where = target("sandboxes", sandbox, "trajectory", query=query)
        return Request("GET", where, accept=NDJSON, silence=None if follow else ANSWER)

    return resumed(caller.patiently(), request, read_event, lambda event: event.seq, max(0, start - 1))


async def changes(caller: Caller, sandbox: str, follow: bool) -> AsyncGenerator[StateChange, None]:
    """Changes of state; with `follow` until the sandbox has ended."""
    query = [("follow", "true")] if follow else None
    request = Request(
        "GET",
        target("sandboxes", sandbox, "events", query=query),
        accept=NDJSON,
        silence=None if follow else ANSWER,
    )
    opened = await caller.open(request)
    async with contextlib.aclosing(lines(opened, str(request))) as found:
        async for line in found:
            if line:  # an empty one shows that the server lives
                yield read_change(decode(line, str(request)))
