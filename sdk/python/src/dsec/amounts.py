# SPDX-License-Identifier: Apache-2.0
"""Durations and sizes as callers may write them."""

from __future__ import annotations

import math
import re
from datetime import timedelta
from typing import TypeAlias

Duration: TypeAlias = float | str | timedelta
"""Seconds, a text such as `"30s"`, `"5m"`, `"250ms"`, or a timedelta."""

Size: TypeAlias = int | str
"""Bytes, or a text such as `"512Mi"` (powers of 1024) or `"1G"` (powers of 1000)."""

_TEXT = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?\s*")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def seconds(duration: Duration) -> float:
    """The duration in seconds; ValueError for one that is none."""
    if isinstance(duration, str):
        match = _TEXT.fullmatch(duration)
        if match is None:
            raise ValueError(f'"{duration}" is no duration; write seconds, "30s", "5m" or "250ms"')
        return float(match[1]) * _SECONDS[match[2] or "s"]
    value = duration.total_seconds() if isinstance(duration, timedelta) else float(duration)
    if not math.isfinite(value) or value < 0:
        raise ValueError(f"{duration!r} is no duration: it must be finite and not negative")
    return value
