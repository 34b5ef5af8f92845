# SPDX-License-Identifier: Apache-2.0
"""Shell sessions as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any, TypedDict

from dsec._core.read import reads, time
from dsec.amounts import Duration, Size
from dsec.endings import Ending, read_ending


class SessionState(str, Enum):
    """`idle` sessions take a command, `busy` ones run one."""

    IDLE = "idle"
    BUSY = "busy"
    ENDED = "ended"


class SessionFields(TypedDict, total=False):
    """How a session's shell runs.

    * `shell`: `bash`, `sh` or the path of one; bash by default, sh where there is none.
    * `login`: it reads what a login shell reads. `cwd`: absolute. `env`, `user`: as of an exec.
    """

    shell: str
    login: bool
    cwd: str
    env: Mapping[str, str]
    user: str


class RunFields(TypedDict, total=False):
    """How a command runs in a session.

    * `timeout`: from its start; what it started is killed then, and the session goes on where that is
      possible.
    * `max_output`: bytes kept of each stream, half at each end; 10 MiB by default.
    """

    timeout: Duration
    max_output: Size


@dataclass(frozen=True)
class SessionInfo:
    """A session as the server told of it.

    `process` is its shell among the processes of the sandbox; `command` is what it is busy with, and
    `command_id` that among the processes. `ending` is there once the shell has ended.
    """

    id: str
    state: SessionState
    process: str
    shell: str | None
    started_at: datetime
    command: str | None
    command_id: str | None
    ending: Ending | None


@reads("a session")
def read_session(json: dict[str, Any]) -> SessionInfo:
    """A session as the API writes it."""
    run = json.get("run") or {}
    return SessionInfo(
        json["id"],
        SessionState(json["state"]),
        json["process"],
        json.get("shell"),
        time(json["started_at"]),
        run.get("command"),
        run.get("id"),
        None if json.get("ending") is None else read_ending(json["ending"]),
    )
