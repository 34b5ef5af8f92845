# SPDX-License-Identifier: Apache-2.0
"""Batches as values: many tasks at once, with dependencies, waves and retries of faults."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any, TypeAlias, overload

from dsec._core.read import reads, time, time_or_none
from dsec.amounts import Duration
from dsec.endings import Ending, read_ending
from dsec.results import TaskResult
from dsec.tasks import TaskFields


class Pacing(str, Enum):
    """`adaptive` starts tasks as fast as nodes take them, `micro_batch` a few per interval."""

    ADAPTIVE = "adaptive"
    MICRO_BATCH = "micro_batch"


@dataclass(frozen=True)
class TaskRetries:
    """Which faults of the platform the server runs again; what a program did never is.

    `on` has kinds of endings: `lost`, `killed`, `not_started`. `max` counts runs after the first.
    """

    on: Sequence[str] = ("lost", "killed")
    max: int = 2


@dataclass(frozen=True)
class MicroBatch:
    """How many tasks start per node and interval."""

    size: int
    interval: Duration


class BatchTask(TaskFields, total=False):
    """One task of a batch: a dict with these keys.

    * `id`: unique in the batch; its place by default. `after`: ids of tasks that must exit with 0 before.
    * `image` and every field of a task; what is missing comes from the batch. `secrets` are not taken.
    """

    id: str
    after: Sequence[str]
    image: str
    retries: TaskRetries


class BatchFields(TaskFields, total=False):
    """What all tasks of a batch share unless they say otherwise, and how the batch goes.

    * `name`: for people. `retries`: of faults; none by default.
    * `wave_size`, `micro_batch`, `pacing`: see docs/api.md.
    """

    name: str
    wave_size: int
    micro_batch: MicroBatch
    pacing: Pacing | str
    retries: TaskRetries


@dataclass(frozen=True)
class BatchInfo:
    """A batch as the server told of it.

    `state` is `running`, `cancelling`, `finished` or `cancelled`. `states` counts tasks by state, `endings`
    ended tasks by kind of ending; `rate` is ended tasks per second since the start.
    """

    id: str
    name: str
    state: str
    tenant: str
    created_at: datetime
    ended_at: datetime | None
    total: int
    states: Mapping[str, int]
    endings: Mapping[str, int]
    succeeded: int
    faults: int
    retried: int
    rate: float

    @property
    def ended(self) -> int:
        """How many tasks have ended."""
        return sum(self.endings.values())

    @property
    def is_over(self) -> bool:
        """True when every task has its ending."""
        return self.ended_at is not None


@dataclass(frozen=True)
class TaskEnded:
    """A task of the batch ended; its output is among the batch's results."""

    n: int
    id: str
    index: int
    attempt: int
    ending: Ending


@dataclass(frozen=True)
class BatchProgress:
    """The counts, after some endings and every ten seconds."""

    info: BatchInfo


@dataclass(frozen=True)
class BatchEnd:
    """The batch is over."""

    info: BatchInfo


BatchEvent: TypeAlias = TaskEnded | BatchProgress | BatchEnd


class BatchResults(Sequence[TaskResult]):
    """All results of a batch, in the order of its tasks; by place, or by the task's id."""

    def __init__(self, info: BatchInfo, results: Sequence[TaskResult]) -> None:
        self.info = info
        self._results = tuple(sorted(results, key=lambda r: r.index))
        self._by_id = {r.id: r for r in self._results}

    @overload
    def __getitem__(self, key: int | str) -> TaskResult: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[TaskResult]: ...

    def __getitem__(self, key: int | str | slice) -> TaskResult | Sequence[TaskResult]:
        return self._by_id[key] if isinstance(key, str) else self._results[key]

    def __len__(self) -> int:
        return len(self._results)

    def __iter__(self) -> Iterator[TaskResult]:
        return iter(self._results)

    @property
    def scored(self) -> list[TaskResult]:
        """Results of what programs did: to be scored."""
        return [r for r in self if not r.is_fault]

    @property
    def faults(self) -> list[TaskResult]:
        """Results that the platform spoilt: to be masked."""
        return [r for r in self if r.is_fault]

    def __repr__(self) -> str:
        counts = ", ".join(f"{n} {kind}" for kind, n in sorted(self.info.endings.items()))
        return f"<BatchResults {self.info.id}: {len(self)} tasks; {counts}>"


@reads("a batch")
def read_batch(json: dict[str, Any]) -> BatchInfo:
    """A batch as the API writes it."""
    return BatchInfo(
        json["id"],
        json["name"],
        json["state"],
        json["tenant"],
        time(json["created_at"]),
        time_or_none(json.get("ended_at")),
        json["total"],
        json["states"],
        json["endings"],
        json["succeeded"],
        json["faults"],
        json["retried"],
        json["rate"],
    )


@reads("an event of a batch")
def read_batch_event(event: str, id: str | None, json: dict[str, Any]) -> BatchEvent | None:
    """A server-sent event; None for one of a kind that a newer server has."""
    if event == "task":
        return TaskEnded(
            int(id or 0), json["id"], json["index"], json["attempt"], read_ending(json["ending"])
        )
    if event == "progress":
        return BatchProgress(read_batch(json))
    if event == "end":
        return BatchEnd(read_batch(json))
    return None
