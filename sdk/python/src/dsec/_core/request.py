# SPDX-License-Identifier: Apache-2.0
"""One call as it will be sent."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, TypeAlias
from urllib.parse import quote, urlencode

JSON = "application/json"
NDJSON = "application/x-ndjson"
SSE = "text/event-stream"
BYTES = "application/octet-stream"
TAR = "application/x-tar"

ANSWER = 30.0
"""Seconds that a server may take for an answer that waits for nothing else."""

STALL = 60.0
"""Seconds that a server may take nothing of a body."""

Upload: TypeAlias = Callable[[], AsyncIterator[bytes]]
"""A body that is sent as it is made. Called anew whenever the call is sent again."""


class Repeat(Enum):
    """When a call may be sent again."""

    SAFE = "safe"
    """Doing it twice is doing it once: GET, DELETE, POST with an identity."""

    REFUSED = "refused"
    """Only after the server said that it did nothing, or was not reached at all."""


@dataclass(frozen=True)
class Request:
    """`silence` is how many seconds may pass without a byte of the answer; None: any number.

    `stall` is how many the server may take nothing of the body. `length` is that of an upload in bytes, where
    it is known. With `proxied` a server inside the sandbox answers, whose refusals are answers too.
    """

    method: str
    target: str
    body: bytes | Upload | None = None
    accept: str = JSON
    headers: tuple[tuple[str, str], ...] = ()
    repeat: Repeat = Repeat.SAFE
    silence: float | None = ANSWER
    stall: float | None = STALL
    content_type: str = JSON
    length: int | None = None
    proxied: bool = False

    def with_header(self, name: str, value: str) -> Request:
        """The same with one more header."""
        return replace(self, headers=(*self.headers, (name, value)))

    def __str__(self) -> str:
        return f"{self.method} {self.target.partition('?')[0]}"


Query: TypeAlias = Sequence[tuple[str, str | bytes]]


def target(*parts: str, query: Query | None = None) -> str:
    """A path below /v1 from raw parts, with the query behind it."""
    path = "/v1/" + "/".join(quote(part, safe="") for part in parts)
    return f"{path}?{urlencode(query)}" if query else path


def encode(body: Any) -> bytes:
    """The body as JSON. The same body gives the same bytes, so a repeated create is recognised."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
