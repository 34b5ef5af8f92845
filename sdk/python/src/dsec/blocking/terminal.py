# SPDX-License-Identifier: Apache-2.0
"""Terminals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dsec._flow import terminals
from dsec._flow.caller import Caller
from dsec._flow.sources import whole
from dsec._flow.terminals import TerminalLine
from dsec._io.blocking import run
from dsec.amounts import Duration, seconds
from dsec.endings import Ending

if TYPE_CHECKING:
    from typing_extensions import Self


class Terminal:
    """A program on a terminal. As a context manager it is killed at the end; `detach` leaves it running.

    One thread may read while another writes. What it shows has to be read: the program waits for it.
    """

    def __init__(self, caller: Caller, sandbox: str, line: TerminalLine) -> None:
        self._caller = caller
        self._line = line
        self.sandbox = sandbox

    @property
    def id(self) -> str | None:
        """`e-…`, by which `Sandbox.terminal` finds it again; None until it has shown something."""
        return self._line.id

    @property
    def ending(self) -> Ending | None:
        """How the program ended; None until all that it showed was read."""
        return self._line.ending

    def read(self, timeout: Duration | None = None) -> bytes | None:
        """What it shows next; none at the end, None when nothing came in time.

        Raises:
            ConnectionLost: the connection broke; the program goes on, and `Sandbox.terminal` finds it by
            `id`.
        """
        return run(self._line.read(None if timeout is None else seconds(timeout)))

    def __iter__(self) -> Iterator[bytes]:
        """What it shows, to the end of the program."""
        while output := self.read():
            yield output

    def write(self, data: str | bytes) -> None:
        """Types it. Ctrl-C is `"\\x03"`, Ctrl-D `"\\x04"`."""
        run(self._line.write(whole(data)))

    def resize(self, cols: int, rows: int) -> None:
        """Gives it another size; the program gets SIGWINCH."""
        run(self._line.say({"resize": {"cols": cols, "rows": rows}}))

    def signal(self, signal: str | int) -> None:
        """Sends a signal (`"TERM"`, `15`) to what is in the foreground."""
        run(self._line.say({"signal": signal}))

    def detach(self) -> None:
        """Leaves it; the program goes on."""
        run(self._line.close())

    def close(self) -> None:
        """Kills what runs on it and leaves; again is fine."""
        run(terminals.hang_up(self._caller, self.sandbox, self._line))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
