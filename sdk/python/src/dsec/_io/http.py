# SPDX-License-Identifier: Apache-2.0
"""What both transports share: requests as httpx takes them, and its errors as ours."""

from __future__ import annotations

from typing import Any

import httpx

from dsec._core.endpoint import Endpoint
from dsec._core.request import JSON, Request
from dsec.errors import ConnectionLost, NoServer, TransportError
from dsec.version import VERSION

CONNECT = 5.0
"""Seconds to reach the server."""

SEND = 60.0
"""Seconds that the server may take nothing of a body."""

IDLE = 30.0
"""Seconds that an unused connection is kept."""


class Wire:
    """Turns requests into those of httpx."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._base = httpx.URL(endpoint.url)
        self._root = self._base.raw_path.rstrip(b"/")
        self._headers = [("User-Agent", f"dsec-python/{VERSION}"), ("Host", _host(self._base))]
        if endpoint.key:
            self._headers.append(("Authorization", f"Bearer {endpoint.key}"))

    def settings(self, max_connections: int) -> dict[str, Any]:
        """Arguments of the httpx client. No proxy stands before a server of this machine."""
        return {
            "limits": httpx.Limits(
                max_connections=max_connections,
                max_keepalive_connections=max_connections,
                keepalive_expiry=IDLE,
            ),
            "trust_env": not self._endpoint.is_local,
            "follow_redirects": False,
        }

    def request(self, request: Request) -> httpx.Request:
        """The request with its time limits. Waiting for a free connection has none."""
        headers = [*self._headers, ("Accept", request.accept), *request.headers]
        if request.body is not None:
            headers.append(("Content-Type", JSON))
        elif request.method == "POST":
            headers.append(("Content-Length", "0"))
        return httpx.Request(
            request.method,
            self._base.copy_with(raw_path=self._root + request.target.encode()),
            headers=headers,
            content=request.body,
            extensions={
                "timeout": {
                    "connect": CONNECT,
                    "write": SEND,
                    "read": request.silence,
                    "pool": None,
                }
            },
        )

    def failed(self, error: httpx.TransportError, what: str) -> TransportError:
        """The error of a call that brought no answer, or not all of it."""
        url = self._endpoint.url
        why = str(error) or type(error).__name__
        if isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError)):
            return NoServer(f"no server answers at {url} ({why}); `dsec up` starts one")
        if isinstance(error, httpx.ReadTimeout):
            return ConnectionLost(f"{what}: {url} said nothing for too long")
        return ConnectionLost(f"{what}: the connection to {url} broke ({why})")


def _host(url: httpx.URL) -> str:
    return url.netloc.decode("ascii")
