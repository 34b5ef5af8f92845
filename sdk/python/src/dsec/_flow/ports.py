# SPDX-License-Identifier: Apache-2.0
"""Calls to servers inside sandboxes."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

from dsec._core.request import ANSWER, BYTES, Repeat, Request, target
from dsec._flow.caller import Caller
from dsec._flow.sources import upload
from dsec.amounts import Duration, seconds
from dsec.errors import Conflict
from dsec.execs import Input
from dsec.ports import PortReply

LOOK = 0.1
"""Seconds between two tries to reach a server that does not listen yet."""

SAFE = ("GET", "HEAD", "OPTIONS")
"""Methods that change nothing."""

ENCODED = "/?&=%:;@!$'()*+,-._~"
"""What stays as it is in a path with a query."""


def target_of(sandbox: str, port: int, path: str) -> str:
    """The target of a call to a server inside."""
    if not path.startswith("/"):
        raise ValueError(f'the path "{path}" does not begin with a slash')
    return target("sandboxes", sandbox, "ports", str(port)) + quote(path, safe=ENCODED)


async def request(
    caller: Caller,
    sandbox: str,
    port: int,
    method: str,
    path: str,
    body: Input | None,
    headers: Mapping[str, str] | None,
    timeout: Duration | None,
    wait: Duration,
) -> PortReply:
    """One call. While nothing listens it is tried again, for as long as `wait` says."""
    names = {name.lower(): value for name, value in (headers or {}).items()}
    content, length, again = (None, None, True) if body is None else upload(caller.io, body)
    asked = Request(
        method,
        target_of(sandbox, port, path),
        content,
        accept=names.pop("accept", "*/*"),
        content_type=names.pop("content-type", BYTES),
        headers=tuple(names.items()),
        repeat=Repeat.SAFE if method in SAFE and again else Repeat.REFUSED,
        silence=ANSWER if timeout is None else seconds(timeout),
        length=length,
        proxied=True,
    )
    end = caller.io.now() + seconds(wait)
    while True:
        try:
            opened = await caller.open(asked)
        except Conflict as e:
            if e.field != "port" or caller.io.now() >= end or not again:
                raise
            await caller.io.sleep(LOOK)
            continue
        try:
            return PortReply(opened.status, opened.headers, await opened.read())
        finally:
            await opened.close()
