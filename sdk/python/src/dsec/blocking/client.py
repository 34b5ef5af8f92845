# SPDX-License-Identifier: Apache-2.0
"""The blocking client."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from typing import TYPE_CHECKING

import httpcore

from dsec._core.endpoint import resolve
from dsec._core.retry import Retries
from dsec._flow import batches, sandboxes, tasks
from dsec._flow.caller import Caller
from dsec._io.blocking import BlockingIO, run
from dsec.amounts import Duration
from dsec.batches import BatchFields, BatchInfo, BatchResults, BatchTask
from dsec.blocking.group import Group
from dsec.blocking.sandbox import Sandbox
from dsec.blocking.stream import Stream
from dsec.blocking.work import Batch, Task
from dsec.results import TaskResult
from dsec.sandboxes import SandboxFields, SandboxState
from dsec.tasks import TaskEntry, TaskFields

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack


class Client:
    """A server, over kept connections. Close it, or use it as a context manager.

    Args:
        url: else `DSEC_URL`, else that of `~/.config/dsec/credentials`, else `http://127.0.0.1:7070`.
        api_key: else `DSEC_API_KEY`, else that of the credentials file if it is for this URL.
        retries: how often a call that can do no harm twice is sent again.
        max_connections: calls at the same moment; more wait for a free connection.
        network: for tests and special networks, in place of TCP.

    Raises:
        ConfigurationError: the URL, the key or the file is unusable. No call is made yet.
    """

    def __init__(
        self,
        url: str | None = None,
        api_key: str | None = None,
        *,
        retries: Retries = Retries(),  # noqa: B008 (immutable)
        max_connections: int = 1000,
        network: httpcore.NetworkBackend | None = None,
    ) -> None:
        endpoint = resolve(url, api_key, os.environ)
        self.url = endpoint.url
        self._caller = Caller(BlockingIO(endpoint, max_connections, network), retries)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Drops all connections; sandboxes, tasks and batches go on."""
        run(self._caller.io.close())

    def sandbox(
        self,
        image: str,
        *,
        wait: bool = True,
        wait_timeout: Duration | None = None,
        **fields: Unpack[SandboxFields],
    ) -> Sandbox:
        """Makes a sandbox; see `SandboxFields` for what may be said of it.

        It runs on return, unless `wait` is False: then its `wait()` waits for that. Interrupted, or refused
        after `wait_timeout` (30 s), it leaves no sandbox behind, except one with a `task_id`.

        Raises:
            InvalidRequest, NotSupported: `field` names the culprit.
            ImageNotFound, TierUnavailable, QuotaExceeded, SandboxFailed: it will not run.
            NotReady: it did not run within `wait_timeout`.
        """
        info = run(sandboxes.create(self._caller, image, fields, wait, wait_timeout))
        return Sandbox(self._caller, info)

    def create_many(
        self,
        image: str,
        count: int,
        *,
        wait: bool = True,
        wait_timeout: Duration | None = None,
        **fields: Unpack[SandboxFields],
    ) -> Group:
        """Makes up to 1,000 sandboxes alike with one call, which counts as one create at the rate limit.

        All of them run on return, unless `wait` is False. Interrupted, or when one of them does not run
        within `wait_timeout` (30 s), it leaves none behind. Raises as `sandbox`.
        """
        infos = run(sandboxes.create_many(self._caller, image, count, fields, wait, wait_timeout))
        return Group(self._caller, (Sandbox(self._caller, info) for info in infos))

    def get_sandbox(self, id: str) -> Sandbox:
        """One that exists, or that ended within 7 days; else `NotFound`."""
        return Sandbox(self._caller, run(sandboxes.get(self._caller, id)))

    def sandboxes(
        self,
        *,
        labels: Mapping[str, str] | None = None,
        state: SandboxState | str | None = None,
        tenant: str | None = None,
        page_size: int = 100,
    ) -> Stream[Sandbox]:
        """All that match, newest first, asked for page by page (at most 1,000 each)."""

        async def found() -> AsyncGenerator[Sandbox, None]:
            async for info in sandboxes.find(self._caller, labels, state, tenant, page_size):
                yield Sandbox(self._caller, info)

        return Stream(found())

    def delete_sandboxes(
        self,
        *,
        labels: Mapping[str, str] | None = None,
        state: SandboxState | str | None = None,
        tenant: str | None = None,
    ) -> int:
        """Deletes all that match and tells how many; without a filter ValueError."""
        return run(sandboxes.delete_all(self._caller, labels, state, tenant))

    def start_task(self, image: str, **fields: Unpack[TaskFields]) -> Task:
        """Starts a task without waiting; see `TaskFields`."""
        return Task(self._caller, run(tasks.start(self._caller, image, fields)))

    def run_task(self, image: str, *, cancel_grace: Duration = 5, **fields: Unpack[TaskFields]) -> TaskResult:
        """Runs a task to its end. Interrupted, it cancels the task, with `cancel_grace` to clean up.

        A program that does not exist is the ending `not_started`, no error.
        """
        return run(tasks.run(self._caller, image, fields, cancel_grace))

    def get_task(self, id: str) -> Task:
        """One that exists; else `NotFound`."""
        return Task(self._caller, run(tasks.get(self._caller, id)))

    def tasks(
        self, *, state: str | None = None, tenant: str | None = None, page_size: int = 100
    ) -> Stream[TaskEntry]:
        """Tasks outside of batches, newest first; `state` is `open` or `ended`. `Batch.tasks` has others."""
        return Stream(tasks.find(self._caller, None, state, tenant, page_size))

    def start_batch(
        self,
        tasks: Iterable[BatchTask],
        *,
        image: str | None = None,
        **fields: Unpack[BatchFields],
    ) -> Batch:
        """Starts a batch without waiting; see `BatchTask` and `BatchFields`."""
        return Batch(self._caller, run(batches.start(self._caller, tasks, image, fields)))

    def run_batch(
        self,
        tasks: Iterable[BatchTask],
        *,
        image: str | None = None,
        on_progress: Callable[[BatchInfo], None] | None = None,
        cancel_grace: Duration = 5,
        **fields: Unpack[BatchFields],
    ) -> BatchResults:
        """Runs all tasks to their ends; results come in the order of the tasks.

        `on_progress` is told the counts at the start, after endings, and at least every ten seconds.
        Interrupted, also by what `on_progress` raises, the batch is cancelled, with `cancel_grace` for what
        runs.

        Score `results.scored` and mask `results.faults`: what the platform spoilt says nothing of a program.
        """
        return run(batches.run(self._caller, tasks, image, fields, on_progress, cancel_grace))

    def get_batch(self, id: str) -> Batch:
        """One that exists; else `NotFound`."""
        return Batch(self._caller, run(batches.get(self._caller, id)))

    def batches(self, *, tenant: str | None = None, page_size: int = 100) -> Stream[Batch]:
        """All batches, newest first, asked for page by page (at most 1,000 each)."""

        async def found() -> AsyncGenerator[Batch, None]:
            async for info in batches.find(self._caller, tenant, page_size):
                yield Batch(self._caller, info)

        return Stream(found())
