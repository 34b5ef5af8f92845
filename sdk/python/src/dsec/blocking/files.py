# SPDX-License-Identifier: Apache-2.0
"""Files of a sandbox."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from dsec._flow import files
from dsec._flow.caller import Caller
from dsec._flow.files import Place, named
from dsec._io.blocking import run
from dsec.blocking.stream import Stream
from dsec.execs import Input
from dsec.files import FileChange, FileInfo, RemotePath, Transfer

PAGE = 5000


class Files:
    """Files as a process of the sandbox's user sees them: links and names resolve inside.

    Paths are absolute. Calls raise `NotFound`, `Forbidden`, `Conflict` (such as a directory that is not
    empty), `DiskFull`, and `InvalidRequest` for what cannot be done with that kind of file (a pipe, a
    device).
    """

    def __init__(self, caller: Caller, sandbox: str, user: str | None = None) -> None:
        self._caller = caller
        self._sandbox = sandbox
        self._user = user

    def _at(self, path: RemotePath) -> Place:
        return Place(self._sandbox, path, self._user)

    def as_user(self, user: str) -> Files:
        """The same files as another user sees them, by name or number, such as `root`."""
        return Files(self._caller, self._sandbox, user)

    def read(self, path: RemotePath, *, offset: int = 0, length: int | None = None) -> bytes:
        """A file's bytes, or `length` of them from `offset` on; fewer where it ends before that."""
        return run(files.read(self._caller, self._at(path), offset, length))

    def read_text(self, path: RemotePath, *, encoding: str = "utf-8", errors: str = "strict") -> str:
        """A file as text."""
        return self.read(path).decode(encoding, errors)

    def stream(self, path: RemotePath, *, offset: int = 0, length: int | None = None) -> Stream[bytes]:
        """As `read`, in pieces as they come: for files of any size.

        Goes on by itself after a lost connection; `ConnectionLost` when the file has changed meanwhile.
        """
        return Stream(files.stream(self._caller, self._at(path), offset, length))

    def write(self, path: RemotePath, data: Input, *, mode: int | None = None) -> FileInfo:
        """Makes a file, or puts a new one in the place of an old one, once all of `data` has come.

        Until then, and if that never happens, nothing changes. Directories above are made. Without a `mode`
        that of the file replaced stays, else it is 0o644. `data` may be text, bytes, a file open for reading
        or an iterable of bytes; what can be sent again is sent again after a lost connection.
        """
        return run(files.write(self._caller, self._at(path), data, mode))

    def stat(self, path: RemotePath, *, follow: bool = True) -> FileInfo:
        """What is there; with `follow=False` a link itself. Else `NotFound`."""
        return run(files.stat(self._caller, self._at(path), follow))

    def exists(self, path: RemotePath) -> bool:
        """True when there is something, also a link that leads nowhere."""
        return run(files.exists(self._caller, self._at(path)))

    def list(self, path: RemotePath) -> list[FileInfo]:
        """What is in a directory, in the order of names."""
        return run(files.entries(self._caller, self._at(path), PAGE))

    def mkdir(self, path: RemotePath, *, mode: int | None = None, parents: bool = False) -> None:
        """Makes a directory; with `parents` those above too, and one that exists is fine."""
        body = {**named("path", path), **files.mode_of(mode), "parents": parents}
        run(files.do(self._caller, self._sandbox, self._user, "mkdir", body))

    def move(self, source: RemotePath, target: RemotePath, *, overwrite: bool = True) -> None:
        """Renames it; what is at `target` is replaced, or with `overwrite=False` a `Conflict`."""
        body = {**named("from", source), **named("to", target), "overwrite": overwrite}
        run(files.move(self._caller, self._sandbox, self._user, body))

    def remove(self, path: RemotePath, *, recursive: bool = False) -> None:
        """Removes a file or an empty directory; with `recursive` all that is in it."""
        run(files.remove(self._caller, self._at(path), recursive))

    def chmod(self, path: RemotePath, mode: int, *, recursive: bool = False) -> None:
        """Sets permission bits, such as `0o755`."""
        body = {**named("path", path), **files.mode_of(mode), "recursive": recursive}
        run(files.do(self._caller, self._sandbox, self._user, "chmod", body))

    def chown(self, path: RemotePath, owner: str, *, recursive: bool = False) -> None:
        """Gives a file to `"user"`, `"user:group"` or `":group"`, names or numbers; root may."""
        body = {**named("path", path), "owner": owner, "recursive": recursive}
        run(files.do(self._caller, self._sandbox, self._user, "chown", body))

    def watch(self, path: RemotePath, *, recursive: bool = False) -> Stream[FileChange]:
        """Changes of a file or directory from now on, until it is gone or the stream is closed.

        `ConnectionLost` where the connection breaks: changes may have been missed.
        """
        return Stream(files.watch(self._caller, self._at(path), recursive))

    def upload(
        self,
        source: str | os.PathLike[str],
        target: RemotePath,
        *,
        on_progress: Callable[[Transfer], None] | None = None,
    ) -> Transfer:
        """Copies what is in a local directory into one of the sandbox, which is made; or a file to a path.

        Modes, times and links are kept, owners are the sandbox's user. A broken transfer begins anew.
        """
        return run(files.upload_from(self._caller, self._at(target), Path(source), on_progress))

    def download(
        self,
        source: RemotePath,
        target: str | os.PathLike[str],
        *,
        on_progress: Callable[[Transfer], None] | None = None,
    ) -> Transfer:
        """Copies what is in a directory of the sandbox into a local one, which is made; or a file to a path.

        Nothing is written outside of `target`, whatever the sandbox sends: `skipped` of the result names
        links that lead out of it, and devices.
        """
        return run(files.download_to(self._caller, self._at(source), Path(target), on_progress))
