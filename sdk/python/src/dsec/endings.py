# SPDX-License-Identifier: Apache-2.0
"""How a program ended."""

from __future__ import annotations

import signal as signals
from dataclasses import dataclass
from enum import Enum
from typing import Any

from dsec._core.read import reads


class EndingKind(str, Enum):
    """The kinds of endings."""

    EXITED = "exited"
    SIGNALED = "signaled"
    TIMEOUT = "timeout"
    OOM = "oom"
    KILLED = "killed"
    LOST = "lost"
    NOT_STARTED = "not_started"


@dataclass(frozen=True)
class Ending:
    """How a program ended.

    `code` is there for `exited` (0 to 255), `signal` for `signaled`; `reason` (a word such as
    `ttl_expired`) for `killed`, `lost` and `not_started`, with `message` where there is more to say.
    `limits_hit` names limits that the program ran into: `disk`, `pids`, `memory`, `output`.

    `is_fault` is True when the platform is to blame, not the program: mask such a result in training,
    do not score it.
    """

    kind: EndingKind
    code: int | None = None
    signal: int | None = None
    reason: str | None = None
    message: str | None = None
    is_fault: bool = False
    limits_hit: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """True when the program exited with 0."""
        return self.kind is EndingKind.EXITED and self.code == 0

    def __str__(self) -> str:
        return self.describe()

    def describe(self) -> str:
        """The ending in words."""
        if self.kind is EndingKind.EXITED:
            text = f"exited with {self.code}"
        elif self.kind is EndingKind.SIGNALED:
            text = f"ended by {_signal_name(self.signal)}"
        else:
            text = _WORDS[self.kind]
            if self.reason:
                text += f" ({self.reason})"
        if self.message:
            text += f": {self.message}"
        if self.limits_hit:
            text += f" [limits hit: {', '.join(self.limits_hit)}]"
        return text


_WORDS = {
    EndingKind.TIMEOUT: "ran into its timeout",
    EndingKind.OOM: "ran out of memory",
    EndingKind.KILLED: "was killed",
    EndingKind.LOST: "was lost by the platform",
    EndingKind.NOT_STARTED: "was not started",
}


def _signal_name(number: int | None) -> str:
    try:
        return signals.Signals(number or 0).name
    except ValueError:
        return f"signal {number}"


@reads("an ending")
def read_ending(json: dict[str, Any]) -> Ending:
    """An ending as the API writes it."""
    return Ending(
        EndingKind(json["kind"]),
        json.get("code"),
        json.get("signal"),
        json.get("reason"),
        json.get("message"),
        json["is_fault"],
        tuple(json.get("limits_hit") or ()),
    )
