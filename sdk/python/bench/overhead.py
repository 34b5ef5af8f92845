# SPDX-License-Identifier: Apache-2.0
"""What the SDK adds to a call: its time less that of the same call over a bare socket.

Needs a running server, found as clients find it:  python bench/overhead.py [CALLS] [--json]
`./dev bench sdk` runs it against a server of its own.
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


class Kind:
    """One way of calling: what a call takes on the clock and of this process's processor time."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.clock: list[float] = []
        self.cpu: list[float] = []

    def note(self, clock: float, cpu: float) -> None:
        self.clock.append((time.perf_counter() - clock) * 1000)
        self.cpu.append((time.process_time() - cpu) * 1000)

    def timed(self, call: Callable[[], object]) -> None:
        for _ in range(ROUND):
            clock, cpu = time.perf_counter(), time.process_time()
            call()
            self.note(clock, cpu)

    async def atimed(self, call: Callable[[], Awaitable[object]]) -> None:
        for _ in range(ROUND):
            clock, cpu = time.perf_counter(), time.process_time()
            await call()
            self.note(clock, cpu)

    def forget(self) -> None:
        self.clock.clear()
        self.cpu.clear()

    def show(self, call: str, bare: Kind, as_json: bool) -> None:
        clock, cpu = statistics.median(self.clock), statistics.median(self.cpu)
        more, more_cpu = clock - statistics.median(bare.clock), cpu - statistics.median(bare.cpu)
        if as_json:
            print(
                json.dumps({"call": call, "client": self.name, "p50_ms": clock, "adds_ms": more}), flush=True
            )
            return
        print(
            f"{call:5} {self.name:9} p50 {clock:6.2f} ms, adds {more:5.2f} ms; processor {more_cpu:5.2f} ms"
        )


async def compare(
    name: str, bare: Bare, box: dsec.Sandbox, abox: dsec.AsyncSandbox, calls: int, as_json: bool
) -> None:
    """Rounds of each kind take turns, so that what else the machine does hits all alike."""
    where = f"/v1/sandboxes/{box.id}"
    kinds = plain, blocking, awaited = Kind("bare"), Kind("blocking"), Kind("asyncio")
    for turn in range(calls // ROUND + 1):
        if name == "get":
            plain.timed(lambda: bare.call("GET", where))
            blocking.timed(box.refresh)
            await awaited.atimed(abox.refresh)
        else:
            plain.timed(lambda: bare.call("POST", where + "/exec", {"argv": ["true"]}))
            blocking.timed(lambda: box.exec("true"))
            await awaited.atimed(lambda: abox.exec("true"))
        if turn == 0:  # the first round warms up
            for kind in kinds:
                kind.forget()
    for kind in kinds:
        kind.show(name, plain, as_json)


async def main(calls: int, as_json: bool) -> None:
    endpoint = resolve(None, None, os.environ)
    bare = Bare(endpoint.url, endpoint.key or "")
    async with dsec.AsyncClient() as aclient:
        with dsec.Client() as client, client.sandbox("host", memory="128Mi") as box:
            abox = await aclient.get_sandbox(box.id)
            for name in ("get", "exec"):
                await compare(name, bare, box, abox, calls, as_json)
    bare.close()


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    asyncio.run(main(numbers[0] if numbers else 1000, "--json" in sys.argv))
