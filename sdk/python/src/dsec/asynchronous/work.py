# SPDX-License-Identifier: Apache-2.0
"""Tasks and batches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dsec._core.views import BatchView, TaskView
from dsec._flow import batches, tasks
from dsec._flow.batches import OnProgress
from dsec._flow.caller import Caller
from dsec.amounts import Duration
from dsec.asynchronous.stream import AsyncStream
from dsec.batches import BatchEvent, BatchInfo, BatchResults
from dsec.results import TaskResult
from dsec.tasks import TaskEntry, TaskInfo

if TYPE_CHECKING:
    from typing_extensions import Self


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

    def tasks(self, *, state: str | None = None, page_size: int = 100) -> AsyncStream[TaskEntry]:
        """As `Batch.tasks`."""
        return AsyncStream(tasks.find(self._caller, self.id, state, None, page_size))

    async def wait(self, on_progress: OnProgress | None = None) -> BatchResults:
        """As `Batch.wait`; `on_progress` may be a coroutine function."""
        return await batches.wait(self._caller, self.id, on_progress)

    async def cancel(self, grace: Duration = "30s") -> Self:
        """As `Batch.cancel`."""
        self.info = await batches.cancel(self._caller, self.id, grace)
        return self
