# SPDX-License-Identifier: Apache-2.0
"""Events of a sandbox's recording; docs/trajectory.md has the kinds and their data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dsec._core.read import reads


@dataclass(frozen=True)
class TrajectoryEvent:
    """One event. `seq` counts from 1 without gaps; `t` is nanoseconds since the recording began.

    `wall` is the time of day, for information. `data` depends on `kind`; bytes that are not UTF-8 are
    `{"base64": "…"}` in place of the string. `raw` is the whole event as it was recorded.
    """

    seq: int
    t: int
    wall: str
    sandbox: str
    kind: str
    data: Mapping[str, Any]
    action: int | None
    raw: Mapping[str, Any]


@reads("a trajectory event")
def read_event(json: dict[str, Any]) -> TrajectoryEvent:
    """A line of a trajectory."""
    return TrajectoryEvent(
        json["seq"],
        json["t"],
        json["wall"],
        json["sandbox"],
        json["kind"],
        json.get("data") or {},
        json.get("action"),
        json,
    )
