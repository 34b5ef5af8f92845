# SPDX-License-Identifier: Apache-2.0
"""Waiting for conditions: generous, for the machine may be slow and busy."""

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable

LONGEST = 60.0


def until(holds: Callable[[], bool], longest: float = LONGEST) -> None:
    end = time.monotonic() + longest
    while not holds():
        assert time.monotonic() < end, "it did not come to hold"
        time.sleep(0.02)


async def auntil(holds: Callable[[], Awaitable[object] | bool], longest: float = LONGEST) -> None:
    """Leaves the event loop to others meanwhile."""
    end = time.monotonic() + longest
    while not (await found if inspect.isawaitable(found := holds()) else found):
        assert time.monotonic() < end, "it did not come to hold"
        await asyncio.sleep(0.02)
