# SPDX-License-Identifier: Apache-2.0
"""Shell sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dsec._core.views import SessionView
from dsec._flow import sessions
from dsec._flow.caller import Caller
from dsec.asynchronous.stream import AsyncStream
from dsec.results import ExecResult
from dsec.sessions import RunFields, SessionInfo
from dsec.streams import ExecEvent

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack


class AsyncSession(SessionView):
    """A shell in which state stays; `Session` says more."""

    def __init__(self, caller: Caller, sandbox: str, info: SessionInfo) -> None:
        super().__init__(sandbox, info)
        self._caller = caller

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await sessions.leave(self._caller, self.sandbox, self.id)

    async def run(self, command: str, **fields: Unpack[RunFields]) -> ExecResult:
        """As `Session.run`."""
        return await sessions.run(self._caller, self.sandbox, self.id, command, fields)

    def stream(self, command: str, **fields: Unpack[RunFields]) -> AsyncStream[ExecEvent]:
        """As `Session.stream`."""
        return AsyncStream(sessions.stream(self._caller, self.sandbox, self.id, command, fields))

    async def interrupt(self) -> None:
        """As `Session.interrupt`."""
        await sessions.interrupt(self._caller, self.sandbox, self.id)

    async def refresh(self) -> Self:
        """As `Session.refresh`."""
        self.info = await sessions.get(self._caller, self.sandbox, self.id)
        return self

    async def delete(self) -> None:
        """As `Session.delete`."""
        await sessions.delete(self._caller, self.sandbox, self.id)
