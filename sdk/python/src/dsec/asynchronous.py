# SPDX-License-Identifier: Apache-2.0
"""The asyncio face: the same calls as `dsec.blocking`, awaited. Each says there what it does."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Coroutine, Generator, Iterable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import httpx

from dsec._core import bodies
from dsec._core.endpoint import resolve
from dsec._core.retry import Retries
from dsec._core.views import BatchView, SandboxView, TaskView
from dsec._flow import batches, execs, history, sandboxes, tasks
from dsec._flow.batches import OnProgress
from dsec._flow.caller import Caller
from dsec._io.asynchronous import AsyncIO
from dsec.amounts import Duration
from dsec.batches import BatchEvent, BatchFields, BatchInfo, BatchResults, BatchTask
from dsec.execs import ExecFields
from dsec.results import ExecResult, TaskResult
from dsec.sandboxes import SandboxFields, SandboxInfo, SandboxState, StateChange
from dsec.streams import ExecEvent
from dsec.tasks import TaskFields, TaskInfo
from dsec.trajectories import TrajectoryEvent

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

T = TypeVar("T")


class AsyncStream(Generic[T]):
    """Values as they come. Leaving it early, by `aclose()` or `async with`, drops its connection."""

    def __init__(self, source: AsyncGenerator[T, None]) -> None:
        self._source = source

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> T:
        return await anext(self._source)

    async def aclose(self) -> None:
        """Drops the connection; what runs in the sandbox goes on."""
        await self._source.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


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

    async def exec(self, *argv: str, **fields: Unpack[ExecFields]) -> ExecResult:
        """As `Sandbox.exec`. Cancelled, the program goes on until its sandbox ends."""
        body = bodies.command(argv, None, False, fields)
        return await execs.run(self._caller, self.id, body)

    async def shell(self, text: str, *, login: bool = False, **fields: Unpack[ExecFields]) -> ExecResult:
        """As `Sandbox.shell`. Cancelled, the program goes on until its sandbox ends."""
        body = bodies.command((), text, login, fields)
        return await execs.run(self._caller, self.id, body)

    def stream(
        self, *argv: str, shell: str | None = None, **fields: Unpack[ExecFields]
    ) -> AsyncStream[ExecEvent]:
        """As `Sandbox.stream`."""
        body = bodies.command(argv, shell, False, fields)
        return AsyncStream(execs.stream(self._caller, self.id, body))

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

    async def delete(self, grace: Duration = 0) -> bool:
        """As `Sandbox.delete`."""
        return await sandboxes.delete(self._caller, self.id, grace)

    def trajectory(self, start: int = 1, *, follow: bool = False) -> AsyncStream[TrajectoryEvent]:
        """As `Sandbox.trajectory`."""
        return AsyncStream(history.trajectory(self._caller, self.id, start, follow))

    def changes(self, *, follow: bool = False) -> AsyncStream[StateChange]:
        """As `Sandbox.changes`."""
        return AsyncStream(history.changes(self._caller, self.id, follow))


class Creation:
    """A sandbox about to be made: `await` it, or enter it with `async with`."""

    def __init__(self, caller: Caller, making: Coroutine[Any, Any, SandboxInfo]) -> None:
        self._caller = caller
        self._making = making
        self._sandbox: AsyncSandbox | None = None

    def __await__(self) -> Generator[Any, Any, AsyncSandbox]:
        return self._made().__await__()

    async def __aenter__(self) -> AsyncSandbox:
        self._sandbox = await self._made()
        return self._sandbox

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._sandbox is not None:
            await self._sandbox.__aexit__(kind, error, trace)

    async def _made(self) -> AsyncSandbox:
        return AsyncSandbox(self._caller, await self._making)


class AsyncTask(TaskView):
    """A sandbox with a main command, run to its end. `info.result` is there once it ended."""

    def __init__(self, caller: Caller, info: TaskInfo) -> None:
        super().__init__(info)
        self._caller = caller

    async def refresh(self) -> Self:
        """As `Task.refresh`."""
        self.info = await tasks.get(self._caller, self.id)
        return self

    async def wait(self, timeout: Duration | None = None) -> TaskResult | None:
        """As `Task.wait`."""
        self.info = await tasks.wait(self._caller, self.info, timeout)
        return self.info.result

    async def cancel(self, grace: Duration = "30s") -> None:
        """As `Task.cancel`."""
        await tasks.cancel(self._caller, self.id, grace)

    async def heartbeat(self) -> None:
        """As `Task.heartbeat`."""
        await tasks.heartbeat(self._caller, self.id)


class AsyncBatch(BatchView):
    """Many tasks at once."""

    def __init__(self, caller: Caller, info: BatchInfo) -> None:
        super().__init__(info)
        self._caller = caller

    async def refresh(self) -> Self:
        """As `Batch.refresh`."""
        self.info = await batches.get(self._caller, self.id)
        return self

    def events(self, after: int = 0) -> AsyncStream[BatchEvent]:
        """As `Batch.events`."""
        return AsyncStream(batches.events(self._caller, self.id, after))

    def results(self, after: int = 0, *, follow: bool = False) -> AsyncStream[TaskResult]:
        """As `Batch.results`."""
        return AsyncStream(batches.results(self._caller, self.id, after, follow))

    async def wait(self, on_progress: OnProgress | None = None) -> BatchResults:
        """As `Batch.wait`; `on_progress` may be a coroutine function."""
        return await batches.wait(self._caller, self.id, on_progress)

    async def cancel(self, grace: Duration = "30s") -> Self:
        """As `Batch.cancel`."""
        self.info = await batches.cancel(self._caller, self.id, grace)
        return self


class AsyncClient:
    """As `Client`, for asyncio. Use it in one event loop."""

    def __init__(
        self,
        url: str | None = None,
        api_key: str | None = None,
        *,
        retries: Retries = Retries(),  # noqa: B008 (immutable)
        max_connections: int = 1000,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        endpoint = resolve(url, api_key, os.environ)
        self.url = endpoint.url
        self._caller = Caller(AsyncIO(endpoint, max_connections, transport), retries)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """As `Client.close`."""
        await self._caller.io.close()

    def sandbox(
        self,
        image: str,
        *,
        wait: bool = True,
        wait_timeout: Duration | None = None,
        **fields: Unpack[SandboxFields],
    ) -> Creation:
        """As `Client.sandbox`: `await` it, or `async with` it, which deletes it at the end."""
        making = sandboxes.create(self._caller, image, fields, wait, wait_timeout)
        return Creation(self._caller, making)

    async def get_sandbox(self, id: str) -> AsyncSandbox:  # noqa: A002
        """As `Client.get_sandbox`."""
        return AsyncSandbox(self._caller, await sandboxes.get(self._caller, id))

    def sandboxes(
        self,
        *,
        labels: Mapping[str, str] | None = None,
        state: SandboxState | str | None = None,
        tenant: str | None = None,
        page_size: int = 100,
    ) -> AsyncStream[AsyncSandbox]:
        """As `Client.sandboxes`."""

        async def found() -> AsyncGenerator[AsyncSandbox, None]:
            async for info in sandboxes.find(self._caller, labels, state, tenant, page_size):
                yield AsyncSandbox(self._caller, info)

        return AsyncStream(found())

    async def delete_sandboxes(
        self,
        *,
        labels: Mapping[str, str] | None = None,
        state: SandboxState | str | None = None,
        tenant: str | None = None,
    ) -> int:
        """As `Client.delete_sandboxes`."""
        return await sandboxes.delete_all(self._caller, labels, state, tenant)

    async def start_task(self, image: str, **fields: Unpack[TaskFields]) -> AsyncTask:
        """As `Client.start_task`."""
        return AsyncTask(self._caller, await tasks.start(self._caller, image, fields))

    async def run_task(
        self, image: str, *, cancel_grace: Duration = 5, **fields: Unpack[TaskFields]
    ) -> TaskResult:
        """As `Client.run_task`."""
        return await tasks.run(self._caller, image, fields, cancel_grace)

    async def get_task(self, id: str) -> AsyncTask:  # noqa: A002
        """As `Client.get_task`."""
        return AsyncTask(self._caller, await tasks.get(self._caller, id))

    async def start_batch(
        self,
        tasks: Iterable[BatchTask],
        *,
        image: str | None = None,
        **fields: Unpack[BatchFields],
    ) -> AsyncBatch:
        """As `Client.start_batch`."""
        return AsyncBatch(self._caller, await batches.start(self._caller, tasks, image, fields))

    async def run_batch(
        self,
        tasks: Iterable[BatchTask],
        *,
        image: str | None = None,
        on_progress: OnProgress | None = None,
        cancel_grace: Duration = 5,
        **fields: Unpack[BatchFields],
    ) -> BatchResults:
        """As `Client.run_batch`; `on_progress` may be a coroutine function."""
        return await batches.run(self._caller, tasks, image, fields, on_progress, cancel_grace)

    async def get_batch(self, id: str) -> AsyncBatch:  # noqa: A002
        """As `Client.get_batch`."""
        return AsyncBatch(self._caller, await batches.get(self._caller, id))

    async def batches(self, *, tenant: str | None = None, limit: int = 100) -> list[BatchInfo]:
        """As `Client.batches`."""
        return await batches.find(self._caller, tenant, limit)
