# SPDX-License-Identifier: Apache-2.0
"""WebSockets and terminals without any I/O, against the server's side of the same library."""

import base64
import hashlib
import json
from typing import Any

import pytest
from wsproto.connection import Connection, ConnectionType
from wsproto.events import BytesMessage, CloseConnection, Ping, Pong, TextMessage

import dsec
from dsec._core.websocket import News, WebSocket
from dsec._flow.terminals import TerminalLine, connect
from dsec._io import Line
from dsec._io.blocking import run

from .fakes import Canned, FakeIO
from .test_values import EXEC


def accept(key: str) -> str:
    return base64.b64encode(
        hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
    ).decode()


def test_the_answer_must_be_one_to_the_key() -> None:
    socket = WebSocket()
    key = dict(socket.headers())["Sec-WebSocket-Key"]
    socket.check({"sec-websocket-accept": accept(key)})
    with pytest.raises(dsec.ProtocolError, match="proxy"):
        socket.check({"sec-websocket-accept": accept(dict(WebSocket().headers())["Sec-WebSocket-Key"])})


def heard(server: Connection, data: bytes) -> list[Any]:
    server.receive_data(data)
    return list(server.events())


def test_what_is_said() -> None:
    socket, server = WebSocket(), Connection(ConnectionType.SERVER)
    (bytes_,) = heard(server, socket.data(b"\xff" * 70_000))
    assert bytes(bytes_.data) == b"\xff" * 70_000
    (text,) = heard(server, socket.text("ü"))
    assert text == TextMessage(data="ü")
    (end,) = heard(server, socket.close())
    assert end.code == 1000
    assert socket.close() == b""


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_what_is_heard_in_any_pieces(size: int) -> None:
    socket, server = WebSocket(), Connection(ConnectionType.SERVER)
    said = b"".join(
        server.send(event)
        for event in (
            BytesMessage(data=b"out"),
            TextMessage(data='{"a":', message_finished=False),
            Ping(payload=b"there?"),
            TextMessage(data=" 1}"),
            CloseConnection(code=1000),
        )
    )
    whole = News()
    for at in range(0, len(said), size):
        news = socket.feed(said[at : at + size])
        whole.messages += news.messages
        whole.answer += news.answer
        whole.closed |= news.closed
    assert b"".join(m for m in whole.messages if isinstance(m, bytes)) == b"out"
    assert [m for m in whole.messages if isinstance(m, str)] == ['{"a": 1}']
    assert whole.closed
    pong, end = heard(server, whole.answer)
    assert pong == Pong(payload=b"there?")
    assert end.code == 1000


def test_what_is_no_websocket_and_what_is_too_long() -> None:
    assert WebSocket().feed(b"\x8f\x00").closed
    server = Connection(ConnectionType.SERVER)
    with pytest.raises(dsec.ProtocolError, match="characters"):
        WebSocket().feed(server.send(TextMessage(data="x" * (2 << 20))))


class FakeLine:
    """A connection on which the server says what is given, in order; None: nothing in time."""

    def __init__(self, *said: bytes | None) -> None:
        self.said = list(said)
        self.sent: list[bytes] = []
        self.closed = False

    async def read(self, limit: float | None = None) -> bytes | None:
        return self.said.pop(0)

    async def write(self, data: bytes) -> None:
        self.sent.append(data)

    async def close(self) -> None:
        self.closed = True


class Upgraded(Canned):
    def __init__(self, line: FakeLine) -> None:
        super().__init__(101)
        self._line = line

    def line(self) -> Line:
        return self._line


class Server(FakeIO):
    """Accepts whatever key it is given."""

    def __init__(self, line: FakeLine) -> None:
        super().__init__()
        self.answer = Upgraded(line)

    async def open(self, request: Any) -> Canned:
        self.asked.append(request)
        key = dict(request.headers)["Sec-WebSocket-Key"]
        self.answer.headers = {"sec-websocket-accept": accept(key)}
        return self.answer


def terminal(line: FakeLine) -> tuple[TerminalLine, Server]:
    io = Server(line)
    return run(connect(io.caller(), "sb-1", [("cols", "80")])), io


def test_a_terminal_is_read_typed_into_resized_and_left() -> None:
    server = Connection(ConnectionType.SERVER)
    line = FakeLine(
        server.send(TextMessage(data='{"start": {"id": "e-1"}}')) + server.send(BytesMessage(data=b"$ ")),
        None,
        server.send(Ping(payload=b"")) + server.send(BytesMessage(data=b"hi")),
        server.send(TextMessage(data=json.dumps({"end": {"ending": EXEC["ending"]}})))
        + server.send(CloseConnection(code=1000)),
    )
    term, io = terminal(line)
    assert io.calls() == ["GET /v1/sandboxes/sb-1/terminal?cols=80"]
    assert run(term.read(None)) == b"$ "
    assert term.id == "e-1"
    run(term.write(b"echo hi\n"))
    run(term.say({"resize": {"cols": 100, "rows": 30}}))
    assert run(term.read(0.1)) is None
    assert run(term.read(None)) == b"hi"
    assert run(term.read(None)) == b""
    assert run(term.read(None)) == b""
    assert term.ending is not None
    assert term.ending.ok
    run(term.close())
    assert line.closed
    assert io.answer.closed
    said = heard(server, b"".join(line.sent))
    assert bytes(said[0].data) == b"echo hi\n"
    assert json.loads(said[1].data) == {"resize": {"cols": 100, "rows": 30}}
    assert isinstance(said[2], Pong)


def test_what_comes_with_a_refusal_is_not_lost() -> None:
    server = Connection(ConnectionType.SERVER)
    refusal = {"error": {"code": "invalid_request", "message": "cols is 0", "field": "cols"}}
    line = FakeLine(
        server.send(TextMessage(data=json.dumps(refusal)))
        + server.send(Ping(payload=b"?"))
        + server.send(BytesMessage(data=b"out"))
        + server.send(TextMessage(data=json.dumps({"end": {"ending": EXEC["ending"]}})))
        + server.send(CloseConnection(code=1000)),
    )
    term, _ = terminal(line)
    with pytest.raises(dsec.InvalidRequest, match="cols is 0"):
        run(term.read(None))
    assert isinstance(heard(server, b"".join(line.sent))[0], Pong)
    assert run(term.read(None)) == b"out"
    assert run(term.read(None)) == b""
    assert term.ending is not None


def test_a_terminal_whose_connection_breaks_is_told() -> None:
    term, _ = terminal(FakeLine(b""))
    with pytest.raises(dsec.ConnectionLost):
        run(term.read(None))
    assert run(term.read(None)) == b""


def test_a_server_that_does_not_upgrade() -> None:
    io = FakeIO(Canned(200, b"hello"))
    with pytest.raises(dsec.ProtocolError, match="200"):
        run(connect(io.caller(), "sb-1", ()))
    assert io.given[0].closed
