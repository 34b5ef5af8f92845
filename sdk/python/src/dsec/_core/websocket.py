# SPDX-License-Identifier: Apache-2.0
"""A WebSocket without any I/O: what to send, and what came."""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

from wsproto.connection import Connection, ConnectionState, ConnectionType
from wsproto.events import BytesMessage, CloseConnection, Ping, TextMessage

from dsec.errors import ProtocolError

_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

LONGEST_TEXT = 1 << 20
"""Characters of the longest text message taken."""


@dataclass
class News:
    """What came: messages in order, what is to be sent in answer, and whether it was the last."""

    messages: list[bytes | str] = field(default_factory=list)
    answer: bytes = b""
    closed: bool = False


class WebSocket:
    """One connection, after a GET with `headers()` was answered with 101.

    Bytes come in any pieces, texts whole.
    """

    def __init__(self) -> None:
        self._key = base64.b64encode(secrets.token_bytes(16)).decode()
        self._connection = Connection(ConnectionType.CLIENT)
        self._text: list[str] = []
        self._text_length = 0

    def headers(self) -> tuple[tuple[str, str], ...]:
        """Of the request."""
        return (
            ("Connection", "Upgrade"),
            ("Upgrade", "websocket"),
            ("Sec-WebSocket-Version", "13"),
            ("Sec-WebSocket-Key", self._key),
        )

    def check(self, headers: Mapping[str, str]) -> None:
        """Refuses an answer that is none to the key."""
        expected = base64.b64encode(hashlib.sha1((self._key + _GUID).encode()).digest()).decode()
        if headers.get("sec-websocket-accept") != expected:
            raise ProtocolError("the server upgraded to what is no WebSocket; is there a proxy in between?")

    def data(self, data: bytes) -> bytes:
        """A binary message."""
        return self._connection.send(BytesMessage(data=data))

    def text(self, text: str) -> bytes:
        """A text message."""
        return self._connection.send(TextMessage(data=text))

    def close(self) -> bytes:
        """The end from this side; nothing when it has ended."""
        if self._connection.state is not ConnectionState.OPEN:
            return b""
        return self._connection.send(CloseConnection(code=1000))

    def feed(self, data: bytes) -> News:
        """What some bytes of the connection mean; none mean that it ended."""
        news = News()
        self._connection.receive_data(data or None)
        for event in self._connection.events():
            if isinstance(event, BytesMessage):
                news.messages.append(bytes(event.data))
            elif isinstance(event, TextMessage):
                self._piece(event, news)
            elif isinstance(event, Ping):
                news.answer += self._connection.send(event.response())
            elif isinstance(event, CloseConnection):  # also for what is no WebSocket
                news.closed = True
                if self._connection.state is ConnectionState.REMOTE_CLOSING:
                    news.answer += self._connection.send(event.response())
        return news

    def _piece(self, event: TextMessage, news: News) -> None:
        self._text.append(event.data)
        self._text_length += len(event.data)
        if self._text_length > LONGEST_TEXT:
            raise ProtocolError(f"the server sent a text of more than {LONGEST_TEXT} characters")
        if event.message_finished:
            news.messages.append("".join(self._text))
            self._text.clear()
            self._text_length = 0
