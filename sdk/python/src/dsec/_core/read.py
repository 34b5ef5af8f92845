# SPDX-License-Identifier: Apache-2.0
"""Typed values out of JSON objects; a missing or wrong field is a ProtocolError."""

from __future__ import annotations

import base64
import functools
from collections.abc import Callable
from datetime import datetime, timezone
from typing import Any, ParamSpec, TypeVar

from dsec.errors import ProtocolError

P = ParamSpec("P")
T = TypeVar("T")


def reads(what: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Marks a reader of JSON: whatever does not fit its shape is told as a ProtocolError."""

    def around(reader: Callable[P, T]) -> Callable[P, T]:
        @functools.wraps(reader)
        def read(*args: P.args, **kwargs: P.kwargs) -> T:
            try:
                return reader(*args, **kwargs)
            except (LookupError, TypeError, ValueError, AttributeError) as e:
                raise ProtocolError(
                    f"the server sent {what} that this client does not understand "
                    f"({type(e).__name__}: {e}); use a client of the server's version"
                ) from e

        return read

    return around


def time(text: str) -> datetime:
    """An RFC 3339 time in UTC. Digits below the microsecond are dropped."""
    head, _, fraction = text.removesuffix("Z").partition(".")
    moment = datetime.fromisoformat(head)
    return moment.replace(microsecond=int(fraction[:6].ljust(6, "0")), tzinfo=timezone.utc)


def time_or_none(text: str | None) -> datetime | None:
    """As `time`, for what may not have happened yet."""
    return None if text is None else time(text)


def output(json: dict[str, Any], stream: str) -> bytes:
    """The exact bytes of `stdout` or `stderr`."""
    exact = json.get(stream + "_base64")
    if exact is not None:
        return base64.b64decode(exact, validate=True)
    return (json.get(stream) or "").encode()
