# SPDX-License-Identifier: Apache-2.0
"""Terminals: a WebSocket that carries bytes both ways, and JSON texts about size, signals and the end."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from dsec._core.reply import decode, error_of
from dsec._core.request import Query, Request, target
from dsec._core.websocket import WebSocket
from dsec._flow import processes
from dsec._flow.caller import Caller
from dsec._io import Line, Opened
from dsec.endings import Ending, read_ending
from dsec.errors import ConnectionLost, DsecError, ProtocolError

LOG = logging.getLogger("dsec")


class TerminalLine:
    """One connection to a terminal. One may read while another writes."""

    def __init__(self, caller: Caller, opened: Opened, line: Line, socket: WebSocket, what: str) -> None:
        self._opened = opened
        self._line = line
        self._socket = socket
        self._what = what
        self._sending = caller.io.lock()
        self._output: list[bytes] = []
        self._owed = b""
        self._over = False
        self.id: str | None = None
        self.ending: Ending | None = None

    async def read(self, limit: float | None) -> bytes | None:
        """What it shows next: none at the end, None when nothing came within so many seconds."""
        while not self._output:
            if self._over:
                return b""
            data = await self._line.read(limit)
            if data is None:
                return None
            await self._take(data)
        output = b"".join(self._output)
        self._output.clear()
        return output

    async def _take(self, data: bytes) -> None:
        news = self._socket.feed(data)
        refusals: list[DsecError] = []
        for message in news.messages:
            if isinstance(message, bytes):
                self._output.append(message)
                continue
            told = decode(message.encode(), self._what)
            self._hear(told)
            if "error" in told:
                refusals.append(error_of(0, {}, message.encode(), self._what))
        self._owed += news.answer
        if (
            self._owed and not self._sending.locked()
        ):  # else whoever sends now has to be read for, not waited for
            await self._send(b"")
        if news.closed or not data:
            self._over = True
            if self.ending is None:
                raise ConnectionLost(f"{self._what}: the connection ended before the terminal did")
        if refusals:  # what came with it is kept for the next read
            raise refusals[0]

    def _hear(self, told: dict[str, Any]) -> None:
        if "start" in told:
            self.id = str(told["start"]["id"])
        if "end" in told:
            self.ending = read_ending(told["end"]["ending"] if "ending" in told["end"] else told["end"])

    async def write(self, data: bytes) -> None:
        """Types it."""
        for at in range(0, len(data), PIECE):
            await self._send(self._socket.data(data[at : at + PIECE]))

    async def say(self, told: dict[str, Any]) -> None:
        """Another size, or a signal."""
        await self._send(self._socket.text(json.dumps(told)))

    async def _send(self, data: bytes) -> None:
        async with self._sending:
            data, self._owed = self._owed + data, b""
            await self._line.write(data)

    async def close(self) -> None:
        """Leaves it; the program goes on."""
        try:
            if not self._over:
                await self._send(self._socket.close())
        except ConnectionLost:
            pass
        finally:
            self._over = True
            await self._line.close()
            await self._opened.close()


PIECE = 64 << 10
"""Bytes of one message."""


async def connect(caller: Caller, sandbox: str, query: Query) -> TerminalLine:
    """Opens a terminal, or finds one again by its id."""
    socket = WebSocket()
    where = target("sandboxes", sandbox, "terminal", query=query)
    request = Request("GET", where, headers=socket.headers())
    opened = await caller.open(request)
    try:
        if opened.status != 101:
            raise ProtocolError(f"{request}: the server answered {opened.status} and did not upgrade")
        socket.check(opened.headers)
        return TerminalLine(caller, opened, opened.line(), socket, str(request))
    except BaseException:
        await opened.close()
        raise


async def hang_up(caller: Caller, sandbox: str, terminal: TerminalLine) -> None:
    """Kills what runs on it, also when that is cancelled just then."""

    async def ended() -> None:
        try:
            if terminal.id is None and terminal.ending is None:
                await terminal.say({"signal": "KILL"})  # its name comes with its first output
        except DsecError as e:
            LOG.warning("a terminal of %s may be left: %s", sandbox, e)
        await terminal.close()

    await caller.io.see_through(ended())
    if terminal.id is not None:
        await processes.leave(caller, sandbox, terminal.id)


def query(
    argv: Sequence[str],
    cols: int,
    rows: int,
    id: str | None,
    cwd: str | None,
    env: Mapping[str, str] | None,
    user: str | None,
) -> Query:
    """Which terminal: a new one, or that of an id."""
    if id is not None and (argv or cwd or env or user):
        raise TypeError("a terminal that is found by its id has its program already")
    found: list[tuple[str, str | bytes]] = [("cols", str(cols)), ("rows", str(rows))]
    found += [("argv", word) for word in argv]
    found += [("env", f"{name}={value}") for name, value in (env or {}).items()]
    return found + [(n, v) for n, v in (("id", id), ("cwd", cwd), ("user", user)) if v is not None]
