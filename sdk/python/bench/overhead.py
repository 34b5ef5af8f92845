# SPDX-License-Identifier: Apache-2.0
"""What the SDK adds to a call: its time less that of the same request over a bare socket.

Needs a running server, found as clients find it:  python bench/overhead.py [CALLS]
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

import dsec
from dsec._core.endpoint import resolve

ROUND = 50


class Bare:
    """HTTP over one socket, with no more work than it takes."""

    def __init__(self, url: str, key: str) -> None:
        address = urlsplit(url)
        self._head = f"Host: {address.netloc}\r\nAuthorization: Bearer {key}\r\n"
        self._socket = socket.create_connection((address.hostname or "", address.port or 80))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def call(self, method: str, path: str, body: object = None) -> bytes:
        raw = json.dumps(body).encode() if body else b""
        head = f"{method} {path} HTTP/1.1\r\n{self._head}Content-Length: {len(raw)}\r\n\r\n"
        self._socket.sendall(head.encode() + raw)
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += self._socket.recv(65536)
        head_of_answer, _, rest = answer.partition(b"\r\n\r\n")
        length = int(head_of_answer.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        while len(rest) < length:
            rest += self._socket.recv(65536)
        return rest

    def close(self) -> None:
        self._socket.close()


def timed(call: Callable[[], object]) -> list[float]:
    times = []
    for _ in range(ROUND):
        begin = time.perf_counter()
        call()
        times.append((time.perf_counter() - begin) * 1000)
    return times


async def atimed(call: Callable[[], Awaitable[object]]) -> list[float]:
    times = []
    for _ in range(ROUND):
        begin = time.perf_counter()
        await call()
        times.append((time.perf_counter() - begin) * 1000)
    return times


def show(name: str, bare: list[float], blocking: list[float], awaited: list[float]) -> None:
    base = statistics.median(bare)
    for face, times in (("blocking", blocking), ("asyncio", awaited)):
        p50 = statistics.median(times)
        print(
            f"{name:5} {face:9} bare p50 {base:6.2f} ms   SDK p50 {p50:6.2f} ms   adds {p50 - base:5.2f} ms"
        )


async def compare(name: str, bare: Bare, box: dsec.Sandbox, abox: dsec.AsyncSandbox, calls: int) -> None:
    """Rounds of each kind take turns, so that what else the machine does hits all alike."""
    where = f"/v1/sandboxes/{box.id}"
    kinds: tuple[list[float], list[float], list[float]] = ([], [], [])
    for turn in range(calls // ROUND + 1):
        if name == "get":
            plain = timed(lambda: bare.call("GET", where))
            blocking = timed(box.refresh)
            awaited = await atimed(abox.refresh)
        else:
            plain = timed(lambda: bare.call("POST", where + "/exec", {"argv": ["true"]}))
            blocking = timed(lambda: box.exec("true"))
            awaited = await atimed(lambda: abox.exec("true"))
        if turn > 0:  # the first round warms up
            for kind, times in zip(kinds, (plain, blocking, awaited), strict=True):
                kind.extend(times)
    show(name, *kinds)


async def main(calls: int) -> None:
    endpoint = resolve(None, None, os.environ)
    bare = Bare(endpoint.url, endpoint.key or "")
    async with dsec.AsyncClient() as aclient:
        with dsec.Client() as client, client.sandbox("host", memory="128Mi") as box:
            abox = await aclient.get_sandbox(box.id)
            for name in ("get", "exec"):
                await compare(name, bare, box, abox, calls)
    bare.close()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000))
