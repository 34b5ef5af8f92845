# SPDX-License-Identifier: Apache-2.0
"""What the blocking and the asyncio face of a thing have in common: what is known of it."""

from __future__ import annotations

from collections.abc import Mapping

from dsec._core.endpoint import Endpoint
from dsec._core.request import target
from dsec.batches import BatchInfo
from dsec.endings import Ending
from dsec.processes import ProcessInfo
from dsec.sandboxes import SandboxInfo, SandboxState
from dsec.sessions import SessionInfo, SessionState
from dsec.tasks import TaskInfo


class SandboxView:
    """A sandbox, as far as the last call told."""

    def __init__(self, info: SandboxInfo) -> None:
        self.info = info

    @property
    def id(self) -> str:
        """`sb-…`"""
        return self.info.id

    @property
    def state(self) -> SandboxState:
        """As of the last call; `refresh()` asks."""
        return self.info.state

    @property
    def labels(self) -> Mapping[str, str]:
        """As it was made with."""
        return self.info.labels

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id} {self.state.value}>"


class ProcessView:
    """A process, as far as the last call told."""

    def __init__(self, sandbox: str, info: ProcessInfo) -> None:
        self.sandbox = sandbox
        self.info = info

    @property
    def id(self) -> str:
        """`e-…`, unique in its sandbox."""
        return self.info.id

    @property
    def ending(self) -> Ending | None:
        """As of the last call; None while it ran."""
        return self.info.ending

    def __repr__(self) -> str:
        how = "running" if self.info.ending is None else self.info.ending.describe()
        return f"<{type(self).__name__} {self.id} of {self.sandbox}: {how}>"


class PortView:
    """A port of a sandbox, as other clients reach it."""

    def __init__(self, endpoint: Endpoint, sandbox: str, number: int) -> None:
        if not 0 < number < 65536:
            raise ValueError(f"{number} is no port")
        self.sandbox = sandbox
        self.number = number
        self._endpoint = endpoint

    @property
    def url(self) -> str:
        """Where the server inside is reached, without a slash at the end."""
        return self._endpoint.url + target("sandboxes", self.sandbox, "ports", str(self.number))

    @property
    def headers(self) -> Mapping[str, str]:
        """What other clients have to send: the key."""
        return {"Authorization": f"Bearer {self._endpoint.key}"} if self._endpoint.key else {}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.number} of {self.sandbox}>"


class SessionView:
    """A shell session, as far as the last call told."""

    def __init__(self, sandbox: str, info: SessionInfo) -> None:
        self.sandbox = sandbox
        self.info = info

    @property
    def id(self) -> str:
        """`s-…`, unique in its sandbox."""
        return self.info.id

    @property
    def state(self) -> SessionState:
        """As of the last call; `refresh()` asks."""
        return self.info.state

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id} of {self.sandbox}: {self.state.value}>"


class TaskView:
    """A task, as far as the last call told."""

    def __init__(self, info: TaskInfo) -> None:
        self.info = info

    @property
    def id(self) -> str:
        """`t-…`"""
        return self.info.id

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id} {self.info.state}>"


class BatchView:
    """A batch, as far as the last call told."""

    def __init__(self, info: BatchInfo) -> None:
        self.info = info

    @property
    def id(self) -> str:
        """`b-…`"""
        return self.info.id

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id} {self.info.state} {self.info.ended}/{self.info.total}>"
