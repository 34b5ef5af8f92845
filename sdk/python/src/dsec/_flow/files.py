# SPDX-License-Identifier: Apache-2.0
"""Files of a sandbox: read, written and looked at as one of its users."""

from __future__ import annotations

import base64
import contextlib
import functools
import os
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dsec._core.reply import decode
from dsec._core.request import ANSWER, BYTES, NDJSON, TAR, Query, Repeat, Request, encode, target
from dsec._core.retry import Tries
from dsec._flow.archives import Packing, Unpacking
from dsec._flow.caller import Caller, lines
from dsec._flow.sources import PIECE, upload
from dsec._io import Opened
from dsec.errors import ApiError, ConnectionLost, NotFound
from dsec.execs import Input
from dsec.files import FileChange, FileInfo, RemotePath, Transfer, read_file, read_file_change

OnTransfer = Callable[[Transfer], Awaitable[None] | None]

ARCHIVE = 600.0
"""Seconds that the server may take for what an archive asks of it, without a word."""

QUIET = 15.0
"""Seconds after which a watch says something in any case."""


def path_bytes(path: RemotePath) -> bytes:
    """The path as the file system inside has it."""
    raw = os.fspath(path)
    return raw if isinstance(raw, bytes) else raw.encode("utf-8", "surrogateescape")


@dataclass(frozen=True)
class Place:
    """A path of a sandbox, as one of its users sees it."""

    sandbox: str
    path: RemotePath
    user: str | None = None

    def __call__(self, *call: str, query: Query = ()) -> str:
        """The target of a call about it."""
        about: Query = [("path", path_bytes(self.path)), *_user(self.user), *query]
        return target("sandboxes", self.sandbox, *call, query=about)


def _user(user: str | None) -> Query:
    return [("user", user)] if user is not None else []


def named(field: str, path: RemotePath) -> dict[str, str]:
    """A path in a JSON body."""
    raw = path_bytes(path)
    try:
        return {field: raw.decode()}
    except UnicodeDecodeError:
        return {field + "_base64": base64.b64encode(raw).decode()}


def mode_of(mode: int | None) -> dict[str, str]:
    """Permission bits in a JSON body."""
    return {} if mode is None else {"mode": f"{mode:04o}"}


async def read(caller: Caller, at: Place, offset: int, length: int | None) -> bytes:
    """A part of a file at once."""
    async with contextlib.aclosing(stream(caller, at, offset, length)) as found:
        return b"".join([piece async for piece in found])


async def stream(caller: Caller, at: Place, offset: int, length: int | None) -> AsyncGenerator[bytes, None]:
    """A part of a file as it comes; goes on after a break where it was, unless the file has changed."""
    if length == 0:
        return
    caller = caller.patiently()
    tries: Tries | None = None
    tag: str | None = None
    begin, end = offset, None if length is None else offset + length
    while True:
        request = Request("GET", at("files"), accept=BYTES)
        if begin or end is not None:
            request = request.with_header("Range", f"bytes={begin}-{'' if end is None else end - 1}")
        try:
            opened = await caller.open(request)
        except ApiError as e:
            if e.status == 416 and tag is None:
                return  # the file ends before that
            raise
        try:
            now = opened.headers.get("dsec-entry", "")
            if tag is not None and now != tag:
                raise ConnectionLost(f"{request}: the file has changed since the connection broke")
            tag = now
            while piece := await _chunk(opened):
                begin, tries = begin + len(piece), None
                yield piece
            return
        except _Broken as broken:
            tries = tries or Tries(caller.retries, Repeat.SAFE)
            await caller.wait_or_raise(tries, broken.failure)
        finally:
            await opened.close()


class _Broken(Exception):
    def __init__(self, failure: ConnectionLost) -> None:
        super().__init__(failure)
        self.failure = failure


async def _chunk(opened: Opened) -> bytes:
    try:
        return await opened.chunk()
    except ConnectionLost as e:
        raise _Broken(e) from e


async def write(caller: Caller, at: Place, source: Input, mode: int | None) -> FileInfo:
    """Puts a file in the place of what is there, once all of it has come."""
    body, length, again = upload(caller.io, source)
    request = Request(
        "PUT",
        at("files", query=[("mode", f"{mode:04o}")] if mode is not None else ()),
        body,
        repeat=Repeat.SAFE if again else Repeat.REFUSED,
        content_type=BYTES,
        length=length,
    )
    return read_file((await caller.call(request)).json)


async def stat(caller: Caller, at: Place, follow: bool) -> FileInfo:
    """What is at the path."""
    where = at("files", query=[("stat", "true"), *(() if follow else [("follow", "false")])])
    return read_file((await caller.call(Request("GET", where))).json)


async def exists(caller: Caller, at: Place) -> bool:
    """True when there is something at the path, whatever it is."""
    try:
        await stat(caller, at, False)
    except NotFound:
        return False
    return True


async def entries(caller: Caller, at: Place, page: int) -> list[FileInfo]:
    """What is in a directory, in the order of names."""
    found: list[FileInfo] = []
    cursor: str | None = ""
    while cursor is not None:
        query = [("limit", str(page)), *([("cursor", cursor)] if cursor else [])]
        reply = (await caller.call(Request("GET", at("directory", query=query)))).json
        found += [read_file(json) for json in reply.get("entries") or ()]
        cursor = reply.get("next_cursor")
    return found


async def do(caller: Caller, sandbox: str, user: str | None, what: str, body: dict[str, Any]) -> None:
    """A change that is the same when it is made twice."""
    where = target("sandboxes", sandbox, "files", what, query=_user(user))
    await caller.call(Request("POST", where, encode(body), silence=ARCHIVE))


async def move(caller: Caller, sandbox: str, user: str | None, body: dict[str, Any]) -> None:
    """Not sent again when it may have been done: the second time there is nothing to move."""
    where = target("sandboxes", sandbox, "files", "move", query=_user(user))
    await caller.call(Request("POST", where, encode(body), repeat=Repeat.REFUSED))


async def remove(caller: Caller, at: Place, recursive: bool) -> None:
    """Removes it; `NotFound` when it is not there, unless a broken call may have removed it."""
    where = at("files", query=[("recursive", "true")] if recursive else ())
    await caller.call(Request("DELETE", where, silence=ARCHIVE))


async def watch(caller: Caller, at: Place, recursive: bool) -> AsyncGenerator[FileChange, None]:
    """Changes from now on; a connection that breaks is told, for changes may have been missed."""
    where = at("files", "watch", query=[("recursive", "true")] if recursive else ())
    request = Request("GET", where, accept=NDJSON, silence=ANSWER + QUIET)
    opened = await caller.open(request)
    async with contextlib.aclosing(lines(opened, str(request))) as found:
        async for line in found:
            json = decode(line, str(request))
            if "end" in json:
                if json["end"].get("reason") == "gone":
                    return
                break
            if "event" in json:
                yield read_file_change(json)
    raise ConnectionLost(f"{request}: the watch ended, and changes may be missed")


async def send_tree(caller: Caller, at: Place, root: Path, told: OnTransfer | None) -> Transfer:
    """The content of a local directory into one of the sandbox; a broken transfer begins anew."""
    packing = Packing(root)

    async def packed() -> AsyncGenerator[bytes, None]:
        nonlocal packing
        packing = Packing(root)
        source = packing.pieces()
        gathered = bytearray()
        while (piece := await caller.io.aside(lambda: next(source, None))) is not None:
            gathered += piece
            if len(gathered) >= PIECE:
                yield bytes(gathered)
                gathered.clear()
                await _tell(told, packing.transfer)
        yield bytes(gathered)

    await caller.call(Request("PUT", at("archive"), packed, silence=ARCHIVE, content_type=TAR))
    await _tell(told, packing.transfer)
    return packing.transfer


async def fetch_tree(caller: Caller, at: Place, root: Path, told: OnTransfer | None) -> Transfer:
    """The content of a directory of the sandbox into a local one."""
    opened = await caller.open(Request("GET", at("archive"), accept=TAR, silence=ARCHIVE))
    try:
        unpacking = Unpacking(root)
        try:
            while piece := await opened.chunk():
                await caller.io.aside(functools.partial(unpacking.feed, piece))
                await _tell(told, unpacking.transfer)
            transfer = await caller.io.aside(unpacking.finish)
        except BaseException:
            unpacking.abandon()
            raise
    finally:
        await opened.close()
    await _tell(told, transfer)
    return transfer


async def _tell(told: OnTransfer | None, transfer: Transfer) -> None:
    if told is not None:
        awaited = told(transfer)
        if awaited is not None:
            await awaited


async def upload_from(caller: Caller, at: Place, source: Path, told: OnTransfer | None) -> Transfer:
    """A local directory's content, or a file."""
    if await caller.io.aside(source.is_dir):
        return await send_tree(caller, at, source, told)
    with await caller.io.aside(lambda: source.open("rb")) as file:
        info = await write(caller, at, file, os.fstat(file.fileno()).st_mode & 0o777)
    transfer = Transfer(1, info.size, str(source))
    await _tell(told, transfer)
    return transfer


async def download_to(caller: Caller, at: Place, target: Path, told: OnTransfer | None) -> Transfer:
    """A directory's content, or a file; a file appears once it is whole."""
    info = await stat(caller, at, True)
    if info.is_dir:
        await caller.io.aside(functools.partial(target.mkdir, parents=True, exist_ok=True))
        return await fetch_tree(caller, at, target, told)
    transfer = Transfer(path=os.fspath(target))
    part = target.with_name(target.name + ".part")
    try:
        with part.open("wb") as file:
            async with contextlib.aclosing(stream(caller, at, 0, None)) as found:
                async for piece in found:
                    await caller.io.aside(functools.partial(file.write, piece))
                    transfer = transfer.more(len(piece))
                    await _tell(told, transfer)
        part.chmod(info.mode & 0o777)
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    transfer = transfer.whole()
    await _tell(told, transfer)
    return transfer
