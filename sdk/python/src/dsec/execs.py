# SPDX-License-Identifier: Apache-2.0
"""What may be said about a command besides its words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol, TypeAlias, TypedDict

from dsec.amounts import Duration, Size


class Readable(Protocol):
    """A file open for reading bytes, or what is as good as one."""

    def read(self, size: int, /) -> bytes:
        """At most `size` bytes; none at the end."""


Input: TypeAlias = str | bytes | Readable | Iterable[bytes]
"""Text, bytes, a file open for reading bytes, or an iterable of bytes."""


class ExecFields(TypedDict, total=False):
    """How a command runs in a sandbox.

    * `cwd`: absolute; the sandbox's working directory by default.
    * `env`: added over the sandbox's environment.
    * `user`: name or number; the sandbox's user by default.
    * `stdin`: text, bytes, or what gives bytes piece by piece: a file open for reading, an iterable. Of any
      length; end-of-file at once by default.
    * `timeout`: from the program's start; all that it started is killed then and the ending is `timeout`.
      Without one it may run as long as its sandbox.
    * `max_output`: bytes kept of each stream, half at each end; 10 MiB by default.
    * `resume`: False refuses (`Conflict`) on a paused sandbox, which else is resumed.
    """

    cwd: str
    env: Mapping[str, str]
    user: str
    stdin: Input
    timeout: Duration
    max_output: Size
    resume: bool


class StartFields(TypedDict, total=False):
    """How a command runs in the background: as `ExecFields`, but its input is what is written to it.

    * `stdin_open`: True by default: it reads what `Process.write` sends, until `Process.close_stdin`. With
      False it finds the end of its input at once.
    """

    cwd: str
    env: Mapping[str, str]
    user: str
    timeout: Duration
    max_output: Size
    resume: bool
    stdin_open: bool
