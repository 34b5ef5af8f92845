# SPDX-License-Identifier: Apache-2.0
"""A proxy in front of the server that loses connections when it is told to."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from urllib.parse import urlsplit


class Flaky:
    """Cuts the next `cuts` connections once so many bytes went `up` or came `down` on one."""

    def __init__(self, url: str) -> None:
        server = urlsplit(url)
        self._server = (server.hostname or "", server.port or 0)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self.up: int | None = None
        self.down: int | None = None
        self.cuts = 0
        self.done = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def cut_all(self) -> None:
        """Cuts what is open now."""
        with self._lock:
            now, self._open = self._open, set()
        for end in now:
            _drop(end)

    def close(self) -> None:
        _drop(self._listening)
        self.cut_all()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                server = socket.create_connection(self._server)
                with self._lock:
                    self._open |= {client, server}
                for source, sink, up in ((client, server, True), (server, client, False)):
                    threading.Thread(target=self._pump, args=(source, sink, up), daemon=True).start()

    def _pump(self, source: socket.socket, sink: socket.socket, up: bool) -> None:
        passed = 0
        with contextlib.suppress(OSError):
            while data := source.recv(4096):
                passed += len(data)
                if self._is_to_be_cut(passed, up):
                    break
                sink.sendall(data)
        _drop(source)
        _drop(sink)
        with self._lock:
            self._open -= {source, sink}

    def _is_to_be_cut(self, passed: int, up: bool) -> bool:
        limit = self.up if up else self.down
        with self._lock:
            if limit is None or passed <= limit or self.cuts == 0:
                return False
            self.cuts -= 1
            self.done += 1
            return True


def _drop(end: socket.socket) -> None:
    with contextlib.suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()


@contextlib.contextmanager
def flaky(url: str) -> Iterator[Flaky]:
    proxy = Flaky(url)
    try:
        yield proxy
    finally:
        proxy.close()
