# SPDX-License-Identifier: Apache-2.0
"""Shell sessions, and which terminal is asked for."""

from typing import Any

import pytest

import dsec
from dsec._flow import sessions, terminals
from dsec._io.blocking import run
from dsec.sessions import read_session

from .fakes import Canned, FakeIO, collect, ndjson, ok, refused
from .test_processes import PROCESS
from .test_values import EXEC

SESSION: dict[str, Any] = {
    "id": "s-1",
    "state": "busy",
    "process": "e-1",
    "shell": None,
    "started_at": "2026-11-30T01:02:03Z",
    "run": {"id": "e-2", "command": "sleep 9", "started_at": "2026-11-30T01:02:04Z"},
    "ending": None,
}
START = {"start": {"id": "e-2"}}


def test_a_session_as_it_is_told() -> None:
    info = read_session(SESSION)
    assert (info.state, info.command, info.command_id) == (dsec.SessionState.BUSY, "sleep 9", "e-2")
    assert read_session({**SESSION, "state": "idle", "run": None}).command is None
    io = FakeIO(ok({"sessions": [SESSION], "next_cursor": None}))
    assert [s.id for s in run(sessions.find(io.caller(), "sb-1"))] == ["s-1"]


def test_a_session_is_started_once() -> None:
    io = FakeIO(dsec.ConnectionLost())
    with pytest.raises(dsec.ConnectionLost):
        run(sessions.start(io.caller(), "sb-1", {"cwd": "/tmp"}))
    assert io.body(0) == {"cwd": "/tmp"}
    with pytest.raises(TypeError, match="no field 'timeout'"):
        run(sessions.start(io.caller(), "sb-1", {"timeout": 1}))


def test_a_command_runs_to_its_end() -> None:
    io = FakeIO(ndjson(START, {"end": EXEC}))
    assert run(sessions.run(io.caller(), "sb-1", "s-1", "cd /x", {"timeout": "5s"})).ok
    assert io.calls() == ["POST /v1/sandboxes/sb-1/sessions/s-1/run?output=end"]
    assert io.body(0) == {"command": "cd /x", "timeout": "5s"}


def test_a_command_whose_connection_broke_is_found_again() -> None:
    io = FakeIO(ndjson(START, breaks=True), ok({**PROCESS, "id": "e-2"}), ndjson(), ndjson())
    assert run(sessions.run(io.caller(), "sb-1", "s-1", "x", {})).code == 3
    assert io.calls()[1] == "GET /v1/sandboxes/sb-1/processes/e-2"


@pytest.mark.parametrize("answer", [Canned(204), refused("conflict", 409), refused("gone", 410)])
def test_interrupted_the_command_is_interrupted_and_the_session_stays(answer: Canned) -> None:
    io = FakeIO(ndjson(START, breaks=True), KeyboardInterrupt(), answer)
    with pytest.raises(KeyboardInterrupt):
        run(sessions.run(io.caller(), "sb-1", "s-1", "x", {}))
    assert io.calls()[-1] == "POST /v1/sandboxes/sb-1/sessions/s-1/interrupt"


def test_a_command_may_be_streamed() -> None:
    io = FakeIO(ndjson(START, {"stdout": "aGk=", "offset": 0}, {"end": EXEC}))
    events = collect(sessions.stream(io.caller(), "sb-1", "s-1", "x", {}))
    assert [type(e) for e in events] == [dsec.ExecStart, dsec.Stdout, dsec.ExecEnd]


def test_the_end_of_a_block_ends_it_and_hides_nothing() -> None:
    for answer in (Canned(204), refused("gone", 410), refused("internal", 500)):
        io = FakeIO(answer)
        run(sessions.leave(io.caller(), "sb-1", "s-1"))
        assert io.calls() == ["DELETE /v1/sandboxes/sb-1/sessions/s-1"]


def test_which_terminal() -> None:
    assert terminals.query(("a", "b"), 80, 24, None, "/tmp", {"A": "b"}, "root") == [
        ("cols", "80"),
        ("rows", "24"),
        ("argv", "a"),
        ("argv", "b"),
        ("env", "A=b"),
        ("cwd", "/tmp"),
        ("user", "root"),
    ]
    assert terminals.query((), 80, 24, "e-1", None, None, None)[2:] == [("id", "e-1")]
    with pytest.raises(TypeError, match="program already"):
        terminals.query(("a",), 80, 24, "e-1", None, None, None)
