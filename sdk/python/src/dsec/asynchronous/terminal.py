# SPDX-License-Identifier: Apache-2.0
"""Terminals."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from dsec._flow import terminals
from dsec._flow.caller import Caller
from dsec._flow.sources import whole
from dsec._flow.terminals import TerminalLine
from dsec.amounts import Duration, seconds
from dsec.endings import Ending

if TYPE_CHECKING:
    from typing_extensions import Self


class AsyncTerminal:
    """A program on a terminal; `Terminal` says more."""

    def __init__(self, caller: Caller, sandbox: str, line: TerminalLine) -> None:
        self._caller = caller
        self._line = line
        self.sandbox = sandbox

    @property
    def id(self) -> str | None:
        """As `Terminal.id`."""
        return self._line.id

    @property
    def ending(self) -> Ending | None:
        """As `Terminal.ending`."""
        return self._line.ending

    async def read(self, timeout: Duration | None = None) -> bytes | None:
        """As `Terminal.read`."""
        return await self._line.read(None if timeout is None else seconds(timeout))

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """What it shows, to the end of the program."""
        while output := await self.read():
            yield output

    async def write(self, data: str | bytes) -> None:
        """As `Terminal.write`."""
        await self._line.write(whole(data))

    async def resize(self, cols: int, rows: int) -> None:
        """As `Terminal.resize`."""
        await self._line.say({"resize": {"cols": cols, "rows": rows}})

    async def signal(self, signal: str | int) -> None:
        """As `Terminal.signal`."""
        await self._line.say({"signal": signal})

    async def detach(self) -> None:
        """As `Terminal.detach`."""
        await self._line.close()

    async def aclose(self) -> None:
        """As `Terminal.close`."""
        await terminals.hang_up(self._caller, self.sandbox, self._line)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
