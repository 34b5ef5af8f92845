# SPDX-License-Identifier: Apache-2.0
import base64
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

import dsec
from dsec._core import bodies
from dsec._core.read import time
from dsec._core.request import encode, target
from dsec.amounts import seconds
from dsec.batches import read_batch_event
from dsec.endings import read_ending
from dsec.results import read_exec_result
from dsec.sandboxes import read_change
from dsec.streams import read_exec_event


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (1, 1),
        (0.5, 0.5),
        ("30s", 30),
        ("5m", 300),
        ("250ms", 0.25),
        ("2 h", 7200),
        ("1.5", 1.5),
        ("1d", 86400),
    ],
)
def test_durations(given: dsec.Duration, expected: float) -> None:
    assert seconds(given) == expected


def test_a_timedelta_is_a_duration() -> None:
    assert seconds(timedelta(minutes=2)) == 120


@pytest.mark.parametrize("given", ["", "5 minutes", "-1s", -1, float("nan"), float("inf"), timedelta(-1)])
def test_no_durations(given: dsec.Duration) -> None:
    with pytest.raises(ValueError, match="duration"):
        seconds(given)


def test_a_create_with_everything() -> None:
    assert bodies.sandbox(
        "host",
        {
            "resources": dsec.Resources(cpu=2, memory="1Gi"),
            "memory": "2Gi",
            "guaranteed": dsec.Guarantee(cpu=0.5),
            "isolation": dsec.Isolation.CONTAINER,
            "env": {"A": "b"},
            "ttl": timedelta(minutes=1),
            "network": dsec.NetworkMode.NONE,
            "record": "off",
            "user": None,
        },
    ) == {
        "image": "host",
        "resources": {"cpu": 2, "memory": "2Gi"},
        "guaranteed": {"cpu": 0.5},
        "isolation": "container",
        "env": {"A": "b"},
        "ttl": 60.0,
        "network": {"mode": "none"},
        "record": {"mode": "off"},
    }


def test_a_task_with_files_and_input() -> None:
    body = bodies.task(
        "host",
        {
            "command": ("cat", "/x"),
            "stdin": b"\xff",
            "files": {"/a": "text", "/b": b"\xff", "/c": dsec.File("#!/bin/sh", 0o755)},
        },
    )
    assert body == {
        "image": "host",
        "command": ["cat", "/x"],
        "stdin_base64": "/w==",
        "files": {"/a": "text", "/b": {"base64": "/w=="}, "/c": {"text": "#!/bin/sh", "mode": "0755"}},
    }


def test_a_batch() -> None:
    tasks: list[dsec.BatchTask] = [
        {"id": "a", "command": ["true"]},
        {"shell": "true", "after": ["a"], "cpu": 1},
    ]
    fields = {
        "timeout": "5s",
        "retries": dsec.TaskRetries(on=["lost"], max=1),
        "micro_batch": dsec.MicroBatch(5, timedelta(seconds=2)),
    }
    assert bodies.batch("host", tasks, fields) == {
        "image": "host",
        "timeout": "5s",
        "defaults": {"retries": {"on": ["lost"], "max": 1}},
        "micro_batch": {"size": 5, "interval": 2.0},
        "tasks": [
            {"id": "a", "command": ["true"]},
            {"shell": "true", "after": ["a"], "resources": {"cpu": 1}},
        ],
    }


def test_an_exec() -> None:
    command = bodies.command(("a", "b"), None, False, {"stdin": "x", "timeout": 3})
    assert command == bodies.Command({"argv": ["a", "b"], "timeout": 3}, "x")
    assert command.with_stdin(b"x") == {"argv": ["a", "b"], "timeout": 3, "stdin": "x"}
    assert command.with_stdin(b"\xff") == {"argv": ["a", "b"], "timeout": 3, "stdin_base64": "/w=="}
    assert bodies.command((), "a | b", True, {}).body == {"shell": "a | b", "login": True}


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda f: bodies.sandbox("host", f), "memroy"),
        (lambda f: bodies.sandbox("host", f), "command"),
        (lambda f: bodies.task("host", f), "after"),
        (lambda f: bodies.batch("host", [f], {}), "wave_size"),
        (lambda f: bodies.command(("a",), None, False, f), "gpu"),
    ],
)
def test_unknown_fields_are_named_before_anything_is_sent(make: Any, name: str) -> None:
    with pytest.raises(TypeError, match=f"no field '{name}'"):
        make({name: 1})


@pytest.mark.parametrize(("argv", "shell"), [((), None), (("a",), "b")])
def test_either_a_program_or_shell_text(argv: tuple[str, ...], shell: str | None) -> None:
    with pytest.raises(TypeError, match="program"):
        bodies.command(argv, shell, False, {})


def test_paths_and_bodies_are_sent_as_they_are_meant() -> None:
    assert target("sandboxes", "a/../b?c") == "/v1/sandboxes/a%2F..%2Fb%3Fc"
    assert target("x", query=[("label", "a=b&c")]) == "/v1/x?label=a%3Db%26c"
    assert encode({"ü": 1}) == '{"ü":1}'.encode()
    with pytest.raises(ValueError, match="JSON"):
        encode(float("nan"))


def test_times() -> None:
    expected = datetime(2026, 11, 30, 1, 2, 3, 123456, tzinfo=timezone.utc)
    assert time("2026-11-30T01:02:03.123456789Z") == expected
    assert time("2026-11-30T01:02:03Z") == expected.replace(microsecond=0)
    assert time("2026-11-30T01:02:03.5Z") == expected.replace(microsecond=500000)


EXEC: dict[str, Any] = {
    "ending": {
        "kind": "exited",
        "code": 0,
        "signal": None,
        "reason": None,
        "is_fault": False,
        "limits_hit": [],
    },
    "id": "e-1",
    "stdout": "a\ufffd",
    "stderr": "ü",
    "stdout_base64": base64.b64encode(b"a\xff").decode(),
    "stderr_base64": None,
    "stdout_bytes": 2,
    "stderr_bytes": 2,
    "stdout_head_bytes": 2,
    "stderr_head_bytes": 1,
    "stdout_truncated": False,
    "stderr_truncated": True,
    "duration_seconds": 0.5,
    "seq": [1, 4],
    "of_a_newer_server": {},
}


def test_exact_bytes_and_text() -> None:
    r = read_exec_result(EXEC)
    assert (r.stdout_raw, r.stdout, r.stderr_raw, r.stderr) == (b"a\xff", "a\ufffd", "ü".encode(), "ü")
    assert (r.ok, r.code, r.truncated, r.is_fault, r.duration, r.seq) == (True, 0, True, False, 0.5, (1, 4))
    assert r.check() is r
    assert (r.stdout_parts, r.stderr_parts) == ((b"a\xff", b""), (b"\xc3", b"\xbc"))


@pytest.mark.parametrize("missing", ["ending", "id", "stdout_bytes"])
def test_a_result_without_its_parts_is_told(missing: str) -> None:
    with pytest.raises(dsec.ProtocolError, match="result of an exec"):
        read_exec_result({k: v for k, v in EXEC.items() if k != missing})


def test_an_unknown_ending_is_not_guessed() -> None:
    with pytest.raises(dsec.ProtocolError, match="vanished"):
        read_ending({"kind": "vanished", "is_fault": False})


@pytest.mark.parametrize(
    ("json", "text"),
    [
        ({"kind": "exited", "code": 2}, "exited with 2"),
        ({"kind": "signaled", "signal": 9}, "ended by SIGKILL"),
        ({"kind": "signaled", "signal": 99}, "ended by signal 99"),
        ({"kind": "timeout"}, "ran into its timeout"),
        ({"kind": "oom", "limits_hit": ["memory"]}, "ran out of memory [limits hit: memory]"),
        ({"kind": "killed", "reason": "ttl_expired"}, "was killed (ttl_expired)"),
        (
            {"kind": "not_started", "reason": "bad_cwd", "message": "no /x"},
            "was not started (bad_cwd): no /x",
        ),
    ],
)
def test_endings_in_words(json: dict[str, Any], text: str) -> None:
    assert str(read_ending({"is_fault": False, **json})) == text


def test_lines_of_an_exec() -> None:
    assert read_exec_event({"start": {"id": "e-1"}}) == dsec.ExecStart("e-1")
    assert read_exec_event({"stdout": "aGk=", "offset": 3}) == dsec.Stdout(b"hi", 3)
    assert read_exec_event({"stderr": "/w==", "offset": 0}) == dsec.Stderr(b"\xff", 0)
    assert read_exec_event({"heartbeat": {}}) == dsec.Heartbeat()
    assert read_exec_event({"of_a_newer_server": 1}) is None
    end = read_exec_event({"end": EXEC})
    assert isinstance(end, dsec.ExecEnd)
    assert end.ending.ok


@pytest.mark.parametrize(
    "line", [{"stdout": "!", "offset": 0}, {"stdout": "aGk="}, {"end": {}}, {"start": 1}]
)
def test_broken_lines_of_an_exec(line: dict[str, Any]) -> None:
    with pytest.raises(dsec.ProtocolError, match="line of an exec"):
        read_exec_event(line)


def test_events_of_batches_and_changes() -> None:
    task = read_batch_event("task", "4", {"id": "a", "index": 0, "attempt": 1, "ending": EXEC["ending"]})
    assert task == dsec.TaskEnded(4, "a", 0, 1, read_ending(EXEC["ending"]))
    assert read_batch_event("newer", None, {}) is None
    with pytest.raises(dsec.ProtocolError):
        read_batch_event("end", None, {})
    with pytest.raises(dsec.ProtocolError):
        read_change({"state": "melted", "reason": "", "message": "", "at": "2026-11-30T01:02:03Z"})
