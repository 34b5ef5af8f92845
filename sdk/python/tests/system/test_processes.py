# SPDX-License-Identifier: Apache-2.0
"""Processes of a real sandbox, also over connections that break."""

import asyncio
import io
import logging
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

import dsec

from .flaky import Flaky, flaky
from .server import Server
from .waiting import auntil, until

UNTIL_GO = "until [ -e /tmp/$GO ]; do sleep 0.02; done"


@pytest.fixture(scope="module")
def box(server: Server) -> Iterator[dsec.Sandbox]:
    with (
        dsec.Client(server.url, server.key) as client,
        client.sandbox("host", memory="256Mi", disk="64Mi", pids=64) as box,
    ):
        yield box


@pytest.fixture
def proxy(server: Server) -> Iterator[Flaky]:
    with flaky(server.url) as proxy:
        yield proxy


@pytest.fixture
def far(server: Server, proxy: Flaky, box: dsec.Sandbox) -> Iterator[dsec.Sandbox]:
    """The sandbox, seen through the proxy."""
    retries = dsec.Retries(attempts=20, first=0.01)
    with dsec.Client(proxy.url, server.key, retries=retries) as client:
        yield client.get_sandbox(box.id)


def data(pieces: Iterator[dsec.Output]) -> bytes:
    return b"".join(piece.data for piece in pieces if not isinstance(piece, dsec.Gap))


def test_a_process_is_written_to_read_and_waited_for(box: dsec.Sandbox) -> None:
    p = box.start("sh", "-c", "read a; echo got $a; echo err >&2; read b; exit $b")
    assert p.ending is None
    p.write("one\n")
    assert next(p.output()) == dsec.Stdout(b"got one\n", 0)
    assert p.wait(0.05) is None
    p.write(b"7\n")
    ending = p.wait()
    assert ending is not None
    assert ending.code == 7
    assert list(p.output("stderr")) == [dsec.Stderr(b"err\n", 0)]
    result = p.result()
    assert (result.code, result.stdout, result.stderr, result.truncated) == (7, "got one\n", "err\n", False)
    with pytest.raises(dsec.Conflict):
        p.write("late")
    p.close_stdin()
    p.kill()
    p.delete()
    p.delete()
    with pytest.raises(dsec.NotFound):
        p.refresh()


def test_it_is_found_again_and_fed_further(box: dsec.Sandbox, client: dsec.Client) -> None:
    p = box.start("cat", env={"A": "b"}, cwd="/tmp")
    p.write("one ")
    again = client.get_sandbox(box.id).process(p.id)
    assert again.info.argv == ("cat",)
    assert again.info.background
    again.write("two")
    again.close_stdin()
    assert again.result().stdout == "one two"
    assert p.id in [found.id for found in box.processes()]
    p.delete()


def test_an_exec_is_a_process_too(box: dsec.Sandbox) -> None:
    result = box.exec("echo", "kept")
    found = box.process(result.id)
    assert not found.info.background
    assert data(found.output(follow=False)) == b"kept\n"


def test_without_input_it_finds_the_end_of_it(box: dsec.Sandbox) -> None:
    with box.start("cat", stdin_open=False) as p:
        assert p.wait(30) is not None


def test_what_cannot_start_is_an_error(box: dsec.Sandbox) -> None:
    with pytest.raises(dsec.ProgramNotFound):
        box.start("no-such-program")
    with pytest.raises(dsec.BadCwd):
        box.start(shell="true", cwd="/nowhere")
    with pytest.raises(dsec.NotFound):
        box.process("e-99999")


def test_signals_go_to_it_or_its_group(box: dsec.Sandbox) -> None:
    with box.start(shell="trap 'echo usr' USR1; echo ready; while :; do sleep 0.02; done") as p:
        output = p.output()
        assert next(output) == dsec.Stdout(b"ready\n", 0)
        p.signal("USR1")
        assert next(output) == dsec.Stdout(b"usr\n", 6)
        p.signal(15, group=True)
        ending = p.wait(30)
        assert ending is not None
        assert (ending.kind, ending.signal) == (dsec.EndingKind.SIGNALED, 15)
        with pytest.raises(dsec.Conflict):
            p.signal("TERM")


def test_a_block_kills_all_of_it(box: dsec.Sandbox) -> None:
    with pytest.raises(ZeroDivisionError), box.start(shell="sleep 61 & sleep 62") as p:
        _ = 1 / 0
    with pytest.raises(dsec.NotFound):
        box.process(p.id)
    until(lambda: not box.shell("cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep -o 'sleep 6[12]'").stdout)


def test_a_late_reader_is_told_what_is_missing(box: dsec.Sandbox) -> None:
    with box.start(shell="seq 100000", max_output="1Ki") as p:
        assert p.wait(30) is not None
        pieces = list(p.output(follow=False))
        (gap,) = (piece for piece in pieces if isinstance(piece, dsec.Gap))
        at = pieces.index(gap)
        head, tail = data(iter(pieces[:at])), data(iter(pieces[at:]))
        assert (len(head), gap.start) == (512, 512)
        assert len(tail) >= 512
        assert tail.endswith(b"\n100000\n")
        result = p.result()
        assert result.truncated
        assert result.stdout_parts == (head, tail)
        assert result.stdout_size == gap.end + len(tail)


def test_input_of_any_length_and_kind(box: dsec.Sandbox) -> None:
    mebi = bytes(range(256)) * 4096
    count = "wc -c"
    assert box.shell(count, stdin=io.BytesIO(mebi * 12)).stdout == f"{12 << 20}\n"
    assert box.shell(count, stdin=(mebi for _ in range(3))).stdout == f"{3 << 20}\n"
    assert box.shell(count, stdin=mebi * 9).stdout == f"{9 << 20}\n"
    early = box.shell("head -c 10 | wc -c", stdin=(mebi for _ in range(3)))
    assert (early.code, early.stdout) == (0, "10\n")


def held(box: dsec.Sandbox, name: str) -> str:
    """A command that waits to be let go; its output begins before and ends after that."""
    box.shell(f"rm -f /tmp/{name}")
    return f"GO={name}; echo before; {UNTIL_GO}; echo after; echo err >&2; exit 3"


def runs(box: dsec.Sandbox, text: str) -> bool:
    return any(p.info.running and p.info.stdout_size for p in box.processes() if p.info.argv == (text,))


def test_an_exec_outlasts_its_connection(box: dsec.Sandbox, far: dsec.Sandbox, proxy: Flaky) -> None:
    text = held(box, "exec")
    results: list[dsec.ExecResult] = []
    waiting = threading.Thread(target=lambda: results.append(far.shell(text)))
    waiting.start()
    until(lambda: runs(box, text))
    proxy.cut_all()
    box.shell("touch /tmp/exec")
    waiting.join(60)
    assert [(r.code, r.stdout, r.stderr) for r in results] == [(3, "before\nafter\n", "err\n")]


def test_a_stream_outlasts_its_connection(box: dsec.Sandbox, far: dsec.Sandbox, proxy: Flaky) -> None:
    events: list[dsec.ExecEvent] = []
    for event in far.stream(shell=held(box, "stream")):
        events.append(event)
        if event == dsec.Stdout(b"before\n", 0):
            proxy.cut_all()
            box.shell("touch /tmp/stream")
    assert b"".join(e.data for e in events if isinstance(e, dsec.Stdout)) == b"before\nafter\n"
    assert b"".join(e.data for e in events if isinstance(e, dsec.Stderr)) == b"err\n"
    assert isinstance(events[-1], dsec.ExecEnd)
    assert events[-1].ending.code == 3


def test_reading_outlasts_any_number_of_broken_connections(
    box: dsec.Sandbox, far: dsec.Sandbox, proxy: Flaky
) -> None:
    expected = "".join(f"{n}\n" for n in range(1, 30001)).encode()
    with box.start("seq", "30000") as started:
        p = far.process(started.id)
        proxy.down, proxy.cuts = 20_000, 8
        assert data(p.output()) == expected
        assert proxy.done == 8


def test_input_outlasts_any_number_of_broken_connections(
    box: dsec.Sandbox, far: dsec.Sandbox, proxy: Flaky
) -> None:
    text = bytes(range(256)) * 4096 * 3
    with box.start("cat", max_output=len(text) * 2) as started:
        p = far.process(started.id)
        proxy.up, proxy.cuts = 300_000, 6
        p.write(text)
        p.close_stdin()
        assert p.result().stdout_raw == text
        assert proxy.done == 6


INTERRUPTED = """
import logging, sys, dsec
logging.basicConfig(stream=sys.stdout, level=logging.DEBUG, format="%(name)s %(message)s")
box = dsec.Client().get_sandbox(sys.argv[1])
try:
    box.exec("sleep", "71")
except KeyboardInterrupt:
    sys.exit(7)
"""


def sleeping(box: dsec.Sandbox, seconds: str) -> list[dsec.Process]:
    return [p for p in box.processes() if p.info.argv == ("sleep", seconds) and p.info.running]


def test_ctrl_c_kills_the_program_that_is_waited_for(server: Server, box: dsec.Sandbox) -> None:
    program = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, box.id], env=server.environment, stdout=subprocess.PIPE, text=True
    )
    assert program.stdout is not None
    with program.stdout:
        assert any("runs in" in line for line in program.stdout)
        assert sleeping(box, "71")
        os.kill(program.pid, signal.SIGINT)
        assert program.wait(60) == 7
    until(lambda: not sleeping(box, "71"))


async def test_cancelling_kills_the_program_that_is_waited_for(
    aclient: dsec.AsyncClient, box: dsec.Sandbox, caplog: pytest.LogCaptureFixture
) -> None:
    abox = await aclient.get_sandbox(box.id)
    with caplog.at_level(logging.DEBUG, "dsec"):
        waiting = asyncio.create_task(abox.exec("sleep", "72"))
        await auntil(lambda: "runs in" in caplog.text)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await auntil(lambda: not sleeping(box, "72"))


async def test_processes_over_asyncio(aclient: dsec.AsyncClient, box: dsec.Sandbox) -> None:
    abox = await aclient.get_sandbox(box.id)
    async with await abox.start("cat") as p:
        await p.write("hi")
        assert await anext(p.output()) == dsec.Stdout(b"hi", 0)
        await p.close_stdin()
        ending = await p.wait(30)
        assert ending is not None
        assert ending.ok
        assert (await p.result()).stdout == "hi"
    assert p.id not in [found.id for found in await abox.processes()]
    results = await asyncio.gather(*(abox.exec("cat", stdin=io.BytesIO(b"x" * n)) for n in range(8)))
    assert [len(r.stdout_raw) for r in results] == list(range(8))
