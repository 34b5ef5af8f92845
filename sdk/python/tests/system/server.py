# SPDX-License-Identifier: Apache-2.0
"""A real server of its own, and the proof that it left nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parents[4]
START = 150.0
STOP = 60.0
SETTLE = 10.0


class Server:
    """`./dsec up` on a free port, with a data directory and a home of its own."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.home = directory / "home"
        self.data = directory / "data"
        self.log = directory / "up.log"
        self.home.mkdir()
        self.url = ""
        self.key = ""
        self.node = ""
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def environment(self) -> dict[str, str]:
        """Of a client that knows this server by its credentials file alone."""
        kept = {k: v for k, v in os.environ.items() if k not in ("DSEC_URL", "DSEC_API_KEY")}
        return {**kept, "HOME": str(self.home)}

    def start(self, port: int = 0) -> None:
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [ROOT / "dsec", "up", "--data", self.data, "--listen", f"127.0.0.1:{port}"],
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        credentials = self.home / ".config" / "dsec" / "credentials"
        self._until("it listens", START, credentials.exists)
        saved = json.loads(credentials.read_bytes())
        self.url, self.key = saved["url"], saved["key"]
        self.node = (self.data / "node" / "instance").read_text().split()[0]

    def kill_and_start_again(self) -> None:
        """On the same port. What ran goes on."""
        process = self._process
        if process is None:
            raise AssertionError("the server was not started")
        process.kill()
        process.wait()
        (self.home / ".config" / "dsec" / "credentials").unlink()
        self.start(urlsplit(self.url).port or 0)

    def stop(self) -> None:
        process = self._process
        if process is None:
            return
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(STOP)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise AssertionError(f"the server did not stop: {self._tail()}") from None

    def leftovers(self) -> list[str]:
        """Processes, mounts, loop devices and cgroups that the server left behind.

        The kernel detaches a loop device a moment after its last user is gone.
        """
        end = time.monotonic() + SETTLE
        while (found := self._leftovers()) and time.monotonic() < end:
            time.sleep(0.1)
        return found

    def _leftovers(self) -> list[str]:
        mark = str(self.directory)
        found = [f"process {p}: {c}" for p, c in _command_lines() if mark in c]
        found += [f"mount {m}" for m in Path("/proc/mounts").read_text().splitlines() if mark in m]
        for loop in Path("/sys/block").glob("loop*/loop/backing_file"):
            try:
                if mark in loop.read_text():
                    found.append(f"loop device {loop.parent.parent.name}")
            except OSError:
                continue
        if self.node:
            found += [f"cgroup {c}" for c in _cgroups(f"dsec-{self.node}")]
        return found

    def _until(self, what: str, limit: float, holds: Callable[[], bool]) -> None:
        end = time.monotonic() + limit
        while not holds():
            if self._process is not None and self._process.poll() is not None:
                raise AssertionError(f"the server ended before {what}: {self._tail()}")
            if time.monotonic() > end:
                raise AssertionError(f"the server did not come so far that {what}: {self._tail()}")
            time.sleep(0.05)

    def _tail(self) -> str:
        return self.log.read_text(errors="replace")[-3000:]


def _command_lines() -> list[tuple[str, str]]:
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found.append((file.parent.name, file.read_bytes().replace(b"\0", b" ").decode(errors="replace")))
        except OSError:
            continue
    return found


def _cgroups(prefix: str) -> list[str]:
    return [
        str(Path(top, name))
        for top, names, _ in os.walk("/sys/fs/cgroup")
        for name in names
        if name.startswith(prefix)
    ]
