# SPDX-License-Identifier: Apache-2.0
"""Processes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dsec._core.views import ProcessView
from dsec._flow import processes
from dsec._flow.caller import Caller
from dsec.amounts import Duration
from dsec.asynchronous.stream import AsyncStream
from dsec.endings import Ending
from dsec.execs import Input
from dsec.processes import ProcessInfo
from dsec.results import ExecResult
from dsec.streams import Output

if TYPE_CHECKING:
    from typing_extensions import Self


class AsyncProcess(ProcessView):
    """A command in a sandbox. As a context manager it is killed and forgotten at the end."""

    def __init__(self, caller: Caller, sandbox: str, info: ProcessInfo, sent: int | None = None) -> None:
        super().__init__(sandbox, info)
        self._caller = caller
        self._sent = sent

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await processes.leave(self._caller, self.sandbox, self.id)

    async def refresh(self) -> Self:
        """As `Process.refresh`."""
        self.info = await processes.get(self._caller, self.sandbox, self.id)
        return self

    async def write(self, data: Input) -> None:
        """As `Process.write`."""
        self._sent = await processes.write(self._caller, self.sandbox, self.id, self._sent, data)

    async def close_stdin(self) -> None:
        """As `Process.close_stdin`."""
        self._sent = await processes.close_stdin(self._caller, self.sandbox, self.id, self._sent)

    def output(self, stream: str = "stdout", offset: int = 0, *, follow: bool = True) -> AsyncStream[Output]:
        """As `Process.output`."""
        return AsyncStream(processes.output(self._caller, self.sandbox, self.id, stream, offset, follow))

    async def wait(self, timeout: Duration | None = None) -> Ending | None:
        """As `Process.wait`."""
        self.info = await processes.wait(self._caller, self.sandbox, self.info, timeout)
        return self.info.ending

    async def result(self) -> ExecResult:
        """As `Process.result`."""
        return await processes.result(self._caller, self.sandbox, self.id)

    async def signal(self, signal: str | int, *, group: bool = False) -> None:
        """As `Process.signal`."""
        await processes.signal(self._caller, self.sandbox, self.id, signal, group)

    async def kill(self) -> None:
        """As `Process.kill`."""
        await processes.kill(self._caller, self.sandbox, self.id)

    async def delete(self) -> None:
        """As `Process.delete`."""
        await processes.delete(self._caller, self.sandbox, self.id)
