# SPDX-License-Identifier: Apache-2.0
"""Sandboxes: make, look up, renew, delete."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Mapping
from typing import Any

from dsec._core import bodies
from dsec._core.request import ANSWER, Request, encode, target
from dsec._flow.caller import Caller, may_exist, new_key
from dsec.amounts import Duration, seconds
from dsec.errors import DsecError, ErrorDetail, Gone, NotReady, SandboxFailed
from dsec.sandboxes import SandboxInfo, SandboxState, read_sandbox

LOG = logging.getLogger("dsec")

WAIT = 30.0
"""Seconds that a create waits for the sandbox unless told otherwise."""

DELETE = 15.0
"""Seconds beyond its grace after which the server answers a delete in any case."""

LOOK = 0.2
"""Seconds between two looks at a sandbox that is waited for."""


async def create(
    caller: Caller, image: str, fields: Mapping[str, Any], wait: bool, wait_timeout: Duration | None
) -> SandboxInfo:
    """A sandbox that runs; without `wait` one that will. Cancelled at any moment it leaves none."""
    body = bodies.sandbox(image, fields)
    limit = WAIT if wait_timeout is None else seconds(wait_timeout)
    request = create_request(body, wait, limit)
    try:
        reply = await caller.call(request)
    except BaseException as e:
        if "task_id" not in body and may_exist(e):
            await caller.io.see_through(_undo(caller, request, body))
        raise
    info = read_sandbox(reply.json)
    if not wait:
        return info
    if info.state is SandboxState.RUNNING:
        return info
    if reply.status == 202:
        if "task_id" not in body:
            await caller.io.see_through(discard(caller, info.id))
        raise NotReady(f"sandbox {info.id} did not run within {limit:g} s: {_why(info)}")
    raise _ended(info)


def create_request(body: dict[str, Any], wait: bool, limit: float) -> Request:
    """A `task_id` is an identity by itself; without one the request gets one of its own."""
    request = Request(
        "POST",
        target("sandboxes"),
        encode({**body, "wait": wait, "wait_timeout": limit}),
        silence=ANSWER + (limit if wait else 0),
    )
    return request if "task_id" in body else request.with_header("Idempotency-Key", new_key())


async def _undo(caller: Caller, request: Request, body: dict[str, Any]) -> None:
    """Asks again, by the same identity, for the sandbox that may have been made, and deletes it."""
    again = Request(
        request.method,
        request.target,
        encode({**body, "wait": False}),
        headers=request.headers,
    )
    try:
        await discard(caller, read_sandbox((await caller.briefly().call(again)).json).id)
    except DsecError as e:
        LOG.warning("a sandbox may be left until its ttl ends: %s", e)


async def leave(caller: Caller, id: str) -> None:
    """Deletes a sandbox at the end of its block, also when that is cancelled just then."""

    async def deleted() -> None:
        try:
            await delete(caller, id, 0)
        except KeyboardInterrupt:
            await discard(caller, id)
            raise

    await caller.io.see_through(deleted())


async def discard(caller: Caller, id: str) -> None:
    """Deletes a sandbox whose user is gone; a failure is logged, and its ttl will end it."""
    try:
        await delete(caller.briefly(), id, 0)
    except DsecError as e:
        LOG.warning("sandbox %s is left until its ttl ends: %s", id, e)


async def get(caller: Caller, id: str) -> SandboxInfo:
    """The sandbox as it is now."""
    return read_sandbox((await caller.call(Request("GET", target("sandboxes", id)))).json)


async def wait_running(caller: Caller, info: SandboxInfo, limit: Duration) -> SandboxInfo:
    """Looks until it runs."""
    end = caller.io.now() + seconds(limit)
    while info.state is not SandboxState.RUNNING:
        if info.state.ended or info.state is SandboxState.STOPPING:
            raise _ended(info)
        left = end - caller.io.now()
        if left <= 0:
            raise NotReady(f"sandbox {info.id} does not run after {limit} s: {_why(info)}")
        await caller.io.sleep(min(LOOK, left))
        info = await get(caller, info.id)
    return info


async def find(
    caller: Caller,
    labels: Mapping[str, str] | None,
    state: SandboxState | str | None,
    tenant: str | None,
    page: int,
) -> AsyncGenerator[SandboxInfo, None]:
    """All that match, newest first, page by page."""
    query = _filter(labels, state, tenant)
    cursor: str | None = ""
    while cursor is not None:
        here = [*query, ("limit", str(page)), *([("cursor", cursor)] if cursor else [])]
        reply = (await caller.call(Request("GET", target("sandboxes", query=here)))).json
        for json in reply.get("sandboxes") or ():
            yield read_sandbox(json)
        cursor = reply.get("next_cursor")


async def delete_all(
    caller: Caller,
    labels: Mapping[str, str] | None,
    state: SandboxState | str | None,
    tenant: str | None,
) -> int:
    """Deletes all that match; how many."""
    if not labels and state is None:
        raise ValueError("name what to delete: labels or state")
    where = target("sandboxes", query=_filter(labels, state, tenant))
    reply = await caller.call(Request("DELETE", where, silence=None))
    return int(reply.json.get("removed", 0))


async def renew(caller: Caller, id: str, ttl: Duration) -> SandboxInfo:
    """Its end counts anew from now."""
    where = target("sandboxes", id, "renew")
    body = encode({"ttl": seconds(ttl)})
    return read_sandbox((await caller.call(Request("POST", where, body))).json)


async def delete(caller: Caller, id: str, grace: Duration) -> bool:
    """True once it is gone; False when the server goes on with it."""
    time = seconds(grace)
    where = target("sandboxes", id, query=[("grace", f"{time:g}")] if time else None)
    reply = await caller.call(Request("DELETE", where, silence=ANSWER + DELETE + time))
    return reply.status != 202


def _filter(
    labels: Mapping[str, str] | None, state: SandboxState | str | None, tenant: str | None
) -> list[tuple[str, str]]:
    query = [("label", f"{name}={value}") for name, value in (labels or {}).items()]
    if state is not None:
        query.append(("state", SandboxState(state).value))
    if tenant is not None:
        query.append(("tenant", tenant))
    return query


def _why(info: SandboxInfo) -> str:
    return f"it is {info.state.value}" + (f", {info.message}" if info.message else "")


def _ended(info: SandboxInfo) -> DsecError:
    failed = info.state is SandboxState.FAILED
    text = f"sandbox {info.id} did not come to run: {info.state.value} ({info.reason})"
    if info.message:
        text += " " + info.message
    kind, status = (SandboxFailed, 409) if failed else (Gone, 410)
    return kind(ErrorDetail(kind.code, text, status=status))
