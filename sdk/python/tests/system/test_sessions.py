# SPDX-License-Identifier: Apache-2.0
"""Shell sessions against a real server."""

import os
import signal
import threading
from collections.abc import Iterator

import pytest

import dsec

from .server import Server
from .waiting import until


@pytest.fixture(scope="module")
def box(server: Server) -> Iterator[dsec.Sandbox]:
    with (
        dsec.Client(server.url, server.key) as client,
        client.sandbox("host", memory="256Mi", disk="16Mi", pids=64) as box,
    ):
        yield box


def test_state_stays_between_commands(box: dsec.Sandbox) -> None:
    with box.session(cwd="/tmp", env={"WHO": "me"}) as session:
        assert session.run("x=1; cd /usr; f() { echo f-$x-$WHO; }; umask 027").ok
        r = session.run("f; pwd; umask; echo err >&2; (exit 3)")
        assert (r.stdout, r.stderr, r.code) == ("f-1-me\n/usr\n0027\n", "err\n", 3)
        assert session.refresh().info.state is dsec.SessionState.IDLE
        assert [s.id for s in box.sessions()] == [session.id]
        assert session.run("printf 'a\\377'").stdout_raw == b"a\xff"
    assert box.sessions() == []


def test_a_command_is_read_as_a_file(box: dsec.Sandbox) -> None:
    with box.session() as session:
        assert session.run("echo 'it is").code == 2
        assert session.run("cat <<X\n$((1 + 1))\nX").stdout == "2\n"
        assert session.run("read line; echo got:$line; tty").stdout == "got:\nnot a tty\n"


def test_output_of_a_run_comes_as_it_is_made(box: dsec.Sandbox) -> None:
    with box.session(shell="sh") as session:
        events = list(session.stream("echo one; echo two >&2; (exit 4)"))
        assert b"".join(e.data for e in events if isinstance(e, dsec.Stdout)) == b"one\n"
        assert b"".join(e.data for e in events if isinstance(e, dsec.Stderr)) == b"two\n"
        assert isinstance(events[-1], dsec.ExecEnd)
        assert events[-1].ending.code == 4


def test_one_command_at_a_time_and_an_interrupt(box: dsec.Sandbox) -> None:
    with box.session() as session:
        ended: list[dsec.ExecResult] = []
        thread = threading.Thread(target=lambda: ended.append(session.run("y=2; sleep 60")))
        thread.start()
        until(lambda: session.refresh().info.command == "y=2; sleep 60")
        assert session.info.state is dsec.SessionState.BUSY
        assert session.info.command_id is not None
        with pytest.raises(dsec.Conflict):
            session.run("true")
        session.interrupt()
        thread.join(20)
        assert ended[0].code == 130
        with pytest.raises(dsec.Conflict):
            session.interrupt()
        assert session.run("echo $y").stdout == "2\n"


def test_an_interrupted_caller_interrupts_its_command(box: dsec.Sandbox) -> None:
    with box.session() as session:
        session.run("z=3").check()

        def interrupt() -> None:
            until(lambda: session.refresh().info.state is dsec.SessionState.BUSY)
            os.kill(os.getpid(), signal.SIGINT)

        thread = threading.Thread(target=interrupt)
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            session.run("sleep 60")
        thread.join()
        until(lambda: session.refresh().info.state is dsec.SessionState.IDLE)
        assert session.run("echo $z").stdout == "3\n"


def test_a_timeout_ends_the_command_and_an_exit_the_session(box: dsec.Sandbox) -> None:
    with box.session() as session:
        late = session.run("kept=yes; sleep 60", timeout="300ms")
        assert late.ending.kind is dsec.EndingKind.TIMEOUT
        assert session.run("echo $kept").stdout == "yes\n"
        assert session.run("exit 5").code == 5
        with pytest.raises(dsec.Gone):
            session.run("true")
        info = session.refresh().info
        assert info.state is dsec.SessionState.ENDED
        assert info.ending is not None
        assert info.ending.code == 5
        session.delete()
        session.delete()


async def test_over_asyncio(aclient: dsec.AsyncClient, label: dict[str, str]) -> None:
    async with aclient.sandbox("host", memory="128Mi", labels=label) as box:
        async with await box.session() as session:
            assert (await session.run("a=1")).ok
            assert (await session.run("echo $a")).stdout == "1\n"
            assert [type(e).__name__ async for e in session.stream("echo x")][-1] == "ExecEnd"
        assert await box.sessions() == []
