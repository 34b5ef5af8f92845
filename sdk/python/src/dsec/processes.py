# SPDX-License-Identifier: Apache-2.0
"""Processes as values. Every command is one, whether somebody waits for it or not."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from dsec._core.read import reads, time
from dsec.endings import Ending, read_ending


@dataclass(frozen=True)
class ProcessInfo:
    """A process as the server told of it. `ending` and `duration` (seconds) are None while it runs.

    With `shell` its `argv` is one text. `background` is False for what an `exec` waits for. The sizes count
    all bytes written so far.
    """

    id: str
    argv: tuple[str, ...]
    shell: bool
    background: bool
    started_at: datetime
    ending: Ending | None
    duration: float | None
    stdout_size: int
    stderr_size: int

    @property
    def running(self) -> bool:
        """True while it has no ending."""
        return self.ending is None


@reads("a process")
def read_process(json: dict[str, Any]) -> ProcessInfo:
    """A process as the API writes it."""
    return ProcessInfo(
        json["id"],
        tuple(json["argv"]),
        json["shell"],
        json["background"],
        time(json["started_at"]),
        None if json.get("ending") is None else read_ending(json["ending"]),
        json.get("duration_seconds"),
        json["stdout_bytes"],
        json["stderr_bytes"],
    )
