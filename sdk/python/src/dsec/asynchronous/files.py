# SPDX-License-Identifier: Apache-2.0
"""Files of a sandbox."""

from __future__ import annotations

import os
from pathlib import Path

from dsec._flow import files
from dsec._flow.caller import Caller
from dsec._flow.files import OnTransfer, Place, named
from dsec.asynchronous.stream import AsyncStream
from dsec.execs import Input
from dsec.files import FileChange, FileInfo, RemotePath, Transfer

PAGE = 5000


class AsyncFiles:
    """Files as a process of the sandbox's user sees them; `Files` says more."""

    def __init__(self, caller: Caller, sandbox: str, user: str | None = None) -> None:
        self._caller = caller
        self._sandbox = sandbox
        self._user = user

    def _at(self, path: RemotePath) -> Place:
        return Place(self._sandbox, path, self._user)

    def as_user(self, user: str) -> AsyncFiles:
        """As `Files.as_user`."""
        return AsyncFiles(self._caller, self._sandbox, user)

    async def read(self, path: RemotePath, *, offset: int = 0, length: int | None = None) -> bytes:
        """As `Files.read`."""
        return await files.read(self._caller, self._at(path), offset, length)

    async def read_text(self, path: RemotePath, *, encoding: str = "utf-8", errors: str = "strict") -> str:
        """As `Files.read_text`."""
        return (await self.read(path)).decode(encoding, errors)

    def stream(self, path: RemotePath, *, offset: int = 0, length: int | None = None) -> AsyncStream[bytes]:
        """As `Files.stream`."""
        return AsyncStream(files.stream(self._caller, self._at(path), offset, length))

    async def write(self, path: RemotePath, data: Input, *, mode: int | None = None) -> FileInfo:
        """As `Files.write`."""
        return await files.write(self._caller, self._at(path), data, mode)

    async def stat(self, path: RemotePath, *, follow: bool = True) -> FileInfo:
        """As `Files.stat`."""
        return await files.stat(self._caller, self._at(path), follow)

    async def exists(self, path: RemotePath) -> bool:
        """As `Files.exists`."""
        return await files.exists(self._caller, self._at(path))

    async def list(self, path: RemotePath) -> list[FileInfo]:
        """As `Files.list`."""
        return await files.entries(self._caller, self._at(path), PAGE)

    async def mkdir(self, path: RemotePath, *, mode: int | None = None, parents: bool = False) -> None:
        """As `Files.mkdir`."""
        body = {**named("path", path), **files.mode_of(mode), "parents": parents}
        await files.do(self._caller, self._sandbox, self._user, "mkdir", body)

    async def move(self, source: RemotePath, target: RemotePath, *, overwrite: bool = True) -> None:
        """As `Files.move`."""
        body = {**named("from", source), **named("to", target), "overwrite": overwrite}
        await files.move(self._caller, self._sandbox, self._user, body)

    async def remove(self, path: RemotePath, *, recursive: bool = False) -> None:
        """As `Files.remove`."""
        await files.remove(self._caller, self._at(path), recursive)

    async def chmod(self, path: RemotePath, mode: int, *, recursive: bool = False) -> None:
        """As `Files.chmod`."""
        body = {**named("path", path), **files.mode_of(mode), "recursive": recursive}
        await files.do(self._caller, self._sandbox, self._user, "chmod", body)

    async def chown(self, path: RemotePath, owner: str, *, recursive: bool = False) -> None:
        """As `Files.chown`."""
        body = {**named("path", path), "owner": owner, "recursive": recursive}
        await files.do(self._caller, self._sandbox, self._user, "chown", body)

    def watch(self, path: RemotePath, *, recursive: bool = False) -> AsyncStream[FileChange]:
        """As `Files.watch`."""
        return AsyncStream(files.watch(self._caller, self._at(path), recursive))

    async def upload(
        self,
        source: str | os.PathLike[str],
        target: RemotePath,
        *,
        on_progress: OnTransfer | None = None,
    ) -> Transfer:
        """As `Files.upload`."""
        return await files.upload_from(self._caller, self._at(target), Path(source), on_progress)

    async def download(
        self,
        source: RemotePath,
        target: str | os.PathLike[str],
        *,
        on_progress: OnTransfer | None = None,
    ) -> Transfer:
        """As `Files.download`."""
        return await files.download_to(self._caller, self._at(source), Path(target), on_progress)
