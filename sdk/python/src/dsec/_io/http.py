# SPDX-License-Identifier: Apache-2.0
"""What both transports share: requests as httpx takes them, and its errors as ours."""

from __future__ import annotations

import socket
from typing import Any
from urllib.request import getproxies, proxy_bypass

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

KEEP_ALIVE = [
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    *(
        (socket.IPPROTO_TCP, getattr(socket, name), value)
        for name, value in (("TCP_KEEPIDLE", 30), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3))
        if hasattr(socket, name)
    ),
]
"""A server that vanished is noticed after a minute, also by a call that waits without a limit."""


class Wire:
    """Turns requests into those of httpx."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._base = httpx.URL(endpoint.url)
        self._root = self._base.raw_path.rstrip(b"/")
        self._headers = [("User-Agent", f"dsec-python/{VERSION}"), ("Host", _host(self._base))]
        if endpoint.key:
            self._headers.append(("Authorization", f"Bearer {endpoint.key}"))

    def transport(self, max_connections: int) -> dict[str, Any]:
        """Arguments of an httpx transport.

        The transport is used without its client, which takes a third of a call's time for what is not
        needed here: cookies, redirects, authentication flows.
        """
        return {
            "limits": httpx.Limits(
                max_connections=max_connections,
                max_keepalive_connections=max_connections,
                keepalive_expiry=IDLE,
            ),
            "proxy": self._proxy(),
            "socket_options": KEEP_ALIVE,
        }

    def _proxy(self) -> str | None:
        """What the environment names; none stands before a server of this machine."""
        host = self._base.host
        if self._endpoint.is_local or proxy_bypass(host):
            return None
        return getproxies().get(self._base.scheme) or getproxies().get("all")

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
