# SPDX-License-Identifier: Apache-2.0
"""Files of a sandbox as values."""

from __future__ import annotations

import base64
import os
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum
from typing import Any, TypeAlias

from dsec._core.read import reads, time

RemotePath: TypeAlias = str | bytes | os.PathLike[str]
"""An absolute path inside a sandbox; as bytes, or with surrogate escapes, where it is not UTF-8."""


class FileType(str, Enum):
    """What a path leads to."""

    FILE = "file"
    DIRECTORY = "directory"
    LINK = "link"
    PIPE = "pipe"
    SOCKET = "socket"
    DEVICE = "device"


@dataclass(frozen=True)
class FileInfo:
    """A file as it is seen inside a sandbox.

    `name` is the last part of its path, with surrogate escapes where it is not UTF-8 (`os.fsencode` gives its
    bytes). `mode` has the permission bits, such as `0o644`; `size` is in bytes; `uid` and `gid` are those
    inside; `target` is where a link leads.
    """

    name: str
    type: FileType
    mode: int
    size: int
    modified_at: datetime
    uid: int
    gid: int
    target: str | None

    @property
    def is_dir(self) -> bool:
        """True for a directory."""
        return self.type is FileType.DIRECTORY

    @property
    def is_file(self) -> bool:
        """True for a regular file."""
        return self.type is FileType.FILE


class ChangeKind(str, Enum):
    """What happened to a watched file. `overflow`: so many that some are not told."""

    CREATE = "create"
    MODIFY = "modify"
    DELETE = "delete"
    RENAME = "rename"
    CHMOD = "chmod"
    OVERFLOW = "overflow"


@dataclass(frozen=True)
class FileChange:
    """Something that happened to a watched file; `moved_from` is where it was before a rename."""

    kind: ChangeKind
    path: str
    moved_from: str | None
    is_dir: bool


@reads("a file")
def read_file(json: dict[str, Any]) -> FileInfo:
    """An entry as the API writes it."""
    return FileInfo(
        _name(json, "name"),
        FileType(json["type"]),
        int(json["mode"], 8),
        json["size"],
        time(json["modified_at"]),
        json["uid"],
        json["gid"],
        _name(json, "target") if json.get("target") is not None else None,
    )


@reads("a change of a file")
def read_file_change(json: dict[str, Any]) -> FileChange:
    """A line of a watch."""
    return FileChange(
        ChangeKind(json["event"]),
        _name(json, "path") if json.get("path") is not None else "",
        _name(json, "from") if json.get("from") is not None else None,
        bool(json.get("directory")),
    )


def _name(json: dict[str, Any], field: str) -> str:
    exact = json.get(field + "_base64")
    if exact is not None:
        return base64.b64decode(exact, validate=True).decode("utf-8", "surrogateescape")
    name: str = json[field]
    return name


@dataclass(frozen=True)
class Transfer:
    """How far the transfer of a directory has come.

    `path` is the file it is at, `files` counts those done, `bytes` their contents. `skipped` names what was
    left out: links that lead out of the directory, and what is neither a file, a directory nor a link.
    """

    files: int = 0
    bytes: int = 0
    path: str = ""
    skipped: tuple[str, ...] = ()

    def at(self, path: str) -> Transfer:
        """Now at this file."""
        return replace(self, path=path)

    def more(self, count: int) -> Transfer:
        """So many bytes further."""
        return replace(self, bytes=self.bytes + count)

    def whole(self) -> Transfer:
        """One more is done."""
        return replace(self, files=self.files + 1)

    def without(self, path: str) -> Transfer:
        """This one is left out."""
        return replace(self, skipped=(*self.skipped, path))
