# SPDX-License-Identifier: Apache-2.0
"""Sandboxes: make, look up, renew, delete."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from dsec._core import bodies
from dsec._core.request import ANSWER, Request, encode, target
from dsec._flow.caller import Caller, may_exist, new_key, paged
from dsec.amounts import Duration, seconds
from dsec.errors import DsecError, ErrorDetail, Gone, NotReady, SandboxFailed
from dsec.sandboxes import SandboxInfo, SandboxState, read_sandbox, read_sandboxes

LOG = logging.getLogger("dsec")

WAIT = 30.0
"""Seconds that a create waits for the sandbox unless told otherwise."""

DELETE = 15.0
"""Seconds beyond its grace after which the server answers a delete in any case."""

MANY = 60.0
"""Seconds more that the server may take to make many."""

READY = (SandboxState.RUNNING, SandboxState.PAUSED)

LOOK = 0.2
"""Seconds between two turns of waiting."""

TURN = 20.0
"""Seconds that one call waits for a sandbox; then the next one does."""


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
    if info.state in READY:
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


async def create_many(
    caller: Caller,
    image: str,
    count: int,
    fields: Mapping[str, Any],
    wait: bool,
    wait_timeout: Duration | None,
) -> list[SandboxInfo]:
    """Sandboxes alike, all or none of them running; without `wait` they will. Cancelled it leaves none."""
    if "task_id" in fields:
        raise TypeError("sandboxes alike have no task_id: that is an identity of one")
    body = {**bodies.sandbox(image, fields), "count": count}
    limit = WAIT if wait_timeout is None else seconds(wait_timeout)
    end = caller.io.now() + limit
    request = Request(
        "POST",
        target("sandboxes", "bulk"),
        encode({**body, "wait": wait, "wait_timeout": limit}),
        silence=ANSWER + MANY + (limit if wait else 0),
    ).with_header("Idempotency-Key", new_key())
    try:
        reply = await caller.call(request)
    except BaseException as e:
        if may_exist(e):
            await caller.io.see_through(_undo_many(caller, request, body))
        raise
    infos = read_sandboxes(reply.json)
    if not wait:
        return infos
    try:
        return [await wait_running(caller, info, max(0, end - caller.io.now())) for info in infos]
    except BaseException:
        await caller.io.see_through(discard_all(caller, [info.id for info in infos]))
        raise


async def _undo_many(caller: Caller, request: Request, body: dict[str, Any]) -> None:
    again = replace(request, body=encode({**body, "wait": False}))
    try:
        made = read_sandboxes((await caller.briefly().call(again)).json)
    except DsecError as e:
        LOG.warning("sandboxes may be left until their ttl ends: %s", e)
    else:
        await discard_all(caller, [info.id for info in made])


async def fork(
    caller: Caller, id: str, count: int, labels: Mapping[str, str] | None, ttl: Duration | None
) -> list[SandboxInfo]:
    """Children with what is on its disk. Cancelled before they were told, they are deleted."""
    where = target("sandboxes", id, "fork")
    body: dict[str, Any] = {"count": count}
    if labels:
        body["labels"] = dict(labels)
    if ttl is not None:
        body["ttl"] = seconds(ttl)
    request = Request("POST", where, encode(body), silence=ANSWER + MANY)
    request = request.with_header("Idempotency-Key", new_key())
    try:
        return read_sandboxes((await caller.call(request)).json)
    except BaseException as e:
        if may_exist(e):
            await caller.io.see_through(_undo_fork(caller, request))
        raise


async def _undo_fork(caller: Caller, request: Request) -> None:
    try:
        made = read_sandboxes((await caller.briefly().call(request)).json)
    except DsecError as e:
        LOG.warning("forked sandboxes may be left until their ttl ends: %s", e)
    else:
        await discard_all(caller, [info.id for info in made])


async def delete_each(caller: Caller, ids: Sequence[str]) -> None:
    """Deletes these."""
    await caller.io.all_of([delete(caller, id, 0) for id in ids])


async def leave_all(caller: Caller, ids: Sequence[str]) -> None:
    """Deletes sandboxes at the end of their block, also when that is cancelled just then."""
    try:
        await caller.io.see_through(delete_each(caller, ids))
    except KeyboardInterrupt:
        await discard_all(caller, ids)
        raise


async def discard_all(caller: Caller, ids: Sequence[str]) -> None:
    """Deletes sandboxes whose user is gone."""
    await caller.io.all_of([discard(caller, id) for id in ids])


async def pause(caller: Caller, id: str) -> SandboxInfo:
    """Nothing runs in it any more; again is fine."""
    return read_sandbox((await caller.call(Request("POST", target("sandboxes", id, "pause")))).json)


async def resume(caller: Caller, id: str) -> SandboxInfo:
    """It goes on; again is fine."""
    return read_sandbox((await caller.call(Request("POST", target("sandboxes", id, "resume")))).json)


async def get(caller: Caller, id: str) -> SandboxInfo:
    """The sandbox as it is now."""
    return read_sandbox((await caller.call(Request("GET", target("sandboxes", id)))).json)


async def wait_running(caller: Caller, info: SandboxInfo, limit: Duration) -> SandboxInfo:
    """Waits until it runs, in turns."""
    end = caller.io.now() + seconds(limit)
    while info.state not in READY:
        if info.state.ended or info.state is SandboxState.STOPPING:
            raise _ended(info)
        left = end - caller.io.now()
        if left <= 0:
            raise NotReady(f"sandbox {info.id} does not run in time: {_why(info)}")
        turn = min(TURN, left)
        query = [("wait", "running"), ("wait_timeout", f"{turn:.3f}")]
        request = Request("GET", target("sandboxes", info.id, query=query), silence=ANSWER + turn)
        info = read_sandbox((await caller.patiently().call(request)).json)
        if info.state not in READY:
            await caller.io.sleep(min(LOOK, left))
    return info


def find(
    caller: Caller,
    labels: Mapping[str, str] | None,
    state: SandboxState | str | None,
    tenant: str | None,
    page: int,
) -> AsyncGenerator[SandboxInfo, None]:
    """All that match, newest first."""
    return paged(caller, "sandboxes", _filter(labels, state, tenant), page, read_sandbox)


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
    return kind(ErrorDetail(kind.code, text, status=status, reason=info.reason, is_fault=failed))
