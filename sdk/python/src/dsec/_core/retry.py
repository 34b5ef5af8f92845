# SPDX-License-Identifier: Apache-2.0
"""When a failed call is sent again.

| failure | safe call | other call |
|---|---|---|
| not reached (`NoServer`) | again | again |
| broken (`ConnectionLost`) | again | never: it may have been done |
| 429 `rate_limited`, 503, each with Retry-After | again | again: the server says that it did nothing |
| 502, 503, 504 | again | never |
| anything else | never | never |

Pauses double from `first` up to `longest` seconds, each shortened at random by up to half. A Retry-After is
waited for, and up to half of it more, so that many clients do not come back at the same moment.
"""

from __future__ import annotations

from dataclasses import dataclass

from dsec._core.request import Repeat
from dsec.errors import ApiError, ConnectionLost, DsecError, NoServer


@dataclass(frozen=True)
class Retries:
    """How persistent a client is.

    `attempts` is how often a call is sent in all when it fails without a Retry-After; 1 means never again.
    `patience` bounds the seconds spent waiting for what Retry-After asks for; 0 means not at all.
    """

    attempts: int = 5
    patience: float = 60.0
    first: float = 0.2
    longest: float = 10.0

    def __post_init__(self) -> None:
        if self.attempts < 1 or min(self.patience, self.first, self.longest) < 0:
            raise ValueError("retries: attempts is at least 1, and no time is negative")


NEVER = Retries(attempts=1, patience=0)


class Tries:
    """The tries of one call so far."""

    def __init__(self, retries: Retries, repeat: Repeat) -> None:
        self._retries = retries
        self._repeat = repeat
        self._failed = 0
        self._waited = 0.0

    def pause(self, failure: DsecError, luck: float) -> float | None:
        """Seconds until the next try; None: give up. `luck` is random, from 0 to 1."""
        asked = _asked_for(failure)
        if asked is not None:
            pause = asked * (1 + luck / 2)
            if self._waited + pause > self._retries.patience:
                return None
            self._waited += pause
            return pause
        self._failed += 1
        if self._failed >= self._retries.attempts or not self._may_repeat(failure):
            return None
        backoff = self._retries.first * 2.0 ** min(self._failed - 1, 30)
        return min(backoff, self._retries.longest) * (1 - luck / 2)

    def _may_repeat(self, failure: DsecError) -> bool:
        if isinstance(failure, NoServer):
            return True
        if self._repeat is not Repeat.SAFE:
            return False
        if isinstance(failure, ApiError):
            return failure.status in (502, 503, 504)
        return isinstance(failure, ConnectionLost)


def _asked_for(failure: DsecError) -> float | None:
    refused = isinstance(failure, ApiError) and failure.status in (429, 503)
    return failure.retry_after if refused and isinstance(failure, ApiError) else None
