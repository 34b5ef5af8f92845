# SPDX-License-Identifier: Apache-2.0
"""Sandboxes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING

from dsec._core import bodies
from dsec._core.views import SandboxView
from dsec._flow import execs, history, processes, sandboxes, sessions, terminals
from dsec._flow.caller import Caller
from dsec._flow.files import OnTransfer
from dsec.amounts import Duration
from dsec.asynchronous.files import AsyncFiles
from dsec.asynchronous.group import AsyncGroup
from dsec.asynchronous.opening import Opening
from dsec.asynchronous.port import AsyncPort
from dsec.asynchronous.process import AsyncProcess
from dsec.asynchronous.session import AsyncSession
from dsec.asynchronous.stream import AsyncStream
from dsec.asynchronous.terminal import AsyncTerminal
from dsec.execs import ExecFields, StartFields
from dsec.files import RemotePath, Transfer
from dsec.results import ExecResult
from dsec.sandboxes import SandboxInfo, StateChange
from dsec.sessions import SessionFields
from dsec.streams import ExecEvent
from dsec.trajectories import TrajectoryEvent

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack


class AsyncSandbox(SandboxView):
    """A sandbox. As a context manager it is deleted at the end, also when the block is cancelled."""

    def __init__(self, caller: Caller, info: SandboxInfo) -> None:
        super().__init__(info)
        self._caller = caller

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        if error is None:
            await sandboxes.leave(self._caller, self.id)
        else:
            await self._caller.io.see_through(sandboxes.discard(self._caller, self.id))

    @property
    def files(self) -> AsyncFiles:
        """As `Sandbox.files`."""
        return AsyncFiles(self._caller, self.id)

    async def exec(self, *argv: str, **fields: Unpack[ExecFields]) -> ExecResult:
        """As `Sandbox.exec`. Cancelled, it kills the program."""
        body = bodies.command(argv, None, False, fields)
        return await execs.run(self._caller, self.id, body)

    async def shell(self, text: str, *, login: bool = False, **fields: Unpack[ExecFields]) -> ExecResult:
        """As `Sandbox.shell`. Cancelled, it kills the program."""
        body = bodies.command((), text, login, fields)
        return await execs.run(self._caller, self.id, body)

    def stream(
        self, *argv: str, shell: str | None = None, **fields: Unpack[ExecFields]
    ) -> AsyncStream[ExecEvent]:
        """As `Sandbox.stream`."""
        body = bodies.command(argv, shell, False, fields)
        return AsyncStream(execs.stream(self._caller, self.id, body))

    def start(
        self, *argv: str, shell: str | None = None, login: bool = False, **fields: Unpack[StartFields]
    ) -> Opening[AsyncProcess]:
        """As `Sandbox.start`: `await` it, or `async with` it, which kills it at the end."""
        body = bodies.process(argv, shell, login, fields)

        async def started() -> AsyncProcess:
            return AsyncProcess(self._caller, self.id, await processes.start(self._caller, self.id, body), 0)

        return Opening(started())

    async def processes(self) -> list[AsyncProcess]:
        """As `Sandbox.processes`."""
        found = await processes.find(self._caller, self.id)
        return [AsyncProcess(self._caller, self.id, info) for info in found]

    async def process(self, id: str) -> AsyncProcess:
        """As `Sandbox.process`."""
        return AsyncProcess(self._caller, self.id, await processes.get(self._caller, self.id, id))

    def port(self, number: int) -> AsyncPort:
        """As `Sandbox.port`."""
        return AsyncPort(self._caller, self.id, number)

    def session(self, **fields: Unpack[SessionFields]) -> Opening[AsyncSession]:
        """As `Sandbox.session`: `await` it, or `async with` it, which ends it."""

        async def started() -> AsyncSession:
            return AsyncSession(self._caller, self.id, await sessions.start(self._caller, self.id, fields))

        return Opening(started())

    async def sessions(self) -> list[AsyncSession]:
        """As `Sandbox.sessions`."""
        found = await sessions.find(self._caller, self.id)
        return [AsyncSession(self._caller, self.id, info) for info in found]

    def terminal(
        self,
        *argv: str,
        cols: int = 80,
        rows: int = 24,
        id: str | None = None,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        user: str | None = None,
    ) -> Opening[AsyncTerminal]:
        """As `Sandbox.terminal`: `await` it, or `async with` it, which kills it at the end."""
        query = terminals.query(argv, cols, rows, id, cwd, env, user)

        async def opened() -> AsyncTerminal:
            line = await terminals.connect(self._caller, self.id, query)
            return AsyncTerminal(self._caller, self.id, line)

        return Opening(opened())

    async def refresh(self) -> Self:
        """As `Sandbox.refresh`."""
        self.info = await sandboxes.get(self._caller, self.id)
        return self

    async def wait(self, timeout: Duration = sandboxes.WAIT) -> Self:
        """As `Sandbox.wait`."""
        self.info = await sandboxes.wait_running(self._caller, self.info, timeout)
        return self

    async def renew(self, ttl: Duration) -> Self:
        """As `Sandbox.renew`."""
        self.info = await sandboxes.renew(self._caller, self.id, ttl)
        return self

    async def pause(self) -> Self:
        """As `Sandbox.pause`."""
        self.info = await sandboxes.pause(self._caller, self.id)
        return self

    async def resume(self) -> Self:
        """As `Sandbox.resume`."""
        self.info = await sandboxes.resume(self._caller, self.id)
        return self

    def fork(
        self, count: int = 1, *, labels: Mapping[str, str] | None = None, ttl: Duration | None = None
    ) -> Opening[AsyncGroup]:
        """As `Sandbox.fork`: `await` it, or `async with` it, which deletes the children at the end."""

        async def forked() -> AsyncGroup:
            infos = await sandboxes.fork(self._caller, self.id, count, labels, ttl)
            return AsyncGroup(self._caller, (AsyncSandbox(self._caller, info) for info in infos))

        return Opening(forked())

    async def delete(self, grace: Duration = 0) -> bool:
        """As `Sandbox.delete`."""
        return await sandboxes.delete(self._caller, self.id, grace)

    async def upload(
        self,
        source: str | os.PathLike[str],
        target: RemotePath,
        *,
        on_progress: OnTransfer | None = None,
    ) -> Transfer:
        """As `Sandbox.upload`."""
        return await self.files.upload(source, target, on_progress=on_progress)

    async def download(
        self,
        source: RemotePath,
        target: str | os.PathLike[str],
        *,
        on_progress: OnTransfer | None = None,
    ) -> Transfer:
        """As `Sandbox.download`."""
        return await self.files.download(source, target, on_progress=on_progress)

    def trajectory(self, start: int = 1, *, follow: bool = False) -> AsyncStream[TrajectoryEvent]:
        """As `Sandbox.trajectory`."""
        return AsyncStream(history.trajectory(self._caller, self.id, start, follow))

    def changes(self, *, follow: bool = False) -> AsyncStream[StateChange]:
        """As `Sandbox.changes`."""
        return AsyncStream(history.changes(self._caller, self.id, follow))
