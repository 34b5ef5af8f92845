# SPDX-License-Identifier: Apache-2.0
"""Shells that keep their state between commands."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Mapping
from typing import Any

from dsec._core import bodies
from dsec._core.request import ANSWER, NDJSON, Query, Repeat, Request, encode, target
from dsec._flow import execs
from dsec._flow.caller import Caller
from dsec.errors import Conflict, DsecError, Gone, SandboxFailed
from dsec.results import ExecResult
from dsec.sessions import SessionInfo, read_session
from dsec.streams import ExecEvent

LOG = logging.getLogger("dsec")


async def start(caller: Caller, sandbox: str, fields: Mapping[str, Any]) -> SessionInfo:
    """A shell that waits for commands. A start that may have happened is not sent again."""
    body = encode(bodies.session(fields))
    request = Request("POST", target("sandboxes", sandbox, "sessions"), body, repeat=Repeat.REFUSED)
    return read_session((await caller.call(request)).json)


async def find(caller: Caller, sandbox: str) -> list[SessionInfo]:
    """All of a sandbox."""
    reply = (await caller.call(Request("GET", target("sandboxes", sandbox, "sessions")))).json
    return [read_session(json) for json in reply.get("sessions") or ()]


async def get(caller: Caller, sandbox: str, id: str) -> SessionInfo:
    """As it is now."""
    return read_session((await caller.call(Request("GET", _at(sandbox, id)))).json)


async def run(caller: Caller, sandbox: str, id: str, command: str, fields: Mapping[str, Any]) -> ExecResult:
    """The end of a command; interrupted, the command is interrupted too, and the session stays."""
    request = _run(sandbox, id, command, fields, [("output", "end")])
    return await execs.waited_for(caller, sandbox, request, lambda _: _abandon(caller, sandbox, id))


def stream(
    caller: Caller, sandbox: str, id: str, command: str, fields: Mapping[str, Any]
) -> AsyncGenerator[ExecEvent, None]:
    """What comes of a command, to its end."""
    return execs.streamed(caller, sandbox, _run(sandbox, id, command, fields, ()))


def _run(sandbox: str, id: str, command: str, fields: Mapping[str, Any], query: Query) -> Request:
    return Request(
        "POST",
        _at(sandbox, id, "run", query=query),
        encode(bodies.session_run(command, fields)),
        accept=NDJSON,
        repeat=Repeat.REFUSED,
        silence=ANSWER + execs.HEARTBEAT,
    )


async def interrupt(caller: Caller, sandbox: str, id: str) -> None:
    """As Ctrl-C would; `Conflict` when nothing runs."""
    await caller.call(Request("POST", _at(sandbox, id, "interrupt"), repeat=Repeat.REFUSED))


async def _abandon(caller: Caller, sandbox: str, id: str) -> None:
    try:
        await interrupt(caller.briefly(), sandbox, id)
    except Conflict:
        pass  # it has ended
    except DsecError as e:
        LOG.warning("the command of session %s of %s may go on: %s", id, sandbox, e)


async def delete(caller: Caller, sandbox: str, id: str) -> None:
    """Kills the shell and what runs in it."""
    await caller.call(Request("DELETE", _at(sandbox, id)))


async def leave(caller: Caller, sandbox: str, id: str) -> None:
    """Deletes a session at the end of its block, also when that is cancelled just then."""

    async def deleted() -> None:
        try:
            await delete(caller.briefly(), sandbox, id)
        except (Gone, SandboxFailed):
            pass  # with its sandbox
        except DsecError as e:
            LOG.warning("session %s of %s may be left: %s", id, sandbox, e)

    await caller.io.see_through(deleted())


def _at(sandbox: str, id: str, *more: str, query: Query = ()) -> str:
    return target("sandboxes", sandbox, "sessions", id, *more, query=query)
