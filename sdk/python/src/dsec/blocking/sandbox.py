# SPDX-License-Identifier: Apache-2.0
"""Sandboxes."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING

from dsec._core import bodies
from dsec._core.views import SandboxView
from dsec._flow import execs, history, processes, sandboxes, sessions, terminals
from dsec._flow.caller import Caller
from dsec._io.blocking import run
from dsec.amounts import Duration
from dsec.blocking.files import Files
from dsec.blocking.group import Group
from dsec.blocking.port import Port
from dsec.blocking.process import Process
from dsec.blocking.session import Session
from dsec.blocking.stream import Stream
from dsec.blocking.terminal import Terminal
from dsec.execs import ExecFields, StartFields
from dsec.files import RemotePath, Transfer
from dsec.results import ExecResult
from dsec.sandboxes import SandboxInfo, StateChange
from dsec.sessions import SessionFields
from dsec.streams import ExecEvent
from dsec.trajectories import TrajectoryEvent

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack


class Sandbox(SandboxView):
    """A sandbox. As a context manager it is deleted at the end, whatever ends the block."""

    def __init__(self, caller: Caller, info: SandboxInfo) -> None:
        super().__init__(info)
        self._caller = caller

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        if error is None:
            run(sandboxes.leave(self._caller, self.id))
        else:
            run(sandboxes.discard(self._caller, self.id))

    @property
    def files(self) -> Files:
        """Its files."""
        return Files(self._caller, self.id)

    def exec(self, *argv: str, **fields: Unpack[ExecFields]) -> ExecResult:
        """Runs a program, without a shell, and waits for its end.

        Returns its ending and output, also when it failed; `check()` raises then. See `ExecFields` for what
        else may be said.

        Raises:
            ProgramNotFound, NotExecutable, BadCwd, BadUser: nothing ran.
            Gone, SandboxFailed: the sandbox has ended.
            ConnectionLost: it may have run, and may still run: it is never sent again. Once its start was
                told, it is found again by its id instead.

        Interrupted, it kills the program.
        """
        body = bodies.command(argv, None, False, fields)
        return run(execs.run(self._caller, self.id, body))

    def shell(self, text: str, *, login: bool = False, **fields: Unpack[ExecFields]) -> ExecResult:
        """As `exec`, for text that the image's shell runs; with `login` as a login shell."""
        body = bodies.command((), text, login, fields)
        return run(execs.run(self._caller, self.id, body))

    def stream(self, *argv: str, shell: str | None = None, **fields: Unpack[ExecFields]) -> Stream[ExecEvent]:
        """As `exec` or `shell`, telling what comes: `ExecStart`, `Stdout`, `Stderr`, `Heartbeat`, `ExecEnd`.

        A slow reader holds up its own program alone. Leaving the stream does not end the program; its id is
        in `ExecStart`. After a lost connection it goes on where it was; `Gap` tells what was not kept
        meanwhile.
        """
        body = bodies.command(argv, shell, False, fields)
        return Stream(execs.stream(self._caller, self.id, body))

    def start(
        self, *argv: str, shell: str | None = None, login: bool = False, **fields: Unpack[StartFields]
    ) -> Process:
        """Starts a program, or shell text, in the background; returns once it runs. See `StartFields`.

        It goes on until it ends, is killed, or its sandbox ends. A sandbox keeps its 32 youngest ended ones.

        Raises:
            ProgramNotFound, NotExecutable, BadCwd, BadUser: nothing runs.
            RateLimited: 256 commands run in the sandbox already.
            ConnectionLost: it may run; `processes()` tells.
        """
        body = bodies.process(argv, shell, login, fields)
        return Process(self._caller, self.id, run(processes.start(self._caller, self.id, body)), 0)

    def processes(self) -> list[Process]:
        """All that run or are still known, newest first, with those that an `exec` waits for."""
        return [Process(self._caller, self.id, info) for info in run(processes.find(self._caller, self.id))]

    def process(self, id: str) -> Process:
        """One by its id (`e-3`), such as that of an `ExecStart` or an `ExecResult`; else `NotFound`."""
        return Process(self._caller, self.id, run(processes.get(self._caller, self.id, id)))

    def port(self, number: int) -> Port:
        """A TCP port inside, where a server listens or will."""
        return Port(self._caller, self.id, number)

    def session(self, **fields: Unpack[SessionFields]) -> Session:
        """Starts a shell in which state stays between commands; see `SessionFields`. Use it as a block.

        Commands have no terminal: programs that ask for one find none, and no pager holds output up.
        """
        return Session(self._caller, self.id, run(sessions.start(self._caller, self.id, fields)))

    def sessions(self) -> list[Session]:
        """All sessions of the sandbox."""
        return [Session(self._caller, self.id, info) for info in run(sessions.find(self._caller, self.id))]

    def terminal(
        self,
        *argv: str,
        cols: int = 80,
        rows: int = 24,
        id: str | None = None,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        user: str | None = None,
    ) -> Terminal:
        """Runs a program on a terminal, a login shell unless one is named; or finds one again by its `id`.

        One that is found again shows the last 64 KiB first. As a block it is killed at the end.
        """
        query = terminals.query(argv, cols, rows, id, cwd, env, user)
        return Terminal(self._caller, self.id, run(terminals.connect(self._caller, self.id, query)))

    def refresh(self) -> Self:
        """Asks for its state."""
        self.info = run(sandboxes.get(self._caller, self.id))
        return self

    def wait(self, timeout: Duration = sandboxes.WAIT) -> Self:
        """Waits until it runs, after a create with `wait=False`.

        Raises:
            NotReady: it does not run yet, and stays.
            SandboxFailed, Gone: it never will.
        """
        self.info = run(sandboxes.wait_running(self._caller, self.info, timeout))
        return self

    def renew(self, ttl: Duration) -> Self:
        """Its end counts anew: `ttl` from now. Raises `Gone` when it has ended."""
        self.info = run(sandboxes.renew(self._caller, self.id, ttl))
        return self

    def pause(self) -> Self:
        """Freezes it: nothing in it runs until it is resumed, by `resume` or by what needs its processes.

        An exec with `resume=False` is a `Conflict` instead. Raises `Timeout` when a process does not stand
        still within 5 s; the sandbox runs on.
        """
        self.info = run(sandboxes.pause(self._caller, self.id))
        return self

    def resume(self) -> Self:
        """It goes on where it was; again is fine."""
        self.info = run(sandboxes.resume(self._caller, self.id))
        return self

    def fork(
        self, count: int = 1, *, labels: Mapping[str, str] | None = None, ttl: Duration | None = None
    ) -> Group:
        """Makes up to 100 children that begin with what is on its disk; each is a sandbox of its own.

        They run on return. Processes, sessions and what is in /dev/shm are not theirs; environment, limits
        and secrets are. `labels` are added to its own, `ttl` replaces its own. Interrupted, it leaves no
        child behind.

        Raises:
            NoCapacity: its node has no room for all of them now; none was made.
        """
        infos = run(sandboxes.fork(self._caller, self.id, count, labels, ttl))
        return Group(self._caller, (Sandbox(self._caller, info) for info in infos))

    def delete(self, grace: Duration = 0) -> bool:
        """Deletes it; that it is gone already is fine. With a grace, TERM comes first.

        Returns True once it is gone, False when the server still works on it.
        """
        return run(sandboxes.delete(self._caller, self.id, grace))

    def upload(
        self,
        source: str | os.PathLike[str],
        target: RemotePath,
        *,
        on_progress: Callable[[Transfer], None] | None = None,
    ) -> Transfer:
        """As `files.upload`."""
        return self.files.upload(source, target, on_progress=on_progress)

    def download(
        self,
        source: RemotePath,
        target: str | os.PathLike[str],
        *,
        on_progress: Callable[[Transfer], None] | None = None,
    ) -> Transfer:
        """As `files.download`."""
        return self.files.download(source, target, on_progress=on_progress)

    def trajectory(self, start: int = 1, *, follow: bool = False) -> Stream[TrajectoryEvent]:
        """Recorded events from number `start` on; with `follow` until the sandbox has ended."""
        return Stream(history.trajectory(self._caller, self.id, start, follow))

    def changes(self, *, follow: bool = False) -> Stream[StateChange]:
        """Its changes of state so far; with `follow` until it has ended."""
        return Stream(history.changes(self._caller, self.id, follow))
