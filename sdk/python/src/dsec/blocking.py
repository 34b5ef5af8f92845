# SPDX-License-Identifier: Apache-2.0
"""The blocking face: every call waits in the caller's thread. Threads may share a client."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Generic, TypeVar

import httpx

from dsec._core import bodies
from dsec._core.endpoint import resolve
from dsec._core.retry import Retries
from dsec._core.views import BatchView, SandboxView, TaskView
from dsec._flow import batches, execs, history, sandboxes, tasks
from dsec._flow.caller import Caller
from dsec._io.blocking import BlockingIO, run
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


class Stream(Generic[T]):
    """Values as they come. Leaving it early, by `close()` or `with`, drops its connection."""

    def __init__(self, source: AsyncGenerator[T, None]) -> None:
        self._source = source

    def __iter__(self) -> Iterator[T]:
        return self

    def __next__(self) -> T:
        try:
            return run(anext(self._source))
        except StopAsyncIteration:
            raise StopIteration from None

    def close(self) -> None:
        """Drops the connection; what runs in the sandbox goes on."""
        run(self._source.aclose())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Sandbox(SandboxView):
    """A sandbox. As a context manager it is deleted at the end, whatever ends the block."""

    def __init__(self, caller: Caller, info: SandboxInfo) -> None:
        super().__init__(info)
        self._caller = caller

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        if error is None:
            run(sandboxes.leave(self._caller, self.id))
        else:
            run(sandboxes.discard(self._caller, self.id))

    def exec(self, *argv: str, **fields: Unpack[ExecFields]) -> ExecResult:
        """Runs a program, without a shell, and waits for its end.

        Returns its ending and output, also when it failed; `check()` raises then. See `ExecFields` for what
        else may be said.

        Raises:
            ProgramNotFound, NotExecutable, BadCwd, BadUser: nothing ran.
            Gone, SandboxFailed: the sandbox has ended.
            ConnectionLost: it may have run, and may still run. It is never sent again.
        """
        body = bodies.command(argv, None, False, fields)
        return run(execs.run(self._caller, self.id, body))

    def shell(self, text: str, *, login: bool = False, **fields: Unpack[ExecFields]) -> ExecResult:
        """As `exec`, for text that the image's shell runs; with `login` as a login shell."""
        body = bodies.command((), text, login, fields)
        return run(execs.run(self._caller, self.id, body))

    def stream(self, *argv: str, shell: str | None = None, **fields: Unpack[ExecFields]) -> Stream[ExecEvent]:
        """As `exec` or `shell`, telling what comes: `ExecStart`, `Stdout`, `Stderr`, `Heartbeat`, `ExecEnd`.

        A slow reader holds up its own program alone. Leaving the stream does not end the program.
        """
        body = bodies.command(argv, shell, False, fields)
        return Stream(execs.stream(self._caller, self.id, body))

    def refresh(self) -> Self:
        """Asks for its state."""
        self.info = run(sandboxes.get(self._caller, self.id))
        return self

    def wait(self, timeout: Duration = sandboxes.WAIT) -> Self:
        """Waits until it runs, after a create with `wait=False`.

        Raises:
            NotReady: it does not run yet, and stays.
            SandboxFailed, Gone: it never will.
        """
        self.info = run(sandboxes.wait_running(self._caller, self.info, timeout))
        return self

    def renew(self, ttl: Duration) -> Self:
        """Its end counts anew: `ttl` from now. Raises `Gone` when it has ended."""
        self.info = run(sandboxes.renew(self._caller, self.id, ttl))
        return self

    def delete(self, grace: Duration = 0) -> bool:
        """Deletes it; that it is gone already is fine. With a grace, TERM comes first.

        Returns True once it is gone, False when the server still works on it.
        """
        return run(sandboxes.delete(self._caller, self.id, grace))

    def trajectory(self, start: int = 1, *, follow: bool = False) -> Stream[TrajectoryEvent]:
        """Recorded events from number `start` on; with `follow` until the sandbox has ended."""
        return Stream(history.trajectory(self._caller, self.id, start, follow))

    def changes(self, *, follow: bool = False) -> Stream[StateChange]:
        """Its changes of state so far; with `follow` until it has ended."""
        return Stream(history.changes(self._caller, self.id, follow))


class Task(TaskView):
    """A sandbox with a main command, run to its end. `info.result` is there once it ended."""

    def __init__(self, caller: Caller, info: TaskInfo) -> None:
        super().__init__(info)
        self._caller = caller

    def refresh(self) -> Self:
        """Asks how it stands."""
        self.info = run(tasks.get(self._caller, self.id))
        return self

    def wait(self, timeout: Duration | None = None) -> TaskResult | None:
        """Its result; None when `timeout` passed first."""
        self.info = run(tasks.wait(self._caller, self.info, timeout))
        return self.info.result

    def cancel(self, grace: Duration = "30s") -> None:
        """Orders its end: TERM, and KILL after the grace. Its ending is then `killed`, no fault."""
        run(tasks.cancel(self._caller, self.id, grace))

    def heartbeat(self) -> None:
        """Tells the server that somebody still wants it."""
        run(tasks.heartbeat(self._caller, self.id))


class Batch(BatchView):
    """Many tasks at once."""

    def __init__(self, caller: Caller, info: BatchInfo) -> None:
        super().__init__(info)
        self._caller = caller

    def refresh(self) -> Self:
        """Asks for its counts."""
        self.info = run(batches.get(self._caller, self.id))
        return self

    def events(self, after: int = 0) -> Stream[BatchEvent]:
        """`TaskEnded` for each ending after the `after`-th, `BatchProgress`, and last `BatchEnd`.

        Goes on by itself after a lost connection.
        """
        return Stream(batches.events(self._caller, self.id, after))

    def results(self, after: int = 0, *, follow: bool = False) -> Stream[TaskResult]:
        """Results in the order of endings, after the `after`-th; with `follow` until it is over."""
        return Stream(batches.results(self._caller, self.id, after, follow))

    def wait(self, on_progress: Callable[[BatchInfo], None] | None = None) -> BatchResults:
        """All results once it is over. Interrupted, the batch goes on: see `cancel`."""
        return run(batches.wait(self._caller, self.id, on_progress))

    def cancel(self, grace: Duration = "30s") -> Self:
        """Nothing starts any more and what runs is ended: TERM, and KILL after the grace."""
        self.info = run(batches.cancel(self._caller, self.id, grace))
        return self


class Client:
    """A server, over kept connections. Close it, or use it as a context manager.

    Args:
        url: else `DSEC_URL`, else that of `~/.config/dsec/credentials`, else `http://127.0.0.1:7070`.
        api_key: else `DSEC_API_KEY`, else that of the credentials file if it is for this URL.
        retries: how often a call that can do no harm twice is sent again.
        max_connections: calls at the same moment; more wait for a free connection.
        transport: for tests and special networks, in place of plain HTTP.

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
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        endpoint = resolve(url, api_key, os.environ)
        self.url = endpoint.url
        self._caller = Caller(BlockingIO(endpoint, max_connections, transport), retries)

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

    def get_sandbox(self, id: str) -> Sandbox:  # noqa: A002
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

    def get_task(self, id: str) -> Task:  # noqa: A002
        """One that exists; else `NotFound`."""
        return Task(self._caller, run(tasks.get(self._caller, id)))

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

    def get_batch(self, id: str) -> Batch:  # noqa: A002
        """One that exists; else `NotFound`."""
        return Batch(self._caller, run(batches.get(self._caller, id)))

    def batches(self, *, tenant: str | None = None, limit: int = 100) -> list[BatchInfo]:
        """The newest batches, at most 1,000."""
        return run(batches.find(self._caller, tenant, limit))
