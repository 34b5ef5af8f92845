# SPDX-License-Identifier: Apache-2.0
"""What comes while a program runs.

The last event of a stream is `ExecEnd`, always. A stream whose connection breaks goes on over another one, by
the program's id and the bytes seen so far; only where that is impossible it raises `ConnectionLost`.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from dsec._core.read import reads
from dsec.endings import Ending, read_ending


@dataclass(frozen=True)
class ExecStart:
    """The program runs; `id` names the exec in the trajectory."""

    id: str


@dataclass(frozen=True)
class Stdout:
    """A piece of standard output; `offset` counts the bytes before it."""

    data: bytes
    offset: int
    stream: ClassVar[str] = "stdout"

    @property
    def text(self) -> str:
        """The piece as text; a character that was cut by its end is U+FFFD."""
        return self.data.decode("utf-8", "replace")


@dataclass(frozen=True)
class Stderr:
    """A piece of standard error; `offset` counts the bytes before it."""

    data: bytes
    offset: int
    stream: ClassVar[str] = "stderr"

    @property
    def text(self) -> str:
        """The piece as text; a character that was cut by its end is U+FFFD."""
        return self.data.decode("utf-8", "replace")


@dataclass(frozen=True)
class Gap:
    """Bytes of a stream from `start` up to `end` that are not kept any more."""

    stream: str
    start: int
    end: int


@dataclass(frozen=True)
class Heartbeat:
    """A sign of life, every 15 seconds."""


@dataclass(frozen=True)
class ExecEnd:
    """How it ended. `duration` is in seconds; the sizes count all bytes that were written."""

    id: str
    ending: Ending
    stdout_size: int
    stderr_size: int
    duration: float
    seq: tuple[int, ...]


Output: TypeAlias = Stdout | Stderr | Gap
"""What is read of a process's output."""

ExecEvent: TypeAlias = ExecStart | Stdout | Stderr | Gap | Heartbeat | ExecEnd


@reads("output of a process")
def read_output(json: dict[str, Any], stream: str) -> Output | None:
    """A line of a process's output; None for one that only shows that the server lives."""
    if "heartbeat" in json:
        return None
    if "gap" in json:
        return Gap(stream, json["gap"]["from"], json["gap"]["to"])
    kind = Stdout if stream == "stdout" else Stderr
    return kind(base64.b64decode(json[stream], validate=True), json["offset"])


def behind(output: Output) -> int:
    """The offset of what follows."""
    return output.end if isinstance(output, Gap) else output.offset + len(output.data)


@reads("a line of an exec")
def read_exec_event(json: dict[str, Any]) -> ExecEvent | None:
    """The event of a line; None for one of a kind that a newer server has."""
    if "stdout" in json:
        return Stdout(base64.b64decode(json["stdout"], validate=True), json["offset"])
    if "stderr" in json:
        return Stderr(base64.b64decode(json["stderr"], validate=True), json["offset"])
    if "heartbeat" in json:
        return Heartbeat()
    if "start" in json:
        return ExecStart(json["start"]["id"])
    if "end" in json:
        end = json["end"]
        return ExecEnd(
            end["id"],
            read_ending(end["ending"]),
            end["stdout_bytes"],
            end["stderr_bytes"],
            end["duration_seconds"],
            tuple(end["seq"]),
        )
    return None
