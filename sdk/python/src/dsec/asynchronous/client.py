# SPDX-License-Identifier: Apache-2.0
"""The asyncio client."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Iterable, Mapping
from typing import TYPE_CHECKING

import httpcore

from dsec._core.endpoint import resolve
from dsec._core.retry import Retries
from dsec._flow import batches, sandboxes, tasks
from dsec._flow.batches import OnProgress
from dsec._flow.caller import Caller
from dsec._io.asynchronous import AsyncIO
from dsec.amounts import Duration
from dsec.asynchronous.group import AsyncGroup
from dsec.asynchronous.opening import Opening
from dsec.asynchronous.sandbox import AsyncSandbox
from dsec.asynchronous.stream import AsyncStream
from dsec.asynchronous.work import AsyncBatch, AsyncTask
from dsec.batches import BatchFields, BatchResults, BatchTask
from dsec.results import TaskResult
from dsec.sandboxes import SandboxFields, SandboxState
from dsec.tasks import TaskEntry, TaskFields

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack


class AsyncClient:
    """As `Client`, for asyncio. Use it in one event loop."""

    def __init__(
        self,
        url: str | None = None,
        api_key: str | None = None,
        *,
        retries: Retries = Retries(),  # noqa: B008 (immutable)
        max_connections: int = 1000,
        network: httpcore.AsyncNetworkBackend | None = None,
    ) -> None:
        endpoint = resolve(url, api_key, os.environ)
        self.url = endpoint.url
        self._caller = Caller(AsyncIO(endpoint, max_connections, network), retries)

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
    ) -> Opening[AsyncSandbox]:
        """As `Client.sandbox`: `await` it, or `async with` it, which deletes it at the end."""

        async def made() -> AsyncSandbox:
            info = await sandboxes.create(self._caller, image, fields, wait, wait_timeout)
            return AsyncSandbox(self._caller, info)

        return Opening(made())

    def create_many(
        self,
        image: str,
        count: int,
        *,
        wait: bool = True,
        wait_timeout: Duration | None = None,
        **fields: Unpack[SandboxFields],
    ) -> Opening[AsyncGroup]:
        """As `Client.create_many`: `await` it, or `async with` it, which deletes them at the end."""

        async def made() -> AsyncGroup:
            infos = await sandboxes.create_many(self._caller, image, count, fields, wait, wait_timeout)
            return AsyncGroup(self._caller, (AsyncSandbox(self._caller, info) for info in infos))

        return Opening(made())

    async def get_sandbox(self, id: str) -> AsyncSandbox:
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

    async def get_task(self, id: str) -> AsyncTask:
        """As `Client.get_task`."""
        return AsyncTask(self._caller, await tasks.get(self._caller, id))

    def tasks(
        self, *, state: str | None = None, tenant: str | None = None, page_size: int = 100
    ) -> AsyncStream[TaskEntry]:
        """As `Client.tasks`."""
        return AsyncStream(tasks.find(self._caller, None, state, tenant, page_size))

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

    async def get_batch(self, id: str) -> AsyncBatch:
        """As `Client.get_batch`."""
        return AsyncBatch(self._caller, await batches.get(self._caller, id))

    def batches(self, *, tenant: str | None = None, page_size: int = 100) -> AsyncStream[AsyncBatch]:
        """As `Client.batches`."""

        async def found() -> AsyncGenerator[AsyncBatch, None]:
            async for info in batches.find(self._caller, tenant, page_size):
                yield AsyncBatch(self._caller, info)

        return AsyncStream(found())
