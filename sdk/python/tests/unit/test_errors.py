# SPDX-License-Identifier: Apache-2.0
import json
import pickle
import re
from pathlib import Path

import pytest

import dsec
from dsec._core.reply import decode, error_of, retry_after
from dsec.errors import BY_CODE


def error(status: int, body: object, **headers: str) -> dsec.ApiError:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return error_of(status, headers, raw, "POST /v1/sandboxes")


def test_an_error_has_all_that_the_server_said() -> None:
    e = error(
        400,
        {
            "error": {
                "code": "invalid_request",
                "message": "memory is negative",
                "hint": "write 512Mi",
                "field": "resources.memory",
                "request_id": "r-1",
            }
        },
    )
    assert type(e) is dsec.InvalidRequest
    assert (e.message, e.hint, e.field, e.request_id, e.status) == (
        "memory is negative",
        "write 512Mi",
        "resources.memory",
        "r-1",
        400,
    )
    assert str(e) == (
        "invalid_request: memory is negative (field resources.memory)\n  hint: write 512Mi\n  request: r-1"
    )


def test_every_code_of_the_server_has_its_class() -> None:
    source = Path(__file__).resolve().parents[4] / "model/src/main/java/io/dsec/model/ErrorCode.java"
    codes = {code.lower() for code in re.findall(r"^  ([A-Z_]+)\(\d+\)", source.read_text(), re.M)}
    assert len(codes) > 20
    assert codes <= BY_CODE.keys()


def test_a_code_of_a_newer_server_is_still_an_api_error() -> None:
    e = error(418, {"error": {"code": "teapot", "message": "short and stout"}})
    assert type(e) is dsec.ApiError
    assert str(e) == "teapot: short and stout"


@pytest.mark.parametrize("body", [b"<html>Bad gateway</html>", b"", b"[]", b'{"error": 1}', b"\xff"])
def test_what_a_proxy_says_is_an_api_error_too(body: bytes) -> None:
    e = error(502, body, **{"x-request-id": "r-2"})
    assert type(e) is dsec.ApiError
    assert e.detail.code == "http_502"
    assert e.request_id == "r-2"
    assert "proxy" in str(e)


def test_retry_after() -> None:
    assert error(429, {"error": {"code": "rate_limited"}}, **{"retry-after": "3"}).retry_after == 3
    assert retry_after("Wed, 21 Oct 2026 07:28:00 GMT") is None
    assert retry_after("-1") is None
    assert retry_after(None) is None


@pytest.mark.parametrize("body", [b"", b"nonsense", b"[1]", b"\xff\xfe"])
def test_a_reply_that_is_no_object(body: bytes) -> None:
    with pytest.raises(dsec.ProtocolError, match="GET /v1/x"):
        decode(body, "GET /v1/x")


def outcome(kind: dsec.EndingKind, fault: bool) -> dsec.ExecResult:
    ending = dsec.Ending(kind, code=3 if kind is dsec.EndingKind.EXITED else None, is_fault=fault)
    return dsec.ExecResult(ending, b"", b"one\ntwo\n", 0, 8, 0, 8, False, False, 0.1, (1, 2), id="e-1")


def test_errors_tell_whose_fault_they_are() -> None:
    gone = {"code": "gone", "message": "", "reason": "node_lost", "is_fault": True}
    lost = error(410, {"error": gone})
    assert (lost.is_fault, lost.reason) == (True, "node_lost")
    assert not error(410, {"error": {**gone, "is_fault": False}}).is_fault
    assert error(502, "nonsense").is_fault
    assert not error(400, "nonsense").is_fault
    assert dsec.NoServer().is_fault
    assert dsec.NotReady().is_fault
    assert dsec.SandboxFault(outcome(dsec.EndingKind.LOST, True)).is_fault
    assert not dsec.ProgramFailed(outcome(dsec.EndingKind.OOM, False)).is_fault


def test_check_tells_programs_from_the_platform() -> None:
    with pytest.raises(dsec.ProgramFailed, match=r"^exited with 3: two$") as failed:
        outcome(dsec.EndingKind.EXITED, False).check()
    assert failed.value.result.code == 3
    with pytest.raises(dsec.SandboxFault, match="lost by the platform"):
        outcome(dsec.EndingKind.LOST, True).check()


@pytest.mark.parametrize(
    "e",
    [
        error(404, {"error": {"code": "not_found", "message": "no", "hint": "h"}}),
        dsec.ConnectionLost("broke"),
        dsec.ProgramFailed(outcome(dsec.EndingKind.TIMEOUT, False)),
    ],
    ids=str,
)
def test_errors_cross_processes(e: dsec.DsecError) -> None:
    copy = pickle.loads(pickle.dumps(e))
    assert type(copy) is type(e)
    assert str(copy) == str(e)
