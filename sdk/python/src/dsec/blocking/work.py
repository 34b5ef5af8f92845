# SPDX-License-Identifier: Apache-2.0
"""Tasks and batches."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from dsec._core.views import BatchView, TaskView
from dsec._flow import batches, tasks
from dsec._flow.caller import Caller
from dsec._io.blocking import run
from dsec.amounts import Duration
from dsec.batches import BatchEvent, BatchInfo, BatchResults
from dsec.blocking.stream import Stream
from dsec.results import TaskResult
from dsec.tasks import TaskEntry, TaskInfo

if TYPE_CHECKING:
    from typing_extensions import Self


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

    def tasks(self, *, state: str | None = None, page_size: int = 100) -> Stream[TaskEntry]:
        """How each task stands, in the order of the batch; `state` is `pending`, `started` or `ended`."""
        return Stream(tasks.find(self._caller, self.id, state, None, page_size))

    def wait(self, on_progress: Callable[[BatchInfo], None] | None = None) -> BatchResults:
        """All results once it is over. Interrupted, the batch goes on: see `cancel`."""
        return run(batches.wait(self._caller, self.id, on_progress))

    def cancel(self, grace: Duration = "30s") -> Self:
        """Nothing starts any more and what runs is ended: TERM, and KILL after the grace."""
        self.info = run(batches.cancel(self._caller, self.id, grace))
        return self
