# SPDX-License-Identifier: Apache-2.0
"""The blocking client against a real server."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone

import pytest

import dsec

from .conftest import lives
from .server import Server
from .waiting import until


@pytest.fixture(scope="module")
def box(server: Server) -> Iterator[dsec.Sandbox]:
    """A sandbox for tests that change nothing in it."""
    with (
        dsec.Client(server.url, server.key) as client,
        client.sandbox("host", memory="128Mi", disk="16Mi", pids=64, env={"WHO": "me"}) as box,
    ):
        yield box


def test_a_block_has_a_sandbox_for_its_length(client: dsec.Client, label: dict[str, str]) -> None:
    with client.sandbox("host", memory="64Mi", cpu=0.5, labels=label, ttl="10m") as box:
        assert box.state is dsec.SandboxState.RUNNING
        assert box.info.resources.memory == 64 << 20
        assert box.info.resources.cpu == 0.5
        assert box.info.image == "host"
        assert box.labels == label
        assert box.info.expires_at is not None
        assert timedelta(minutes=9) < box.info.expires_at - datetime.now(timezone.utc) < timedelta(minutes=10)
        assert box.exec("true").ok
    assert box.refresh().state is dsec.SandboxState.GONE
    with pytest.raises(dsec.Gone) as gone:
        box.exec("true")
    assert (gone.value.reason, gone.value.is_fault) == ("requested", False)
    assert box.delete(), "deleting again is fine"


def test_a_block_that_raises_leaves_no_sandbox(client: dsec.Client, label: dict[str, str]) -> None:
    with pytest.raises(ZeroDivisionError), client.sandbox("host", labels=label, memory="64Mi") as box:
        _ = 1 / 0
    assert box.refresh().state.ended


def test_programs_have_output_codes_and_signals(box: dsec.Sandbox) -> None:
    r = box.exec("sh", "-c", "echo out; echo err >&2; exit 3")
    assert (r.stdout, r.stderr, r.code, r.ok, r.is_fault) == ("out\n", "err\n", 3, False, False)
    assert r.stdout_raw == b"out\n"
    with pytest.raises(dsec.ProgramFailed, match="exited with 3: err"):
        r.check()
    killed = box.shell("kill -9 $$")
    assert (killed.ending.kind, killed.ending.signal) == (dsec.EndingKind.SIGNALED, 9)


def test_bytes_stay_bytes(box: dsec.Sandbox) -> None:
    everything = bytes(range(256)) * 300
    assert box.exec("cat", stdin=everything).stdout_raw == everything
    assert box.exec("cat", stdin="ü€😀").stdout == "ü€😀"
    assert box.shell("printf 'a\\377b'").stdout == "a\ufffdb"


def test_where_and_as_whom(box: dsec.Sandbox) -> None:
    r = box.shell("pwd; id -u; echo $WHO $MORE", cwd="/tmp", user="root", env={"MORE": "too"})
    assert r.check().stdout == "/tmp\n0\nme too\n"


def test_timeouts_and_memory_are_endings_not_errors(box: dsec.Sandbox) -> None:
    late = box.exec("sleep", "60", timeout=0.3)
    assert late.ending.kind is dsec.EndingKind.TIMEOUT
    assert not late.is_fault
    big = box.shell("x=$(head -c 1000000000 /dev/zero | tr '\\0' x)", timeout=120)
    assert big.ending.kind is dsec.EndingKind.OOM
    assert "memory" in big.ending.limits_hit


def test_long_output_is_cut_and_told(box: dsec.Sandbox) -> None:
    r = box.shell("head -c 100000 /dev/zero; echo end", max_output="10Ki")
    assert r.truncated
    assert r.stdout_size == 100004
    assert len(r.stdout_raw) == 10240
    assert r.stdout.endswith("end\n")


@pytest.mark.parametrize(
    ("argv", "fields", "kind"),
    [
        (["no-such-program"], {}, dsec.ProgramNotFound),
        (["/etc/passwd"], {}, dsec.NotExecutable),
        (["true"], {"cwd": "/nowhere"}, dsec.BadCwd),
        (["true"], {"user": "nobody-knows"}, dsec.BadUser),
        (["true"], {"timeout": "soon"}, dsec.InvalidRequest),
        (["a\0b"], {}, dsec.InvalidRequest),
    ],
)
def test_what_cannot_start_is_an_error(
    box: dsec.Sandbox, argv: list[str], fields: dict[str, str], kind: type[Exception]
) -> None:
    with pytest.raises(kind) as caught:
        box.exec(*argv, **fields)  # type: ignore[arg-type]
    if isinstance(caught.value, dsec.ApiError):
        assert caught.value.request_id
        assert caught.value.request_id in str(caught.value)


def test_a_stream_tells_what_comes_when_it_comes(box: dsec.Sandbox) -> None:
    events: list[dsec.ExecEvent] = []
    text = "echo one; until [ -e /tmp/go ]; do sleep 0.02; done; echo two >&2; exit 4"
    for event in box.stream(shell=text, timeout=120):
        if not isinstance(event, dsec.Heartbeat):
            events.append(event)
        if isinstance(event, dsec.Stdout):
            box.exec("touch", "/tmp/go")
    assert events[1:3] == [dsec.Stdout(b"one\n", 0), dsec.Stderr(b"two\n", 0)]
    assert isinstance(events[0], dsec.ExecStart)
    assert isinstance(events[3], dsec.ExecEnd)
    assert events[3].ending.code == 4


def test_a_large_stream_comes_whole(box: dsec.Sandbox) -> None:
    size = 5_000_000
    got = bytearray()
    for event in box.stream("head", "-c", str(size), "/dev/zero"):
        if isinstance(event, dsec.Stdout):
            assert event.offset == len(got)
            got += event.data
    assert len(got) == size


def test_a_stream_may_be_left(box: dsec.Sandbox, client: dsec.Client) -> None:
    with box.stream(shell="echo one; sleep 30") as stream:
        assert isinstance(next(stream), dsec.ExecStart)
        assert next(stream) == dsec.Stdout(b"one\n", 0)
    assert list(stream) == []
    for event in box.stream(shell="echo one; sleep 30"):
        if isinstance(event, dsec.Stdout):
            break
    assert box.exec("true").ok


def test_a_stream_of_what_cannot_start_is_an_error(box: dsec.Sandbox) -> None:
    with pytest.raises(dsec.ProgramNotFound):
        next(box.stream("no-such-program"))


def test_threads_share_a_client(box: dsec.Sandbox) -> None:
    found: list[str] = []

    def work(n: int) -> None:
        for i in range(5):
            found.append(box.exec("echo", f"{n}-{i}").stdout.strip())

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == sorted(f"{n}-{i}" for n in range(8) for i in range(5))


def test_many_are_found_by_label_and_deleted(client: dsec.Client, label: dict[str, str]) -> None:
    made = [client.sandbox("host", memory="64Mi", disk="16Mi", labels=label) for _ in range(5)]
    found = [box.id for box in client.sandboxes(labels=label, state="running", page_size=2)]
    assert found == [box.id for box in reversed(made)]
    assert client.get_sandbox(made[0].id).labels == label
    assert client.delete_sandboxes(labels=label) == 5
    assert list(client.sandboxes(labels=label, state=dsec.SandboxState.RUNNING)) == []


def test_a_sandbox_can_be_renewed_and_deleted_with_grace(client: dsec.Client, label: dict[str, str]) -> None:
    with client.sandbox("host", ttl=60, labels=label, memory="64Mi") as box:
        before = box.info.expires_at
        after = box.renew("1h").info.expires_at
        assert before is not None
        assert after is not None
        assert after - before > timedelta(minutes=50)
        box.delete(grace=1)
        until(lambda: box.refresh().state.ended)
        with pytest.raises(dsec.Gone):
            box.renew("1h")


def test_a_create_may_be_waited_for_later(client: dsec.Client, label: dict[str, str]) -> None:
    with client.sandbox("host", wait=False, labels=label, memory="64Mi") as box:
        assert box.wait(60).state is dsec.SandboxState.RUNNING
        assert [c.state for c in box.changes()][-1] is dsec.SandboxState.RUNNING


def test_a_create_that_does_not_come_in_time_leaves_nothing(
    client: dsec.Client, label: dict[str, str]
) -> None:
    def whole_core() -> dsec.Sandbox:
        return client.sandbox(
            "host", guaranteed=dsec.Guarantee(cpu=1), labels=label, memory="64Mi", wait_timeout=3
        )

    boxes: list[dsec.Sandbox] = []

    def until_full() -> None:
        while True:
            boxes.append(whole_core())

    with pytest.raises(dsec.NotReady):
        until_full()
    assert {box.id for box in client.sandboxes(labels=label) if lives(box)} == {b.id for b in boxes}
    client.delete_sandboxes(labels=label)


def test_what_can_never_be_is_told_with_its_field(client: dsec.Client) -> None:
    with pytest.raises(dsec.QuotaExceeded):
        client.sandbox("host", memory="1000Ti")
    with pytest.raises(dsec.InvalidRequest) as e:
        client.sandbox("host", memory="lots")
    assert e.value.field == "resources.memory"
    with pytest.raises(dsec.ImageNotFound):
        client.sandbox("no-such-image")
    with pytest.raises(dsec.TierUnavailable):
        client.sandbox("host", isolation=dsec.Isolation.MICROVM)
    with pytest.raises(dsec.NotFound):
        client.get_sandbox("sb-nope")
    with pytest.raises(ValueError, match="labels or state"):
        client.delete_sandboxes()


def test_a_task_id_names_the_same_sandbox(client: dsec.Client, label: dict[str, str]) -> None:
    name = "t-" + label["test"]
    with client.sandbox("host", task_id=name, labels=label, memory="64Mi") as box:
        again = client.sandbox("host", task_id=name, labels=label, memory="64Mi")
        assert again.id == box.id


def test_a_wrong_key_and_a_wrong_address(server: Server) -> None:
    with dsec.Client(server.url, "wrong") as client, pytest.raises(dsec.Unauthorized):
        client.get_sandbox("sb-nope")
    none = dsec.Client("http://127.0.0.1:9", "k", retries=dsec.Retries(attempts=2, first=0.01))
    with none as client, pytest.raises(dsec.NoServer, match="dsec up"):
        client.get_sandbox("sb-nope")


def test_the_trajectory_tells_it_again(client: dsec.Client, label: dict[str, str]) -> None:
    with client.sandbox("host", labels=label, memory="64Mi", secrets={"TOKEN": "hunter2hunter2"}) as box:
        box.shell("echo $TOKEN").check()
        events = list(box.trajectory())
        assert [e.seq for e in events] == list(range(1, len(events) + 1))
        assert [e.data["data"] for e in events if e.kind == "exec.stdout"] == ["***\n"]
        assert [e.seq for e in box.trajectory(start=3)] == [e.seq for e in events[2:]]

        followed: list[str] = []
        follower = threading.Thread(
            target=lambda: followed.extend(e.kind for e in box.trajectory(follow=True))
        )
        follower.start()
        box.exec("true")
    follower.join(60)
    assert followed.count("exec.end") == 2
    assert followed[-1] == "sandbox.gone"


def test_a_task_runs_to_its_end(client: dsec.Client, label: dict[str, str]) -> None:
    r = client.run_task(
        "host",
        command=["/workspace/run", "x"],
        files={
            "/workspace/run": dsec.File("#!/bin/sh\ncat - /workspace/data; exit 5\n", 0o755),
            "/workspace/data": b"\xff",
        },
        stdin="in ",
        labels=label,
        memory="64Mi",
    )
    assert (r.code, r.stdout_raw, r.is_fault) == (5, b"in \xff", False)
    assert r.sandbox is not None
    missing = client.run_task("host", command=["no-such-program"], labels=label, memory="64Mi")
    assert (missing.ending.kind, missing.ending.reason) == (dsec.EndingKind.NOT_STARTED, "program_not_found")


def test_a_task_may_be_cancelled(client: dsec.Client, label: dict[str, str]) -> None:
    task = client.start_task("host", shell="sleep 60", labels=label, memory="64Mi")
    assert task.wait(0.2) is None
    task.heartbeat()
    task.cancel(grace=0)
    result = task.wait(60)
    assert result is not None
    assert (result.ending.kind, result.ending.reason) == (dsec.EndingKind.KILLED, "cancelled")
    assert not result.is_fault
    assert client.get_task(task.id).info.result == result
    (entry,) = [t for t in client.tasks(state="ended") if t.id == task.id]
    assert entry.ending == result.ending
    assert entry.sandbox == result.sandbox


def tasks(n: int) -> list[dsec.BatchTask]:
    return [{"id": f"t{i}", "shell": f"echo {i}; exit {i % 3}"} for i in range(n)]


def test_a_batch_gives_every_task_its_result(client: dsec.Client, label: dict[str, str]) -> None:
    told: list[dsec.BatchInfo] = []
    found = client.run_batch(
        [*tasks(12), {"id": "never", "command": ["true"], "after": ["t1"]}],
        image="host",
        memory="64Mi",
        disk="16Mi",
        guaranteed=dsec.Guarantee(cpu=0.1),
        labels=label,
        pacing=dsec.Pacing.ADAPTIVE,
        retries=dsec.TaskRetries(),
        on_progress=told.append,
    )
    assert [r.id for r in found] == [*(f"t{i}" for i in range(12)), "never"]
    assert [r.stdout for r in found][:12] == [f"{i}\n" for i in range(12)]
    assert [r.code for r in found][:12] == [i % 3 for i in range(12)]
    assert found["never"].ending.reason == "dependency_failed"
    assert found.faults == []
    assert len(found.scored) == 13
    assert [i.ended for i in told] == sorted(i.ended for i in told)
    assert told[-1].is_over
    assert told[-1].succeeded == 4


def test_a_batch_can_be_watched(client: dsec.Client, label: dict[str, str]) -> None:
    batch = client.start_batch(tasks(6), image="host", memory="64Mi", labels=label, pacing="adaptive")
    events = list(batch.events())
    assert isinstance(events[-1], dsec.BatchEnd)
    ended = [e for e in events if isinstance(e, dsec.TaskEnded)]
    assert [e.n for e in ended] == [1, 2, 3, 4, 5, 6]
    assert [e.n for e in batch.events(after=4) if isinstance(e, dsec.TaskEnded)] == [5, 6]
    assert [r.n for r in batch.results(follow=True)] == [1, 2, 3, 4, 5, 6]
    assert client.get_batch(batch.id).info.is_over
    assert batch.id in [b.id for b in client.batches(page_size=2)]
    entries = list(batch.tasks(page_size=4))
    assert [(t.index, t.id, t.state) for t in entries] == [(i, f"t{i}", "ended") for i in range(6)]
    assert [t.ending.code for t in entries if t.ending] == [0, 1, 2, 0, 1, 2]
    assert list(batch.tasks(state="pending")) == []


def test_an_interrupted_batch_ends_its_tasks(client: dsec.Client, label: dict[str, str]) -> None:
    started: list[str] = []

    def interrupt(info: dsec.BatchInfo) -> None:
        started.append(info.id)
        raise KeyboardInterrupt

    sleepers: list[dsec.BatchTask] = [{"shell": "sleep 60"} for _ in range(4)]
    with pytest.raises(KeyboardInterrupt):
        client.run_batch(
            sleepers, image="host", memory="64Mi", labels=label, on_progress=interrupt, cancel_grace=0
        )
    batch = client.get_batch(started[0])
    assert batch.info.state in ("cancelling", "cancelled")
    assert {r.ending.reason for r in batch.wait()} == {"cancelled"}


def test_a_batch_with_a_wrong_task_names_it(client: dsec.Client) -> None:
    with pytest.raises(dsec.InvalidRequest) as e:
        client.run_batch([{"command": ["true"]}, {"cwd": "/"}], image="host")
    assert e.value.field is not None
    assert e.value.field.startswith("tasks[1]")


INTERRUPTED = """
import sys, dsec
client = dsec.Client()
try:
    print("ready", flush=True)
    while True:
        with client.sandbox("host", memory="64Mi", disk="16Mi", labels={"test": sys.argv[1]}) as box:
            box.exec("sleep", "0.02")
except KeyboardInterrupt:
    sys.exit(7)
"""


@pytest.mark.parametrize("delay", [0.0, 0.011, 0.037, 0.08, 0.15, 0.21, 0.33, 0.4])
def test_ctrl_c_at_any_moment_leaves_no_sandbox(server: Server, label: dict[str, str], delay: float) -> None:
    program = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, label["test"]], env=server.environment, stdout=subprocess.PIPE
    )
    assert program.stdout is not None
    with program.stdout:
        assert program.stdout.readline() == b"ready\n"
        time.sleep(delay)
        os.kill(program.pid, signal.SIGINT)
        assert program.wait(60) == 7
