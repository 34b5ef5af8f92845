# SPDX-License-Identifier: Apache-2.0
"""Servers inside sandboxes: their answers are answers, DSec's refusals are errors."""

import json
from typing import Any

import pytest

import dsec
from dsec._flow import ports
from dsec._io.blocking import run

from .fakes import Canned, FakeIO


def ask(io: FakeIO, method: str = "GET", path: str = "/", **more: Any) -> dsec.PortReply:
    body, headers = more.pop("body", None), more.pop("headers", None)
    limit, wait = more.pop("timeout", None), more.pop("wait", 0)
    return run(ports.request(io.caller(), "sb-1", 8000, method, path, body, headers, limit, wait))


def refusal(code: str, status: int, field: str | None = None) -> Canned:
    error = {"code": code, "message": "no", "field": field}
    canned = Canned(status, json.dumps({"error": error}).encode())
    canned.headers = {"dsec-error": code}
    return canned


def test_a_call_and_its_answer() -> None:
    io = FakeIO(Canned(200, b'{"a": ', b"1}"))
    reply = ask(io, "POST", "/x y?q=%20&r=ü", body="in", headers={"Content-Type": "text/plain", "X-A": "b"})
    assert (reply.ok, reply.json(), reply.text) == (True, {"a": 1}, '{"a": 1}')
    assert io.asked[0].target == "/v1/sandboxes/sb-1/ports/8000/x%20y?q=%20&r=%C3%BC"
    assert (io.asked[0].body, io.asked[0].content_type) == (b"in", "text/plain")
    assert io.asked[0].headers == (("x-a", "b"),)
    with pytest.raises(ValueError, match="slash"):
        ask(FakeIO(), path="x")


def test_a_refusal_of_the_server_inside_is_an_answer() -> None:
    io = FakeIO(Canned(404, b'{"error": {"code": "gone"}}'), Canned(503, b"", retry_after="1"))
    assert ask(io).status == 404
    assert ask(io).status == 503
    assert len(io.asked) == 2


def test_a_refusal_of_dsec_is_an_error() -> None:
    with pytest.raises(dsec.Gone):
        ask(FakeIO(refusal("gone", 410)))


def test_a_server_that_does_not_listen_yet_is_waited_for() -> None:
    def deaf() -> Canned:
        return refusal("conflict", 409, "port")

    assert ask(FakeIO(deaf(), deaf(), Canned(200)), wait=5).ok
    with pytest.raises(dsec.Conflict):
        ask(FakeIO(deaf()))
    with pytest.raises(dsec.Conflict):
        ask(FakeIO(refusal("conflict", 409, "other")), wait=5)


def test_only_what_changes_nothing_is_sent_again() -> None:
    assert ask(FakeIO(dsec.ConnectionLost(), Canned(200))).ok
    with pytest.raises(dsec.ConnectionLost):
        ask(FakeIO(dsec.ConnectionLost()), "POST")


def test_how_other_clients_reach_it() -> None:
    port = dsec.Port(FakeIO().caller(), "sb-1", 8000)
    assert port.url == "http://a.test/v1/sandboxes/sb-1/ports/8000"
    assert port.headers == {"Authorization": "Bearer k"}
    with pytest.raises(ValueError, match="no port"):
        dsec.Port(FakeIO().caller(), "sb-1", 0)
