# SPDX-License-Identifier: Apache-2.0
"""Batches: start, watch, collect, cancel."""

from __future__ import annotations

import contextlib
import inspect
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping
from typing import Any

from dsec._core import bodies
from dsec._core.lines import SseDecoder
from dsec._core.reply import decode
from dsec._core.request import ANSWER, NDJSON, SSE, Repeat, Request, encode, target
from dsec._core.retry import Tries
from dsec._flow.caller import Caller, lines, may_exist, new_key, paged, resumed
from dsec.amounts import Duration, seconds
from dsec.batches import (
    BatchEnd,
    BatchEvent,
    BatchInfo,
    BatchProgress,
    BatchResults,
    TaskEnded,
    read_batch,
    read_batch_event,
)
from dsec.errors import ConnectionLost, DsecError, ProtocolError
from dsec.results import TaskResult, read_task_result

LOG = logging.getLogger("dsec")

QUIET = 10.0
"""Seconds after which the stream of events says something in any case."""

SUBMIT = 300.0
"""Seconds that the server may take to accept many tasks."""

OnProgress = Callable[[BatchInfo], Awaitable[None] | None]


async def start(
    caller: Caller,
    tasks: Iterable[Mapping[str, Any]],
    image: str | None,
    fields: Mapping[str, Any],
) -> BatchInfo:
    """Accepted. Cancelled before that was told, the batch is cancelled."""
    body = encode(bodies.batch(image, tasks, fields))
    request = Request("POST", target("batches"), body, silence=SUBMIT)
    request = request.with_header("Idempotency-Key", new_key())
    try:
        return read_batch((await caller.call(request)).json)
    except BaseException as e:
        if may_exist(e):
            await caller.io.see_through(_undo(caller, request))
        raise


async def _undo(caller: Caller, request: Request) -> None:
    try:
        info = read_batch((await caller.briefly().call(request)).json)
    except DsecError as e:
        LOG.warning("a batch may be left running: %s", e)
    else:
        await abandon(caller, info.id, 0)


async def abandon(caller: Caller, id: str, grace: Duration) -> None:
    """Cancels a batch whose user is gone; a failure is logged."""
    try:
        await cancel(caller.briefly(), id, grace)
    except DsecError as e:
        LOG.warning("batch %s may be left running: %s", id, e)


async def run(
    caller: Caller,
    tasks: Iterable[Mapping[str, Any]],
    image: str | None,
    fields: Mapping[str, Any],
    on_progress: OnProgress | None,
    cancel_grace: Duration,
) -> BatchResults:
    """All results; interrupted, also by `on_progress`, the batch is cancelled."""
    info = await start(caller, tasks, image, fields)
    try:
        return await wait(caller, info.id, on_progress)
    except BaseException:
        await caller.io.see_through(abandon(caller, info.id, cancel_grace))
        raise


async def wait(caller: Caller, id: str, on_progress: OnProgress | None) -> BatchResults:
    """All results once the batch is over, none missing."""
    async with contextlib.aclosing(events(caller, id, 0)) as found:
        async for event in found:
            if on_progress is not None and isinstance(event, (BatchProgress, BatchEnd)):
                told = on_progress(event.info)
                if inspect.isawaitable(told):
                    await told
    info = await get(caller.patiently(), id)
    async with contextlib.aclosing(results(caller, id, 0, follow=False)) as found:
        all_results = [result async for result in found]
    if len(all_results) != info.ended:
        raise ProtocolError(f"batch {id} has {info.ended} endings but {len(all_results)} results")
    return BatchResults(info, all_results)


async def get(caller: Caller, id: str) -> BatchInfo:
    """The batch as it is now."""
    return read_batch((await caller.call(Request("GET", target("batches", id)))).json)


def find(caller: Caller, tenant: str | None, page: int) -> AsyncGenerator[BatchInfo, None]:
    """All of them, newest first."""
    query = [("tenant", tenant)] if tenant is not None else []
    return paged(caller, "batches", query, page, read_batch)


async def cancel(caller: Caller, id: str, grace: Duration) -> BatchInfo:
    """Nothing starts any more and what runs is ended."""
    where = target("batches", id, query=[("grace", f"{seconds(grace):g}")])
    return read_batch((await caller.call(Request("DELETE", where))).json)


async def events(caller: Caller, id: str, after: int) -> AsyncGenerator[BatchEvent, None]:
    """Endings after the `after`-th, counts, and the end; goes on after a break where it was."""
    caller = caller.patiently()
    tries: Tries | None = None
    while True:
        request = Request("GET", target("batches", id, "events"), accept=SSE, silence=QUIET + ANSWER)
        if after:
            request = request.with_header("Last-Event-ID", str(after))
        try:
            opened = await caller.open(request)
            async with contextlib.aclosing(lines(opened, str(request))) as found:
                decoder = SseDecoder()
                async for line in found:
                    sent = decoder.feed(line)
                    if sent is None:
                        continue
                    event = read_batch_event(sent.event, sent.id, decode(sent.data, str(request)))
                    tries = None
                    if isinstance(event, TaskEnded):
                        after = event.n
                    if event is not None:
                        yield event
                    if isinstance(event, BatchEnd):
                        return
            raise ConnectionLost(f"{request}: the stream ended before the batch did")
        except ConnectionLost as failure:
            tries = tries or Tries(caller.retries, Repeat.SAFE)
            await caller.wait_or_raise(tries, failure)


async def results(
    caller: Caller,
    id: str,
    after: int,
    follow: bool,
) -> AsyncGenerator[TaskResult, None]:
    """Results in the order of endings after the `after`-th; with `follow` until the batch is over."""

    def request(at: int) -> Request:
        query = [("from", str(at))] + ([("follow", "true")] if follow else [])
        where = target("batches", id, "results", query=query)
        return Request("GET", where, accept=NDJSON, silence=None if follow else ANSWER)

    caller = caller.patiently()
    while True:
        over = not follow or (await get(caller, id)).is_over
        async with contextlib.aclosing(
            resumed(caller, request, read_task_result, lambda r: r.n, after)
        ) as found:
            async for result in found:
                after = result.n
                yield result
        if over:
            return
