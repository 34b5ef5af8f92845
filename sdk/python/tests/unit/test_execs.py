# SPDX-License-Identifier: Apache-2.0
"""Commands that are waited for: sent once, and found again by their ids."""

import io as files
from typing import Any

import pytest

import dsec
from dsec._core import bodies
from dsec._flow import execs
from dsec._io.blocking import run

from .fakes import Canned, FakeIO, collect, ndjson, ok, refused
from .test_processes import PROCESS
from .test_values import EXEC

TRUE = bodies.command(("true",), None, False, {})
START = {"start": {"id": "e-1"}}
END = {"end": EXEC}


def exec_(io: FakeIO, **fields: Any) -> dsec.ExecResult:
    return run(execs.run(io.caller(), "sb-1", bodies.command(("true",), None, False, fields)))


def test_one_that_may_have_started_is_never_sent_again() -> None:
    for failure in (dsec.ConnectionLost(), refused("timeout", 504), refused("no_capacity", 503)):
        io = FakeIO(failure)
        with pytest.raises(dsec.DsecError):
            exec_(io)
        assert len(io.asked) == 1


def test_one_that_the_server_put_off_is_sent_again() -> None:
    io = FakeIO(dsec.NoServer(), refused("no_capacity", 503, retry_after="1"), ndjson(START, END))
    assert exec_(io).ok
    assert len(io.asked) == 3


def test_it_is_waited_for_as_long_as_it_runs_while_the_server_lives() -> None:
    io = FakeIO(ndjson(START, {"heartbeat": {}}, END))
    assert exec_(io, timeout="5m").stdout_raw == b"a\xff"
    assert io.calls() == ["POST /v1/sandboxes/sb-1/exec?output=end"]
    assert io.body(0) == {"argv": ["true"], "timeout": "5m"}
    assert io.asked[0].silence == 45


@pytest.mark.parametrize("breaks", [True, False])
def test_one_whose_connection_broke_is_found_by_its_id(breaks: bool) -> None:
    io = FakeIO(
        ndjson(START, breaks=breaks),
        dsec.NoServer(),
        ok({**PROCESS, "ending": None}),
        ok(PROCESS),
        ndjson(
            {"stdout": "YWI=", "offset": 0}, {"gap": {"from": 2, "to": 5}}, {"stdout": "eHk=", "offset": 5}
        ),
        ndjson({"stderr": "ZXJy", "offset": 0}),
    )
    result = exec_(io)
    assert (result.code, result.id, result.stdout_raw, result.stderr) == (3, "e-1", b"abxy", "err")
    assert (result.stdout_size, result.stdout_truncated, result.stderr_truncated) == (7, True, False)
    assert result.stdout_parts == (b"ab", b"xy")
    assert io.calls()[1:] == [
        "GET /v1/sandboxes/sb-1/processes/e-1",
        "GET /v1/sandboxes/sb-1/processes/e-1",
        "GET /v1/sandboxes/sb-1/processes/e-1?wait=20.000",
        "GET /v1/sandboxes/sb-1/processes/e-1/output?stream=stdout&offset=0",
        "GET /v1/sandboxes/sb-1/processes/e-1/output?stream=stderr&offset=0",
    ]


def test_one_that_is_not_found_again_is_a_lost_connection() -> None:
    io = FakeIO(ndjson(START, breaks=True), refused("not_found", 404))
    with pytest.raises(dsec.ConnectionLost, match="not_found"):
        exec_(io)


@pytest.mark.parametrize("interruption", [KeyboardInterrupt(), GeneratorExit()])
def test_interrupted_it_is_killed(interruption: BaseException) -> None:
    io = FakeIO(ndjson(START, breaks=True), interruption, Canned(204))
    with pytest.raises(type(interruption)):
        exec_(io)
    assert io.calls()[-1] == "POST /v1/sandboxes/sb-1/processes/e-1/signal"
    assert io.body(-1) == {"signal": "KILL", "group": True}


def test_input_goes_along() -> None:
    io = FakeIO(ndjson(START, END), ndjson(START, END))
    exec_(io, stdin="text")
    exec_(io, stdin=b"\xff")
    assert io.body(0)["stdin"] == "text"
    assert io.body(1)["stdin_base64"] == "/w=="


@pytest.mark.parametrize("source", [files.BytesIO(b"ab" * 700_000), [b"ab" * 524_288, b"", b"ab" * 175_712]])
def test_long_input_follows_piece_by_piece(source: dsec.Input) -> None:
    io = FakeIO(
        ok({**PROCESS, "ending": None}, 201),
        dsec.ConnectionLost(),
        ok({"offset": 1 << 20}),
        ok({"offset": 1_400_000}),
        ok({"offset": 1_400_000}),
        ok(PROCESS),
        ndjson(),
        ndjson(),
    )
    assert exec_(io, stdin=source).code == 3
    assert io.body(0) == {"argv": ["true"], "stdin_open": True}
    assert [call.partition("stdin")[2] for call in io.calls()[1:5]] == [
        "?offset=0",
        "?offset=0",
        "?offset=1048576",
        "?offset=1400000&close=true",
    ]
    sent = [request.body for request in io.asked[2:4]]
    assert b"".join(piece for piece in sent if isinstance(piece, bytes)) == b"ab" * 700_000


def test_a_program_that_reads_no_more_has_its_own_end() -> None:
    io = FakeIO(
        ok({**PROCESS, "ending": None}, 201), refused("conflict", 409), ok(PROCESS), ndjson(), ndjson()
    )
    assert exec_(io, stdin=iter([b"x"])).code == 3


def test_text_of_a_file_is_refused_and_the_program_killed() -> None:
    io = FakeIO(ok({**PROCESS, "ending": None}, 201), Canned(204))
    with pytest.raises(TypeError, match="rb"):
        exec_(io, stdin=files.StringIO("text"))
    assert io.calls()[-1].endswith("/signal")


def streamed(io: FakeIO) -> list[dsec.ExecEvent]:
    return collect(execs.stream(io.caller(), "sb-1", TRUE))


def test_a_stream_ends_with_the_program() -> None:
    io = FakeIO(ndjson(START, {"stdout": "aGk=", "offset": 0}, {"newer": 1}, END))
    assert [type(e) for e in streamed(io)] == [dsec.ExecStart, dsec.Stdout, dsec.ExecEnd]
    assert io.given[0].closed


@pytest.mark.parametrize("breaks", [True, False])
def test_a_stream_that_breaks_off_goes_on_where_it_was(breaks: bool) -> None:
    io = FakeIO(
        ndjson(START, {"stdout": "aGk=", "offset": 0}, breaks=breaks),
        ok({**PROCESS, "ending": None}),
        ndjson({"gap": {"from": 2, "to": 4}}, {"stdout": "aGk=", "offset": 4}),
        ndjson(),
        ok(PROCESS),
        ndjson({"stdout": "IQ==", "offset": 6}),
        ndjson({"stderr": "ZXJy", "offset": 0}),
    )
    assert streamed(io)[1:] == [
        dsec.Stdout(b"hi", 0),
        dsec.Gap("stdout", 2, 4),
        dsec.Stdout(b"hi", 4),
        dsec.Stdout(b"!", 6),
        dsec.Stderr(b"err", 0),
        dsec.ExecEnd("e-1", dsec.Ending(dsec.EndingKind.EXITED, 3), 7, 3, 0.5, ()),
    ]
    assert [call.partition("?")[2] for call in io.calls()[1:]] == [
        "",
        "stream=stdout&offset=2",
        "stream=stderr&offset=0",
        "wait=0.500",
        "stream=stdout&offset=6",
        "stream=stderr&offset=0",
    ]
    assert all(answer.closed for answer in io.given)


def test_a_stream_that_breaks_before_its_start_is_told_and_not_begun_again() -> None:
    io = FakeIO(ndjson(breaks=True))
    with pytest.raises(dsec.ConnectionLost):
        streamed(io)
    assert len(io.asked) == 1
    assert io.given[0].closed


def test_a_stream_whose_process_is_not_found_is_a_lost_connection() -> None:
    io = FakeIO(ndjson(START, breaks=True), refused("gone", 410))
    with pytest.raises(dsec.ConnectionLost, match="gone"):
        streamed(io)


def test_a_stream_with_a_line_that_is_none() -> None:
    io = FakeIO(Canned(200, b"nonsense\n"))
    with pytest.raises(dsec.ProtocolError, match="nonsense"):
        streamed(io)
    assert io.given[0].closed
