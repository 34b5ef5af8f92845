# SPDX-License-Identifier: Apache-2.0
"""Terminals against a real server."""

import hashlib
import threading
from collections.abc import Iterator

import pytest

import dsec

from .server import Server
from .waiting import LONGEST, until


@pytest.fixture(scope="module")
def box(server: Server) -> Iterator[dsec.Sandbox]:
    with (
        dsec.Client(server.url, server.key) as client,
        client.sandbox("host", memory="256Mi", disk="64Mi", pids=64) as box,
    ):
        yield box


def shown(terminal: dsec.Terminal, expected: bytes) -> bytes:
    """What it shows up to there."""
    seen = b""
    while expected not in seen:
        piece = terminal.read(LONGEST)
        assert piece, f"{expected!r} was not shown, but {seen!r}"
        seen += piece
    return seen


def test_a_program_on_a_terminal(box: dsec.Sandbox) -> None:
    with box.terminal(
        "sh", "-c", "tty; stty size; pwd; read x; echo $GREETING-$x; exit 3",
        cols=100, rows=30, cwd="/tmp", env={"GREETING": "hi"},
    ) as terminal:  # fmt: skip
        assert b"/dev/pts/" in shown(terminal, b"30 100\r\n/tmp\r\n")
        terminal.write("you\n")
        assert b"".join(terminal).endswith(b"hi-you\r\n")
        assert terminal.ending is not None
        assert terminal.ending.code == 3
        assert terminal.read() == b""


def test_sizes_signals_and_keys(box: dsec.Sandbox) -> None:
    script = "trap 'stty size' WINCH; trap 'echo term; exit 4' TERM; echo ready; while :; do sleep 0.05; done"
    with box.terminal("sh", "-c", script) as terminal:
        shown(terminal, b"ready\r\n")
        assert terminal.id is not None
        terminal.resize(90, 20)
        shown(terminal, b"20 90\r\n")
        terminal.signal("TERM")
        shown(terminal, b"term\r\n")
        assert terminal.read() == b""
        assert terminal.ending is not None
        assert terminal.ending.code == 4
    with box.terminal("sh", "-c", "echo ready; sleep 60") as terminal:
        shown(terminal, b"ready\r\n")
        terminal.write("\x03")
        assert b"^C" in b"".join(terminal)
        assert terminal.ending is not None
        assert terminal.ending.signal == 2


def test_a_login_shell_by_default_and_nothing_came_in_time(box: dsec.Sandbox) -> None:
    with box.terminal(user="root") as terminal:
        terminal.write("stty -echo; PS1=; echo in-$((1 + 1))-$(id -u)\n")
        shown(terminal, b"in-2-0\r\n")
        while terminal.read(0.5) is not None:
            pass
        terminal.write("exit\n")
        for _ in terminal:
            pass
        assert terminal.ending is not None


def test_one_that_is_left_is_found_again(box: dsec.Sandbox) -> None:
    terminal = box.terminal("sh", "-c", "echo before; read a; echo got-$a; exit 6")
    shown(terminal, b"before\r\n")
    id = terminal.id
    assert id is not None
    terminal.detach()
    with box.terminal(id=id) as again:
        assert again.id is None or again.id == id
        shown(again, b"before\r\n")
        again.write("x\n")
        shown(again, b"got-x\r\n")
        assert again.read() == b""
        assert again.ending is not None
        assert again.ending.code == 6
    with pytest.raises(dsec.NotFound):
        box.terminal(id="e-999")
    with pytest.raises(dsec.ProgramNotFound):
        box.terminal("no-such-program")


def test_leaving_the_block_kills_it(box: dsec.Sandbox) -> None:
    with box.terminal("sh", "-c", "echo ready; exec sleep 61") as terminal:
        shown(terminal, b"ready\r\n")
    until(lambda: box.shell("pgrep -f 'sleep 6[1]'; true").stdout == "")


def test_megabytes_go_both_ways(box: dsec.Sandbox) -> None:
    data = hashlib.shake_256(b"x").digest(4 << 20)
    with box.terminal(
        "python3", "-c",
        "import os, tty, sys, hashlib\n"
        "tty.setraw(0); print('ready', flush=True); h = hashlib.sha256(); n = 4 << 20\n"
        "while n:\n b = os.read(0, 65536); n -= len(b); h.update(b); sys.stdout.buffer.write(b)\n"
        "print(h.hexdigest())",
    ) as terminal:  # fmt: skip
        shown(terminal, b"ready\n")
        typing = threading.Thread(target=terminal.write, args=(data,))
        typing.start()
        seen = b"".join(terminal)
        typing.join()
    assert seen[: len(data)] == data
    assert seen[len(data) :].strip() == hashlib.sha256(data).hexdigest().encode()


async def test_over_asyncio(aclient: dsec.AsyncClient, label: dict[str, str]) -> None:
    async with (
        aclient.sandbox("host", memory="128Mi", labels=label) as box,
        await box.terminal("sh", "-c", "read x; stty size; echo $x; exit 7") as terminal,
    ):
        await terminal.resize(70, 10)
        await terminal.write("hello\n")
        seen = b"".join([piece async for piece in terminal])
        assert b"10 70\r\nhello\r\n" in seen
        assert terminal.ending is not None
        assert terminal.ending.code == 7
