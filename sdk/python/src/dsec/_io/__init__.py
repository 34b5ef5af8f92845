# SPDX-License-Identifier: Apache-2.0
"""The two ways to reach a server, and the one face that both have."""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from dsec._core.endpoint import Endpoint
from dsec._core.request import Request

T = TypeVar("T")


class Line(Protocol):
    """A connection that speaks another protocol from now on."""

    async def read(self, limit: float | None = None) -> bytes | None:
        """Some bytes; none at the end, None when nothing came in time. `ConnectionLost` when it breaks."""

    async def write(self, data: bytes) -> None:
        """Sends all of it; `ConnectionLost` when it breaks."""

    async def close(self) -> None:
        """Drops it."""


class Lock(Protocol):
    """One at a time."""

    def locked(self) -> bool:
        """True while somebody holds it."""

    async def __aenter__(self) -> Any: ...

    async def __aexit__(self, kind: Any, error: Any, trace: Any, /) -> None: ...


class Opened(Protocol):
    """A reply whose head has come; its body is read once, whole or in pieces."""

    @property
    def status(self) -> int:
        """The HTTP status."""

    @property
    def headers(self) -> Mapping[str, str]:
        """By name, in lower case."""

    async def read(self) -> bytes:
        """The whole body; `ConnectionLost` when it breaks off."""

    async def chunk(self) -> bytes:
        """The next piece of the body; empty at its end, `ConnectionLost` when it breaks off."""

    def line(self) -> Line:
        """The connection, after status 101."""

    async def close(self) -> None:
        """Gives the connection back or drops it."""


class IO(Protocol):
    """Everything that takes time."""

    endpoint: Endpoint

    async def open(self, request: Request) -> Opened:
        """Sends a request. `NoServer` if it did not get out, `ConnectionLost` if it may have."""

    async def sleep(self, seconds: float) -> None:
        """Waits."""

    def lock(self) -> Lock:
        """A new one."""

    async def all_of(self, work: Sequence[Coroutine[Any, Any, Any]]) -> None:
        """Does all of it, at the same moment where possible; then raises the first failure."""

    async def aside(self, work: Callable[[], T]) -> T:
        """Does what takes time outside of the network, such as reading a local file."""

    def now(self) -> float:
        """Monotonic seconds."""

    async def see_through(self, work: Coroutine[Any, Any, None]) -> None:
        """Runs work to its end although the caller is being cancelled."""

    async def close(self) -> None:
        """Drops all connections."""
