# SPDX-License-Identifier: Apache-2.0
"""What a program left: its ending and output."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

from dsec._core.read import output, reads
from dsec.endings import Ending, read_ending
from dsec.errors import ProgramFailed, SandboxFault

R = TypeVar("R", bound="Outcome")


@dataclass(frozen=True)
class Outcome:
    """The end of one program.

    `stdout_raw` and `stderr_raw` are the bytes that were kept. Of a stream longer than was to be kept
    these are its first and last part, one after the other: `stdout_truncated` tells so, `stdout_parts` takes
    them apart, and `stdout_size` counts all bytes that the program wrote. `duration` is in seconds, None if
    it never ran. `seq` is the first and last number of its events in the trajectory.
    """

    ending: Ending
    stdout_raw: bytes
    stderr_raw: bytes
    stdout_size: int
    stderr_size: int
    stdout_head: int
    stderr_head: int
    stdout_truncated: bool
    stderr_truncated: bool
    duration: float | None
    seq: tuple[int, ...]

    @property
    def stdout(self) -> str:
        """Standard output as text, U+FFFD where bytes are not UTF-8."""
        return self.stdout_raw.decode("utf-8", "replace")

    @property
    def stderr(self) -> str:
        """Standard error as text, U+FFFD where bytes are not UTF-8."""
        return self.stderr_raw.decode("utf-8", "replace")

    @property
    def stdout_parts(self) -> tuple[bytes, bytes]:
        """What was kept before and after the bytes that are missing; all and nothing when none are."""
        return self.stdout_raw[: self.stdout_head], self.stdout_raw[self.stdout_head :]

    @property
    def stderr_parts(self) -> tuple[bytes, bytes]:
        """As `stdout_parts`."""
        return self.stderr_raw[: self.stderr_head], self.stderr_raw[self.stderr_head :]

    @property
    def ok(self) -> bool:
        """True when the program exited with 0."""
        return self.ending.ok

    @property
    def code(self) -> int | None:
        """The exit code; None unless it exited."""
        return self.ending.code

    @property
    def is_fault(self) -> bool:
        """True when the platform is to blame: mask this result, do not score it."""
        return self.ending.is_fault

    @property
    def truncated(self) -> bool:
        """True when either stream is not whole."""
        return self.stdout_truncated or self.stderr_truncated

    def check(self: R) -> R:
        """Itself when the program exited with 0; raises `SandboxFault` or `ProgramFailed` else."""
        if self.ok:
            return self
        raise SandboxFault(self) if self.is_fault else ProgramFailed(self)


@dataclass(frozen=True)
class ExecResult(Outcome):
    """The end of an exec; `id` names it in the trajectory."""

    id: str


@dataclass(frozen=True)
class Timings:
    """Where the time of a start went, in seconds; None for a phase that was not reached."""

    queued: float | None = None
    placed: float | None = None
    prepared: float | None = None
    started: float | None = None


@dataclass(frozen=True)
class TaskResult(Outcome):
    """The end of a task. At most 64 KiB of each stream are kept; the trajectory has more.

    In a batch `id` is the id that the task was given, `index` its place among the tasks, `attempt` counts
    from 1, and `n` is its place in the order of endings, from 1. Outside of one they are 0, 1 and 0.
    `sandbox` is None for a task that never had one.
    """

    id: str
    sandbox: str | None
    node: str | None
    timings: Timings
    index: int = 0
    attempt: int = 1
    n: int = 0


def _first(told: int | None, kept: int) -> int:
    return kept if told is None else told


def _common(json: dict[str, Any]) -> dict[str, Any]:
    stdout, stderr = output(json, "stdout"), output(json, "stderr")
    return {
        "ending": read_ending(json["ending"]),
        "stdout_raw": stdout,
        "stderr_raw": stderr,
        "stdout_head": _first(json.get("stdout_head_bytes"), len(stdout)),
        "stderr_head": _first(json.get("stderr_head_bytes"), len(stderr)),
        "stdout_size": json["stdout_bytes"],
        "stderr_size": json["stderr_bytes"],
        "stdout_truncated": json["stdout_truncated"],
        "stderr_truncated": json["stderr_truncated"],
        "duration": json.get("duration_seconds"),
        "seq": tuple(json.get("seq") or ()),
    }


@reads("the result of an exec")
def read_exec_result(json: dict[str, Any]) -> ExecResult:
    """The reply of an exec."""
    return ExecResult(**_common(json), id=json["id"])


@reads("the result of a task")
def read_task_result(json: dict[str, Any]) -> TaskResult:
    """An ended task, alone or of a batch."""
    return TaskResult(
        **_common(json),
        id=json["id"],
        sandbox=json.get("sandbox"),
        node=json.get("node"),
        timings=read_timings(json.get("timings")),
        index=json.get("index", 0),
        attempt=json.get("attempt", 1),
        n=json.get("n", 0),
    )


def read_timings(json: dict[str, float | None] | None) -> Timings:
    """Timings as the API writes them."""
    t = json or {}
    return Timings(t.get("queued"), t.get("placed"), t.get("prepared"), t.get("started"))
