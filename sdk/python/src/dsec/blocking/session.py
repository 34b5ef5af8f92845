# SPDX-License-Identifier: Apache-2.0
"""Shell sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dsec._core.views import SessionView
from dsec._flow import sessions
from dsec._flow.caller import Caller
from dsec._io.blocking import run
from dsec.blocking.stream import Stream
from dsec.results import ExecResult
from dsec.sessions import RunFields, SessionInfo
from dsec.streams import ExecEvent

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack


class Session(SessionView):
    """A shell in which state stays: directory, variables, functions. Its block ends it."""

    def __init__(self, caller: Caller, sandbox: str, info: SessionInfo) -> None:
        super().__init__(sandbox, info)
        self._caller = caller

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        run(sessions.leave(self._caller, self.sandbox, self.id))

    def run(self, command: str, **fields: Unpack[RunFields]) -> ExecResult:
        """Runs shell text and waits for its end. Interrupted, it interrupts the command, and the session
        stays.

        Raises:
            Conflict: another command runs.
            Gone: the shell has ended, by `exit`, `exec` or a kill.
        """
        return run(sessions.run(self._caller, self.sandbox, self.id, command, fields))

    def stream(self, command: str, **fields: Unpack[RunFields]) -> Stream[ExecEvent]:
        """As `run`, telling what comes, as `Sandbox.stream` does."""
        return Stream(sessions.stream(self._caller, self.sandbox, self.id, command, fields))

    def interrupt(self) -> None:
        """As Ctrl-C: the command that runs gets SIGINT. Raises `Conflict` when nothing runs."""
        run(sessions.interrupt(self._caller, self.sandbox, self.id))

    def refresh(self) -> Self:
        """Asks how it stands."""
        self.info = run(sessions.get(self._caller, self.sandbox, self.id))
        return self

    def delete(self) -> None:
        """Kills the shell and what runs in it; again is fine."""
        run(sessions.delete(self._caller, self.sandbox, self.id))
