# SPDX-License-Identifier: Apache-2.0
"""What both ways to a server share: requests as httpcore takes them, and its errors as ours.

httpcore is used without httpx above it, which takes more time per call than all of httpcore for what is not
needed here: cookies, redirects, encodings, URL arithmetic.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import AsyncIterable, Iterable
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpcore

from dsec._core.endpoint import Endpoint
from dsec._core.request import Request
from dsec.errors import ConnectionLost, NoServer, TransportError
from dsec.version import VERSION

CONNECT = 5.0
"""Seconds to reach the server."""

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

FAILURES = (
    httpcore.NetworkError,
    httpcore.TimeoutException,
    httpcore.ProtocolError,
    httpcore.ProxyError,
    httpcore.UnsupportedProtocol,
)
"""What httpcore raises."""

UNREACHED = (httpcore.ConnectError, httpcore.ConnectTimeout, httpcore.ProxyError)


class Wire:
    """Turns requests into those of httpcore."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        url = urlsplit(endpoint.url)
        self._scheme = url.scheme
        self._host = url.hostname or ""
        self._port = url.port
        self._root = url.path.rstrip("/")
        self._headers = [(b"Host", url.netloc.rpartition("@")[2].encode()), (b"User-Agent", _AGENT)]
        if endpoint.key:
            self._headers.append((b"Authorization", f"Bearer {endpoint.key}".encode()))

    def pool(self, max_connections: int) -> dict[str, Any]:
        """Arguments of a connection pool."""
        return {
            "ssl_context": ssl.create_default_context() if self._scheme == "https" else None,
            "proxy": self._proxy(),
            "max_connections": max_connections,
            "max_keepalive_connections": max_connections,
            "keepalive_expiry": IDLE,
            "socket_options": KEEP_ALIVE,
        }

    @property
    def is_plain(self) -> bool:
        """No TLS and no proxy: bare TCP to the server."""
        return self._scheme == "http" and self._proxy() is None

    def _proxy(self) -> httpcore.Proxy | None:
        """What the environment names; none stands before a server of this machine."""
        if self._endpoint.is_local or proxy_bypass(self._host):
            return None
        proxies = getproxies()
        named = proxies.get(self._scheme) or proxies.get("all")
        if not named:
            return None
        url = urlsplit(named if "://" in named else "http://" + named)
        auth = (url.username or "", url.password or "") if url.username else None
        address = f"{url.scheme}://{url.netloc.rpartition('@')[2]}"
        return httpcore.Proxy(address, auth=auth)

    def request(
        self, request: Request, content: bytes | Iterable[bytes] | AsyncIterable[bytes] | None
    ) -> httpcore.Request:
        """The request with its time limits. Waiting for a free connection has none."""
        headers = [*self._headers, (b"Accept", request.accept.encode())]
        if isinstance(content, bytes):
            headers.append((b"Content-Length", str(len(content)).encode()))
        elif request.length is not None:
            headers.append((b"Content-Length", str(request.length).encode()))
        elif content is not None:
            headers.append((b"Transfer-Encoding", b"chunked"))
        elif request.method in ("POST", "PUT"):
            headers.append((b"Content-Length", b"0"))
        if content is not None:
            headers.append((b"Content-Type", request.content_type.encode()))
        headers += [(name.encode(), value.encode()) for name, value in request.headers]
        url = httpcore.URL(
            scheme=self._scheme,
            host=self._host,
            port=self._port,
            target=self._root + request.target,
        )
        limits = {"connect": CONNECT, "write": request.stall, "read": request.silence, "pool": None}
        return httpcore.Request(
            request.method, url, headers=headers, content=content, extensions={"timeout": limits}
        )

    def failed(self, error: Exception, what: str) -> TransportError:
        """The error of a call that brought no answer, or not all of it."""
        url = self._endpoint.url
        why = str(error) or type(error).__name__
        if isinstance(error, UNREACHED):
            return NoServer(f"no server answers at {url} ({why}); `dsec up` starts one")
        if isinstance(error, httpcore.ReadTimeout):
            return ConnectionLost(f"{what}: {url} said nothing for too long")
        return ConnectionLost(f"{what}: the connection to {url} broke ({why})")


_AGENT = f"dsec-python/{VERSION}".encode()


class Headers(dict[str, str]):
    """Headers of an answer, by name in lower case."""

    def __init__(self, raw: Iterable[tuple[bytes, bytes]]) -> None:
        super().__init__((name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in raw)
