# SPDX-License-Identifier: Apache-2.0
"""Processes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dsec._core.views import ProcessView
from dsec._flow import processes
from dsec._flow.caller import Caller
from dsec._io.blocking import run
from dsec.amounts import Duration
from dsec.blocking.stream import Stream
from dsec.endings import Ending
from dsec.execs import Input
from dsec.processes import ProcessInfo
from dsec.results import ExecResult
from dsec.streams import Output

if TYPE_CHECKING:
    from typing_extensions import Self


class Process(ProcessView):
    """A command in a sandbox. As a context manager it is killed and forgotten at the end.

    It lives in the sandbox: this object may be dropped, and `Sandbox.process` finds it again by its id.
    """

    def __init__(self, caller: Caller, sandbox: str, info: ProcessInfo, sent: int | None = None) -> None:
        super().__init__(sandbox, info)
        self._caller = caller
        self._sent = sent

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        run(processes.leave(self._caller, self.sandbox, self.id))

    def refresh(self) -> Self:
        """Asks how it stands. Raises `NotFound` when it is not known any more."""
        self.info = run(processes.get(self._caller, self.sandbox, self.id))
        return self

    def write(self, data: Input) -> None:
        """Sends input; waits while the process does not read (256 KiB are held for it).

        A piece whose connection broke is sent again and counts once. One object at a time may write to a
        process.

        Raises:
            Conflict: it reads no more, because it has ended, closed its input, or was started with
                `stdin_open=False`.
        """
        self._sent = run(processes.write(self._caller, self.sandbox, self.id, self._sent, data))

    def close_stdin(self) -> None:
        """It finds the end of its input behind what was written; again is fine."""
        self._sent = run(processes.close_stdin(self._caller, self.sandbox, self.id, self._sent))

    def output(self, stream: str = "stdout", offset: int = 0, *, follow: bool = True) -> Stream[Output]:
        """What it writes to `stdout` or `stderr`, from byte `offset` on: `Stdout`, `Stderr` and `Gap`.

        With `follow` until the stream's last writer is gone, which can be a child that outlives the process;
        else what is there now. Of each stream `max_output` bytes are kept, its first and latest: where the
        reader comes too late for some, a `Gap` tells which. Goes on by itself after a lost connection, where
        it was.
        """
        return Stream(processes.output(self._caller, self.sandbox, self.id, stream, offset, follow))

    def wait(self, timeout: Duration | None = None) -> Ending | None:
        """Its ending; None when `timeout` passed first."""
        self.info = run(processes.wait(self._caller, self.sandbox, self.info, timeout))
        return self.info.ending

    def result(self) -> ExecResult:
        """Waits for its end; its ending and the output that was kept, as `Sandbox.exec` returns them."""
        return run(processes.result(self._caller, self.sandbox, self.id))

    def signal(self, signal: str | int, *, group: bool = False) -> None:
        """Sends a signal (`"TERM"`, `15`) to it or its whole group; `Conflict` once it ended."""
        run(processes.signal(self._caller, self.sandbox, self.id, signal, group))

    def kill(self) -> None:
        """Kills it and its process group; that it has ended is fine. Its ending and output stay."""
        run(processes.kill(self._caller, self.sandbox, self.id))

    def delete(self) -> None:
        """Kills all that is left of it, children in the background too, and forgets it; again is fine."""
        run(processes.delete(self._caller, self.sandbox, self.id))
