# SPDX-License-Identifier: Apache-2.0
"""Sandboxes as values: what is asked for, and what the server tells of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any, TypedDict

from dsec._core.read import reads, time, time_or_none
from dsec.amounts import Duration, Size
from dsec.results import Timings, read_timings


class SandboxState(str, Enum):
    """The life of a sandbox. One that failed stays `failed` after it was torn down."""

    QUEUED = "queued"
    PLACING = "placing"
    PREPARING = "preparing"
    RUNNING = "running"
    PAUSED = "paused"
    STOPPING = "stopping"
    FAILED = "failed"
    GONE = "gone"

    @property
    def ended(self) -> bool:
        """True when nothing will ever run in it again."""
        return self in (SandboxState.FAILED, SandboxState.GONE)


class Isolation(str, Enum):
    """How a sandbox is kept apart from its host; one that no node has is `TierUnavailable`."""

    AUTO = "auto"
    CONTAINER = "container"
    GVISOR = "gvisor"
    MICROVM = "microvm"


class Priority(str, Enum):
    """Who goes first when there is not room for all."""

    ONLINE = "online"
    BATCH = "batch"
    REPLAY = "replay"


class NetworkMode(str, Enum):
    """`gateway` has no way out in this release: nothing is allowed but loopback."""

    GATEWAY = "gateway"
    NONE = "none"


class RecordMode(str, Enum):
    """Whether a trajectory is recorded."""

    ON = "on"
    OFF = "off"


@dataclass(frozen=True)
class Resources:
    """Ceilings. None takes the server's default: 1 core, 512 MiB, 1 GiB of disk, 256 processes.

    `shm` is the size of /dev/shm, counted in the memory; half of it by default.
    """

    cpu: float | None = None
    memory: Size | None = None
    disk: Size | None = None
    pids: int | None = None
    shm: Size | None = None


@dataclass(frozen=True)
class Guarantee:
    """What placement counts. None: the memory ceiling; a tenth of the CPU, for a task all of it."""

    cpu: float | None = None
    memory: Size | None = None


class SandboxFields(TypedDict, total=False):
    """Everything about a new sandbox besides its image.

    * `resources`: ceilings. `cpu` (cores), `memory`, `disk`, `pids`, `shm` are the same one by one, and win.
    * `guaranteed`: what placement counts.
    * `env`, and `secrets`: environment; values of secrets are masked in the trajectory and never stored.
    * `user` (name or number), `workdir` (absolute), `hostname`.
    * `ttl`: life from the start on, 30 minutes by default.
    * `labels`: for `client.sandboxes(labels=…)`.
    * `task_id`: gives the sandbox an identity: the same id and content is the same sandbox while it lives.
    * `isolation`, `traits`, `priority`, `network`, `record`: see there.
    """

    resources: Resources
    cpu: float
    memory: Size
    disk: Size
    pids: int
    shm: Size
    guaranteed: Guarantee
    isolation: Isolation | str
    traits: Sequence[str]
    env: Mapping[str, str]
    secrets: Mapping[str, str]
    user: str
    workdir: str
    hostname: str
    ttl: Duration
    priority: Priority | str
    labels: Mapping[str, str]
    task_id: str
    network: NetworkMode | str
    record: RecordMode | str


@dataclass(frozen=True)
class SandboxInfo:
    """A sandbox as the server told of it. `reason` and `message` say why it is in its state.

    `parent` is the sandbox that a fork came from.

    Sizes in `resources` and `guaranteed` are bytes.
    """

    id: str
    state: SandboxState
    reason: str | None
    message: str | None
    tenant: str
    node: str | None
    tier: str
    image: str
    image_digest: str | None
    labels: Mapping[str, str]
    parent: str | None
    attempt: int
    created_at: datetime
    started_at: datetime | None
    expires_at: datetime | None
    ended_at: datetime | None
    resources: Resources
    guaranteed: Guarantee
    timings: Timings


@dataclass(frozen=True)
class StateChange:
    """One step of a sandbox's life."""

    state: SandboxState
    reason: str
    message: str
    at: datetime


@reads("a sandbox")
def read_sandbox(json: dict[str, Any]) -> SandboxInfo:
    """A sandbox as the API writes it."""
    ceiling, floor = json["resources"], json["guaranteed"]
    return SandboxInfo(
        json["id"],
        SandboxState(json["state"]),
        json.get("reason"),
        json.get("message"),
        json["tenant"],
        json.get("node"),
        json["tier"],
        json["image"],
        json.get("image_digest"),
        json["labels"],
        json.get("parent"),
        json["attempt"],
        time(json["created_at"]),
        time_or_none(json.get("started_at")),
        time_or_none(json.get("expires_at")),
        time_or_none(json.get("ended_at")),
        Resources(*(ceiling.get(name) for name in ("cpu", "memory", "disk", "pids", "shm"))),
        Guarantee(floor.get("cpu"), floor.get("memory")),
        read_timings(json.get("timings")),
    )


@reads("sandboxes")
def read_sandboxes(json: dict[str, Any]) -> list[SandboxInfo]:
    """A list of them as the API writes it."""
    return [read_sandbox(one) for one in json["sandboxes"]]


@reads("a change of a sandbox's state")
def read_change(json: dict[str, Any]) -> StateChange:
    """A line of a sandbox's events."""
    return StateChange(SandboxState(json["state"]), json["reason"], json["message"], time(json["at"]))
