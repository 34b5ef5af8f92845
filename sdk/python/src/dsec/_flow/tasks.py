# SPDX-License-Identifier: Apache-2.0
"""Tasks: start, wait, cancel."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Mapping
from typing import Any

from dsec._core import bodies
from dsec._core.request import ANSWER, Repeat, Request, encode, target
from dsec._flow.caller import Caller, may_exist, new_key, paged
from dsec.amounts import Duration, seconds
from dsec.errors import DsecError
from dsec.results import TaskResult
from dsec.tasks import TaskEntry, TaskInfo, read_task, read_task_entry

LOG = logging.getLogger("dsec")

TURN = 20.0
"""Seconds that one call waits for a task; then the next one does."""


async def start(caller: Caller, image: str, fields: Mapping[str, Any]) -> TaskInfo:
    """Accepted. Cancelled before that was told, the task is cancelled."""
    body = bodies.task(image, fields)
    request = Request("POST", target("tasks"), encode(body))
    if "task_id" not in body:
        request = request.with_header("Idempotency-Key", new_key())
    try:
        return read_task((await caller.call(request)).json)
    except BaseException as e:
        if "task_id" not in body and may_exist(e):
            await caller.io.see_through(_undo(caller, request))
        raise


async def _undo(caller: Caller, request: Request) -> None:
    try:
        info = read_task((await caller.briefly().call(request)).json)
    except DsecError as e:
        LOG.warning("a task may be left running: %s", e)
    else:
        await abandon(caller, info.id, 0)


async def abandon(caller: Caller, id: str, grace: Duration) -> None:
    """Cancels a task whose user is gone; a failure is logged."""
    try:
        await cancel(caller.briefly(), id, grace)
    except DsecError as e:
        LOG.warning("task %s may be left running: %s", id, e)


async def run(caller: Caller, image: str, fields: Mapping[str, Any], cancel_grace: Duration) -> TaskResult:
    """The task's end; interrupted, the task is cancelled."""
    info = await start(caller, image, fields)
    try:
        info = await wait(caller, info, None)
    except BaseException:
        await caller.io.see_through(abandon(caller, info.id, cancel_grace))
        raise
    if info.result is None:
        raise AssertionError("a wait without a limit ended early")
    return info.result


async def get(caller: Caller, id: str, turn: float = 0) -> TaskInfo:
    """The task as it is now, or once it ended when that comes within `turn` seconds."""
    query = [("wait", f"{turn:.3f}")] if turn else None
    where = target("tasks", id, query=query)
    return read_task((await caller.call(Request("GET", where, silence=ANSWER + turn))).json)


async def wait(caller: Caller, info: TaskInfo, limit: Duration | None) -> TaskInfo:
    """The task once it ended; without a result when the limit passed first."""
    end = None if limit is None else caller.io.now() + seconds(limit)
    while info.result is None:
        left = TURN if end is None else end - caller.io.now()
        if left <= 0:
            break
        info = await get(caller.patiently(), info.id, min(TURN, left))
    return info


async def cancel(caller: Caller, id: str, grace: Duration) -> None:
    """Ordered: TERM, and KILL after the grace."""
    where = target("tasks", id, query=[("grace", f"{seconds(grace):g}")])
    await caller.call(Request("DELETE", where))


def find(
    caller: Caller, batch: str | None, state: str | None, tenant: str | None, page: int
) -> AsyncGenerator[TaskEntry, None]:
    """Tasks of their own, newest first, or those of a batch in its order."""
    given = (("batch", batch), ("state", state), ("tenant", tenant))
    query = [(name, value) for name, value in given if value is not None]
    return paged(caller, "tasks", query, page, read_task_entry)


async def heartbeat(caller: Caller, id: str) -> None:
    """Its user still lives."""
    where = target("tasks", id, "heartbeat")
    await caller.call(Request("POST", where, repeat=Repeat.SAFE))
