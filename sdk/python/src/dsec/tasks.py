# SPDX-License-Identifier: Apache-2.0
"""Tasks as values: a sandbox with a main command, run to its end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypedDict

from dsec._core.read import reads, time, time_or_none
from dsec.amounts import Duration, Size
from dsec.endings import Ending, read_ending
from dsec.results import TaskResult, read_task_result
from dsec.sandboxes import SandboxFields


@dataclass(frozen=True)
class File:
    """A file for a task: text or bytes, and its mode, such as 0o755; None is the usual one."""

    content: str | bytes
    mode: int | None = None


class CommandFields(TypedDict, total=False):
    """What a task runs: `command` (program and arguments) or `shell` (text for the image's shell).

    * `login`: with `shell`, a login shell. `cwd`: absolute.
    * `stdin`: text or bytes; end-of-file at once by default.
    * `timeout`: 5 minutes by default; everything that the task started is killed then.
    * `max_output`: of each stream, 10 MiB by default; of this a result keeps 64 KiB.
    * `files`: by absolute path, written before the command starts.
    """

    command: Sequence[str]
    shell: str
    login: bool
    cwd: str
    stdin: str | bytes
    timeout: Duration
    max_output: Size
    files: Mapping[str, str | bytes | File]


class TaskFields(CommandFields, SandboxFields, total=False):
    """Everything about a new task besides its image."""


@dataclass(frozen=True)
class TaskInfo:
    """A task as the server told of it.

    `state` is a sandbox's state or `ended`; `result` is None until then. `sandbox` names the sandbox whose
    trajectory has the rest.
    """

    id: str
    state: str
    tenant: str
    sandbox: str
    created_at: datetime
    ended_at: datetime | None
    result: TaskResult | None


@dataclass(frozen=True)
class TaskEntry:
    """A task as lists tell of it, without its output.

    `state` is a sandbox's state or `ended`; for a task of a batch `pending`, `started` or `ended`, and
    `index` is its place there. `ending` and `duration` (seconds) are None until it ended; times are told of
    tasks of their own.
    """

    id: str
    state: str
    sandbox: str | None
    attempt: int
    index: int | None
    created_at: datetime | None
    ended_at: datetime | None
    ending: Ending | None
    duration: float | None


@reads("an entry of a list of tasks")
def read_task_entry(json: dict[str, Any]) -> TaskEntry:
    """A line of `GET /tasks`."""
    return TaskEntry(
        json["id"],
        json["state"],
        json.get("sandbox"),
        json["attempt"],
        json.get("index"),
        time_or_none(json.get("created_at")),
        time_or_none(json.get("ended_at")),
        None if json.get("ending") is None else read_ending(json["ending"]),
        json.get("duration_seconds"),
    )


@reads("a task")
def read_task(json: dict[str, Any]) -> TaskInfo:
    """A task as the API writes it."""
    return TaskInfo(
        json["id"],
        json["state"],
        json["tenant"],
        json["sandbox"],
        time(json["created_at"]),
        time_or_none(json.get("ended_at")),
        None if json.get("ending") is None else read_task_result(json),
    )
