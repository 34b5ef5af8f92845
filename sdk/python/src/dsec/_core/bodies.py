# SPDX-License-Identifier: Apache-2.0
"""JSON bodies of requests, out of what callers write."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, is_dataclass
from datetime import timedelta
from enum import Enum
from typing import Any

from dsec.amounts import seconds
from dsec.batches import BatchFields, BatchTask
from dsec.execs import ExecFields, Input
from dsec.sandboxes import SandboxFields
from dsec.sessions import RunFields, SessionFields
from dsec.tasks import File, TaskFields

_RESOURCES = ("cpu", "memory", "disk", "pids", "shm")
_SANDBOX = frozenset(SandboxFields.__annotations__) - set(_RESOURCES)
_EXEC = frozenset(ExecFields.__annotations__)
_SESSION = frozenset(SessionFields.__annotations__)
_RUN = frozenset(RunFields.__annotations__)
_TASK = frozenset(TaskFields.__annotations__) - set(_RESOURCES)
_BATCH_TASK = frozenset(BatchTask.__annotations__) - set(_RESOURCES)
_BATCH = frozenset(BatchFields.__annotations__) - set(_RESOURCES)


def sandbox(image: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Body of a create."""
    return {"image": image, **_fields("a sandbox", _SANDBOX, fields)}


def task(image: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Body of a task."""
    return {"image": image, **_fields("a task", _TASK, fields)}


def batch(image: str | None, tasks: Iterable[Mapping[str, Any]], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Body of a batch."""
    body = _fields("a batch", _BATCH, fields)
    if image is not None:
        body["image"] = image
    if "retries" in body:
        body["defaults"] = {"retries": body.pop("retries")}
    body["tasks"] = [_fields(f"tasks[{i}]", _BATCH_TASK, t) for i, t in enumerate(tasks)]
    return body


@dataclass(frozen=True)
class Command:
    """Body of an exec without its input, and the input."""

    body: dict[str, Any]
    stdin: Input | None = None

    def with_stdin(self, stdin: bytes | None) -> dict[str, Any]:
        """The body with all of its input."""
        return self.body if stdin is None else {**self.body, **_stdin(stdin)}


def command(argv: tuple[str, ...], shell: str | None, login: bool, fields: Mapping[str, Any]) -> Command:
    """A program with its arguments, or text for a shell."""
    if bool(argv) == (shell is not None):
        raise TypeError("name a program with its arguments, or give shell text")
    body: dict[str, Any] = {"argv": list(argv)} if argv else {"shell": shell}
    if login:
        body["login"] = True
    more = {name: value for name, value in fields.items() if name != "stdin"}
    return Command({**body, **_fields("an exec", _EXEC, more)}, fields.get("stdin"))


def session(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Body of a session."""
    return _fields("a session", _SESSION, fields)


def session_run(command: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Body of a command of a session."""
    return {"command": command, **_fields("a command", _RUN, fields)}


def process(
    argv: tuple[str, ...], shell: str | None, login: bool, fields: Mapping[str, Any]
) -> dict[str, Any]:
    """Body of a process in the background; it reads input unless told otherwise."""
    body = command(argv, shell, login, {n: v for n, v in fields.items() if n != "stdin_open"}).body
    return {**body, "stdin_open": bool(fields.get("stdin_open", True))}


def _fields(what: str, known: frozenset[str], fields: Mapping[str, Any]) -> dict[str, Any]:
    body: dict[str, Any] = {}
    short: dict[str, Any] = {}
    for name, value in fields.items():
        if name in _RESOURCES:
            short[name] = value
        elif name not in known:
            raise TypeError(f"{what} has no field '{name}'")
        elif value is None:
            continue
        elif name == "stdin":
            body.update(_stdin(value))
        elif name == "files":
            body["files"] = {path: _file(content) for path, content in value.items()}
        elif name in ("network", "record"):
            body[name] = {"mode": _plain(value)}
        else:
            body[name] = _plain(value)
    short = {name: _plain(value) for name, value in short.items() if value is not None}
    if short:
        body["resources"] = {**body.get("resources", {}), **short}
    return body


def _stdin(stdin: str | bytes) -> dict[str, str]:
    if isinstance(stdin, str):
        return {"stdin": stdin}
    try:
        return {"stdin": stdin.decode()}
    except UnicodeDecodeError:
        return {"stdin_base64": base64.b64encode(stdin).decode()}


def _file(content: str | bytes | File) -> Any:
    if isinstance(content, str):
        return content
    file = content if isinstance(content, File) else File(content)
    if isinstance(file.content, str):
        body = {"text": file.content}
    else:
        body = {"base64": base64.b64encode(file.content).decode()}
    return body if file.mode is None else {**body, "mode": f"{file.mode:04o}"}


def _plain(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, timedelta):
        return seconds(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {k: _plain(v) for k, v in asdict(value).items() if v is not None}
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (list, tuple)):
        return list(value)
    return value
