# SPDX-License-Identifier: Apache-2.0
import pytest

from dsec._core.lines import LineDecoder, ServerEvent, SseDecoder
from dsec.errors import ProtocolError

TEXT = "first\n\nü€😀\r\nlast without end".encode()
LINES = [b"first", b"", "ü€😀".encode()]


@pytest.mark.parametrize("size", range(1, len(TEXT) + 1))
def test_lines_are_the_same_however_they_are_cut(size: int) -> None:
    decoder = LineDecoder()
    pieces = [TEXT[at : at + size] for at in range(0, len(TEXT), size)]
    assert [line for piece in pieces for line in decoder.feed(piece)] == LINES
    assert decoder.rest() == b"last without end"


def test_nothing_is_left_after_a_whole_line() -> None:
    decoder = LineDecoder()
    assert list(decoder.feed(b"a\nb\nc\n")) == [b"a", b"b", b"c"]
    assert decoder.rest() == b""


def test_a_line_without_end_does_not_fill_the_memory() -> None:
    decoder = LineDecoder(longest=10)
    assert list(decoder.feed(b"0123456789")) == []
    with pytest.raises(ProtocolError, match="more than 10 bytes"):
        list(decoder.feed(b"x"))


SSE = b': hello\nevent: task\nid: 7\ndata: {"a":\ndata: 1}\n\ndata:x\n\nevent: none\n\nevent: cut\ndata: y\n'


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_server_sent_events(size: int) -> None:
    decoder, lines = SseDecoder(), LineDecoder()
    pieces = [SSE[at : at + size] for at in range(0, len(SSE), size)]
    fed = [decoder.feed(line) for piece in pieces for line in lines.feed(piece)]
    assert [event for event in fed if event] == [
        ServerEvent("task", b'{"a":\n1}', "7"),
        ServerEvent("message", b"x", None),
    ]
