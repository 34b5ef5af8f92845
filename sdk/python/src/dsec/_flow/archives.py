# SPDX-License-Identifier: Apache-2.0
"""Directories as tar streams: out of local files piece by piece, and into local files, never beside them."""

from __future__ import annotations

import io
import os
import tarfile
import threading
from collections.abc import Iterator
from pathlib import Path

from dsec.errors import ConfigurationError
from dsec.files import Transfer

PIECE = 1 << 20
"""Bytes read from a file at once."""

BLOCK = 512


class Packing:
    """The tree below a directory; sockets, devices and pipes are left out and told as skipped."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.transfer = Transfer()

    def pieces(self) -> Iterator[bytes]:
        """The stream; `transfer` tells how far it is."""
        index = tarfile.TarFile(fileobj=io.BytesIO(), mode="w", format=tarfile.PAX_FORMAT)
        for path in _tree(self._root):
            name = str(path.relative_to(self._root))
            info = index.gettarinfo(path, name)
            if info is None or not (info.isreg() or info.isdir() or info.issym() or info.islnk()):
                self.transfer = self.transfer.without(name)
                continue
            info.uid = info.gid = 0
            info.uname = info.gname = ""
            self.transfer = self.transfer.at(name)
            yield info.tobuf(tarfile.PAX_FORMAT)
            if info.isreg():
                for piece in _content(path, info.size):
                    yield piece
                    self.transfer = self.transfer.more(len(piece))
                yield bytes(-info.size % BLOCK)
            self.transfer = self.transfer.whole()
        yield bytes(2 * BLOCK)


def _tree(root: Path) -> Iterator[Path]:
    for directory, directories, files in os.walk(root):
        directories.sort()
        for name in [*directories, *sorted(files)]:
            yield Path(directory, name)


def _content(path: Path, size: int) -> Iterator[bytes]:
    """So many bytes, as its header has promised, whoever writes to the file meanwhile."""
    left = size
    with path.open("rb") as file:
        while left:
            piece = file.read(min(PIECE, left))
            if not piece:
                raise OSError(f"{path} became shorter while it was sent")
            left -= len(piece)
            yield piece


class Unpacking:
    """Takes a tar stream in pieces and makes files of it below a directory.

    The stream comes out of a sandbox and is not trusted: nothing is written outside of the directory, and
    links that lead out of it are left out and told as skipped, as are devices and pipes.
    """

    def __init__(self, root: Path) -> None:
        if not hasattr(tarfile, "data_filter"):
            raise ConfigurationError("safe unpacking needs Python 3.10.12, 3.11.4, 3.12 or newer")
        self._root = root
        self._read, self._write = os.pipe()
        self._failure: BaseException | None = None
        self.transfer = Transfer()
        self._thread = threading.Thread(target=self._work, name="dsec-unpack", daemon=True)
        self._thread.start()

    def feed(self, piece: bytes) -> None:
        """Waits while files are written."""
        data = memoryview(piece)
        while data:
            try:
                data = data[os.write(self._write, data) :]
            except BrokenPipeError:
                self.finish()
                raise AssertionError("the stream ended without an error") from None

    def finish(self) -> Transfer:
        """Once all has come; raises what went wrong."""
        self._close()
        self._thread.join()
        if self._failure is not None:
            raise self._failure
        return self.transfer

    def _close(self) -> None:
        if self._write >= 0:
            os.close(self._write)
            self._write = -1

    def abandon(self) -> None:
        """The rest will not come."""
        self._close()
        self._thread.join()

    def _work(self) -> None:
        try:
            with os.fdopen(self._read, "rb") as source, tarfile.open(fileobj=source, mode="r|") as tar:
                for member in tar:
                    self._take(tar, member)
                while source.read(PIECE):  # padding
                    pass
        except BaseException as e:
            self._failure = e

    def _take(self, tar: tarfile.TarFile, member: tarfile.TarInfo) -> None:
        try:
            safe = tarfile.data_filter(member, str(self._root))
        except tarfile.FilterError:
            self.transfer = self.transfer.without(member.name)
            return
        if safe is None:
            return
        there = self._root / safe.name
        if os.path.lexists(there) and (there.is_symlink() or not there.is_dir()):
            there.unlink()
        tar.extract(safe, self._root, filter="fully_trusted")
        self.transfer = self.transfer.at(member.name).more(safe.size if safe.isreg() else 0).whole()
