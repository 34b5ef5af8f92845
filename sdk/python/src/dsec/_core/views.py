# SPDX-License-Identifier: Apache-2.0
"""What the blocking and the asyncio face of a thing have in common: what is known of it."""

from __future__ import annotations

from collections.abc import Mapping

from dsec.batches import BatchInfo
from dsec.sandboxes import SandboxInfo, SandboxState
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
