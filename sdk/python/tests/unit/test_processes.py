# SPDX-License-Identifier: Apache-2.0
"""Processes: fed and read by offsets, over as many connections as it takes."""

from typing import Any

import pytest

import dsec
from dsec._core import bodies
from dsec._flow import processes
from dsec._io.blocking import run
from dsec.processes import read_process

from .fakes import Canned, FakeIO, collect, ndjson, ok, refused

PROCESS: dict[str, Any] = {
    "id": "e-1",
    "argv": ["sh", "-c", "x"],
    "shell": False,
    "background": True,
    "state": "ended",
    "started_at": "2026-11-30T01:02:03Z",
    "ending": {"kind": "exited", "code": 3, "is_fault": False, "limits_hit": []},
    "duration_seconds": 0.5,
    "stdout_bytes": 7,
    "stderr_bytes": 3,
}
RUNNING = {**PROCESS, "ending": None, "duration_seconds": None}


def test_a_process_as_it_is_told() -> None:
    info = read_process(PROCESS)
    assert (info.argv, info.running, info.duration) == (("sh", "-c", "x"), False, 0.5)
    assert info.ending is not None
    assert info.ending.code == 3
    assert read_process(RUNNING).running
    with pytest.raises(dsec.ProtocolError, match="a process"):
        read_process({**PROCESS, "argv": None})


def test_a_start_reads_input_unless_told_otherwise() -> None:
    told = bodies.process(("a",), None, False, {"cwd": "/"})
    assert told == {"argv": ["a"], "cwd": "/", "stdin_open": True}
    told = bodies.process((), "a", True, {"stdin_open": False})
    assert told == {"shell": "a", "login": True, "stdin_open": False}


def test_a_start_that_may_have_happened_is_not_sent_again() -> None:
    io = FakeIO(dsec.ConnectionLost())
    with pytest.raises(dsec.ConnectionLost):
        run(processes.start(io.caller(), "sb-1", {}))


def test_waiting_goes_in_turns_and_ends_with_its_limit() -> None:
    io = FakeIO(ok(RUNNING), ok(PROCESS))
    assert not run(processes.wait(io.caller(), "sb-1", read_process(RUNNING), None)).running
    assert io.calls() == ["GET /v1/sandboxes/sb-1/processes/e-1?wait=20.000"] * 2
    io = FakeIO()
    assert run(processes.wait(io.caller(), "sb-1", read_process(RUNNING), 0)).running


def test_output_goes_on_where_it_broke() -> None:
    io = FakeIO(
        ndjson({"stderr": "YWI=", "offset": 3}, breaks=True),
        dsec.NoServer(),
        ndjson({"heartbeat": {}}, {"gap": {"from": 5, "to": 9}}, breaks=True),
        ndjson({"stderr": "Yw==", "offset": 9}),
    )
    assert collect(processes.output(io.caller(), "sb-1", "e-1", "stderr", 3, True)) == [
        dsec.Stderr(b"ab", 3),
        dsec.Gap("stderr", 5, 9),
        dsec.Stderr(b"c", 9),
    ]
    assert [call.partition("?")[2] for call in io.calls()] == [
        "stream=stderr&offset=3&follow=true",
        "stream=stderr&offset=5&follow=true",
        "stream=stderr&offset=5&follow=true",
        "stream=stderr&offset=9&follow=true",
    ]


def test_there_are_two_streams() -> None:
    with pytest.raises(ValueError, match="stdout and stderr"):
        processes.output(FakeIO().caller(), "sb-1", "e-1", "stdin", 0, False)


def test_input_that_broke_off_is_sent_again_from_where_it_began() -> None:
    io = FakeIO(dsec.ConnectionLost(), ok({"offset": 3}), ok({"offset": 5}), ok({"offset": 5}))
    at = run(processes.write(io.caller(), "sb-1", "e-1", 0, "abc"))
    at = run(processes.write(io.caller(), "sb-1", "e-1", at, b"de"))
    assert run(processes.close_stdin(io.caller(), "sb-1", "e-1", at)) == 5
    assert [(call.partition("stdin")[2], r.body) for call, r in zip(io.calls(), io.asked, strict=True)] == [
        ("?offset=0", b"abc"),
        ("?offset=0", b"abc"),
        ("?offset=3", b"de"),
        ("?offset=5&close=true", b""),
    ]
    assert io.asked[0].stall is None, "a process may read when it likes"


def test_whoever_finds_a_process_asks_where_its_input_stands() -> None:
    io = FakeIO(ok({"offset": 10}), ok({"offset": 11}))
    assert run(processes.write(io.caller(), "sb-1", "e-1", None, b"x")) == 11
    assert [call.partition("stdin")[2] for call in io.calls()] == ["", "?offset=10"]


def test_killing_again_is_fine_and_signalling_is_not() -> None:
    run(processes.kill(FakeIO(dsec.ConnectionLost(), refused("conflict", 409)).caller(), "sb-1", "e-1"))
    with pytest.raises(dsec.Conflict):
        run(processes.signal(FakeIO(refused("conflict", 409)).caller(), "sb-1", "e-1", 10, False))
    io = FakeIO(dsec.ConnectionLost())
    with pytest.raises(dsec.ConnectionLost):
        run(processes.signal(io.caller(), "sb-1", "e-1", "USR1", True))
    assert io.body(0) == {"signal": "USR1", "group": True}


@pytest.mark.parametrize("answer", [Canned(204), refused("gone", 410), refused("internal", 500)])
def test_the_end_of_a_block_deletes_and_hides_nothing(answer: Canned) -> None:
    io = FakeIO(answer)
    run(processes.leave(io.caller(), "sb-1", "e-1"))
    assert io.calls() == ["DELETE /v1/sandboxes/sb-1/processes/e-1"]
