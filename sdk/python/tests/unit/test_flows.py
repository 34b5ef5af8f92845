# SPDX-License-Identifier: Apache-2.0
"""What is sent, sent again and undone."""

import json
from typing import Any

import pytest

import dsec
from dsec._flow import batches, history, sandboxes, tasks
from dsec._io.blocking import run

from .fakes import Canned, FakeIO, collect, ndjson, ok, refused
from .test_values import EXEC


def box(state: str = "running", **more: Any) -> dict[str, Any]:
    return {
        "id": "sb-1",
        "state": state,
        "reason": "requested",
        "message": None,
        "tenant": "default",
        "node": "n",
        "tier": "container",
        "image": "host",
        "labels": {},
        "attempt": 1,
        "created_at": "2026-11-30T01:02:03Z",
        "resources": {"cpu": 1.0},
        "guaranteed": {"cpu": 0.1},
        **more,
    }


def batch(ended: int, over: bool) -> dict[str, Any]:
    return {
        "id": "b-1",
        "name": "batch",
        "state": "finished" if over else "running",
        "tenant": "default",
        "created_at": "2026-11-30T01:02:03Z",
        "ended_at": "2026-11-30T01:02:04Z" if over else None,
        "total": 2,
        "states": {},
        "endings": {"exited": ended},
        "succeeded": ended,
        "faults": 0,
        "retried": 0,
        "rate": 1.0,
    }


def task_result(n: int) -> dict[str, Any]:
    return {**EXEC, "id": f"t{n}", "n": n, "index": 2 - n, "attempt": 1, "sandbox": "sb-1", "node": "n"}


def event(name: str, data: object, id: int | None = None) -> bytes:
    head = f"id: {id}\n" if id else ""
    return f"{head}event: {name}\ndata: {json.dumps(data)}\n\n".encode()


def create(io: FakeIO, **fields: Any) -> dsec.SandboxInfo:
    wait = fields.pop("wait", True)
    return run(sandboxes.create(io.caller(), "host", fields, wait, fields.pop("wait_timeout", None)))


def key(io: FakeIO, call: int) -> str:
    return dict(io.asked[call].headers)["Idempotency-Key"]


def test_a_create_is_sent_again_under_the_same_key() -> None:
    io = FakeIO(dsec.ConnectionLost(), refused("rate_limited", 429, retry_after="2"), ok(box(), 201))
    assert create(io).id == "sb-1"
    assert io.asked[0] == io.asked[1] == io.asked[2]
    assert len(key(io, 0)) == 32
    assert io.slept == [0.2, 2]


def test_two_creates_have_two_keys() -> None:
    io = FakeIO(ok(box()), ok(box()))
    create(io)
    create(io)
    assert key(io, 0) != key(io, 1)


def test_a_task_id_is_the_identity() -> None:
    io = FakeIO(ok(box()))
    create(io, task_id="t-1")
    assert io.asked[0].headers == ()


@pytest.mark.parametrize("interruption", [KeyboardInterrupt(), GeneratorExit(), SystemExit()])
def test_an_interrupted_create_leaves_nothing(interruption: BaseException) -> None:
    io = FakeIO(interruption, ok(box("placing"), 202), Canned(204))
    with pytest.raises(type(interruption)):
        create(io)
    assert io.calls() == ["POST /v1/sandboxes", "POST /v1/sandboxes", "DELETE /v1/sandboxes/sb-1"]
    assert key(io, 0) == key(io, 1)
    assert io.body(1)["wait"] is False


def test_an_interrupted_create_with_a_task_id_is_left_to_those_who_share_it() -> None:
    io = FakeIO(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        create(io, task_id="t-1")
    assert len(io.asked) == 1


def test_a_refused_create_is_not_undone() -> None:
    io = FakeIO(refused("image_not_found", 422))
    with pytest.raises(dsec.ImageNotFound):
        create(io)
    assert len(io.asked) == 1


def test_a_sandbox_that_does_not_come_in_time_is_removed() -> None:
    io = FakeIO(ok(box("queued", message="no room"), 202), Canned(204))
    with pytest.raises(dsec.NotReady, match="no room"):
        create(io)
    assert io.calls()[1] == "DELETE /v1/sandboxes/sb-1"


def test_a_block_that_is_interrupted_at_its_end_deletes_once_more() -> None:
    io = FakeIO(KeyboardInterrupt(), Canned(204))
    with pytest.raises(KeyboardInterrupt):
        run(sandboxes.leave(io.caller(), "sb-1"))
    assert io.calls() == ["DELETE /v1/sandboxes/sb-1"] * 2


def test_without_wait_a_queued_sandbox_is_the_result() -> None:
    assert create(FakeIO(ok(box("queued"), 202)), wait=False).state is dsec.SandboxState.QUEUED


@pytest.mark.parametrize(("state", "kind"), [("failed", dsec.SandboxFailed), ("gone", dsec.Gone)])
def test_a_repeated_create_of_what_ended_is_an_error(state: str, kind: type[dsec.ApiError]) -> None:
    with pytest.raises(kind, match="sb-1"):
        create(FakeIO(dsec.ConnectionLost(), ok(box(state))))


def many(io: FakeIO, **fields: Any) -> list[dsec.SandboxInfo]:
    wait, limit = fields.pop("wait", True), fields.pop("wait_timeout", None)
    return run(sandboxes.create_many(io.caller(), "host", 2, fields, wait, limit))


def test_many_alike_are_made_with_one_call() -> None:
    io = FakeIO(dsec.ConnectionLost(), ok({"sandboxes": [box(), box()]}))
    assert len(many(io, cpu=1)) == 2
    assert io.calls() == ["POST /v1/sandboxes/bulk"] * 2
    assert key(io, 0) == key(io, 1)
    assert io.body(0)["count"] == 2
    assert io.body(0)["resources"] == {"cpu": 1}
    with pytest.raises(TypeError, match="task_id"):
        many(io, task_id="t")


def test_many_that_came_late_are_waited_for() -> None:
    io = FakeIO(ok({"sandboxes": [box(), box("queued", id="sb-2")]}, 200), ok(box(id="sb-2")))
    assert [info.state.value for info in many(io)] == ["running", "running"]
    assert [call.partition("wait_timeout")[0] for call in io.calls()[1:]] == [
        "GET /v1/sandboxes/sb-2?wait=running&"
    ]


def test_where_one_of_many_does_not_run_none_is_left() -> None:
    made = {"sandboxes": [box(), box("queued", id="sb-2")]}
    io = FakeIO(ok(made, 202), Canned(204), Canned(204))
    with pytest.raises(dsec.NotReady, match="sb-2"):
        many(io, wait_timeout=0)
    assert io.calls()[-2:] == ["DELETE /v1/sandboxes/sb-1", "DELETE /v1/sandboxes/sb-2"]
    io = FakeIO(ok({"sandboxes": [box(), box("failed", id="sb-2")]}, 201), Canned(204), Canned(204))
    with pytest.raises(dsec.SandboxFailed, match="sb-2"):
        many(io)
    assert len(many(FakeIO(ok({"sandboxes": [box("queued")] * 2}, 202)), wait=False)) == 2


@pytest.mark.parametrize("what", ["bulk", "fork"])
def test_many_that_are_interrupted_leave_none(what: str) -> None:
    io = FakeIO(KeyboardInterrupt(), ok({"sandboxes": [box(), box(id="sb-2")]}), Canned(204), Canned(204))
    with pytest.raises(KeyboardInterrupt):
        many(io) if what == "bulk" else run(sandboxes.fork(io.caller(), "sb-0", 2, {"a": "b"}, "1m"))
    assert key(io, 0) == key(io, 1)
    assert io.calls()[2:] == ["DELETE /v1/sandboxes/sb-1", "DELETE /v1/sandboxes/sb-2"]


def test_waiting_for_a_sandbox() -> None:
    info = create(FakeIO(ok(box("queued"), 202)), wait=False)
    io = FakeIO(ok(box("placing")), ok(box()))
    assert run(sandboxes.wait_running(io.caller(), info, 5)).state is dsec.SandboxState.RUNNING
    io = FakeIO(*(ok(box("queued")) for _ in range(10)))
    with pytest.raises(dsec.NotReady):
        run(sandboxes.wait_running(io.caller(), info, 1))
    with pytest.raises(dsec.SandboxFailed):
        run(sandboxes.wait_running(FakeIO(ok(box("failed"))).caller(), info, 1))


def test_pages_are_asked_for_one_by_one() -> None:
    io = FakeIO(
        ok({"sandboxes": [box(), box()], "next_cursor": "c"}), ok({"sandboxes": [box()], "next_cursor": None})
    )
    assert len(collect(sandboxes.find(io.caller(), {"a": "b"}, "running", None, 2))) == 3
    assert io.calls() == [
        "GET /v1/sandboxes?label=a%3Db&state=running&limit=2",
        "GET /v1/sandboxes?label=a%3Db&state=running&limit=2&cursor=c",
    ]


def test_deleting_all_needs_a_filter() -> None:
    with pytest.raises(ValueError, match="labels or state"):
        run(sandboxes.delete_all(FakeIO().caller(), {}, None, None))


def recorded(seq: int) -> dict[str, Any]:
    return {"v": 1, "seq": seq, "t": seq, "wall": "", "sandbox": "sb-1", "kind": "note", "data": {}}


def test_a_trajectory_goes_on_where_it_broke() -> None:
    io = FakeIO(
        ndjson(recorded(5), recorded(6), breaks=True),
        Canned(200, b'{"v":1,"seq'),
        Canned(200, b"\n\n", json.dumps(recorded(7)).encode() + b"\n\n"),
    )
    assert [e.seq for e in collect(history.trajectory(io.caller(), "sb-1", 5, True))] == [5, 6, 7]
    assert [call.partition("?")[2] for call in io.calls()] == [
        "from=5&follow=true",
        "from=7&follow=true",
        "from=7&follow=true",
    ]


def test_breaks_that_bring_nothing_are_counted() -> None:
    io = FakeIO(*(ndjson(breaks=True) for _ in range(20)))
    with pytest.raises(dsec.ConnectionLost):
        collect(history.trajectory(io.caller(), "sb-1", 1, False))
    assert len(io.asked) == 15
    assert max(io.slept) == 5


def test_whoever_wants_no_retries_gets_none() -> None:
    io = FakeIO(ndjson(breaks=True))
    with pytest.raises(dsec.ConnectionLost):
        collect(history.trajectory(io.caller(dsec.Retries(attempts=1)), "sb-1", 1, False))


def test_a_batch_is_watched_over_breaks_and_its_results_come_in_order() -> None:
    io = FakeIO(
        ok(batch(0, False), 201),
        Canned(200, event("progress", batch(0, False)), event("task", task_result(1), 1)[:-1], breaks=True),
        Canned(200, event("task", task_result(1), 1), event("progress", batch(1, False))),
        Canned(200, event("task", task_result(2), 2), event("end", batch(2, True))),
        ok(batch(2, True)),
        ndjson(task_result(1), task_result(2)),
    )
    told: list[int] = []
    found = run(
        batches.run(io.caller(), [{"command": ["true"]}] * 2, "host", {}, lambda i: told.append(i.ended), 5)
    )
    assert told == [0, 1, 2]
    assert [r.id for r in found] == ["t2", "t1"]
    assert found["t1"] is found[1]
    assert [dict(r.headers).get("Last-Event-ID") for r in io.asked[1:4]] == [None, None, "1"]


def test_an_interrupted_batch_is_cancelled() -> None:
    def interrupt(_: dsec.BatchInfo) -> None:
        raise KeyboardInterrupt

    io = FakeIO(
        ok(batch(0, False), 201), Canned(200, event("progress", batch(0, False))), ok(batch(0, False), 202)
    )
    with pytest.raises(KeyboardInterrupt):
        run(batches.run(io.caller(), [{"command": ["true"]}], "host", {}, interrupt, 5))
    assert io.calls()[-1] == "DELETE /v1/batches/b-1?grace=5"
    assert io.given[1].closed


def test_a_batch_interrupted_while_it_is_sent_is_cancelled() -> None:
    io = FakeIO(KeyboardInterrupt(), ok(batch(0, False)), ok(batch(0, False), 202))
    with pytest.raises(KeyboardInterrupt):
        run(batches.start(io.caller(), [{"command": ["true"]}], "host", {}))
    assert io.asked[0].headers == io.asked[1].headers
    assert io.asked[0].body == io.asked[1].body
    assert io.calls()[-1].startswith("DELETE /v1/batches/b-1")


def test_missing_results_are_told() -> None:
    io = FakeIO(Canned(200, event("end", batch(2, True))), ok(batch(2, True)), ndjson(task_result(1)))
    with pytest.raises(dsec.ProtocolError, match="2 endings but 1"):
        run(batches.wait(io.caller(), "b-1", None))


def test_results_are_followed_to_the_end_of_the_batch() -> None:
    io = FakeIO(ok(batch(0, False)), ndjson(task_result(1)), ok(batch(2, True)), ndjson(task_result(2)))
    assert [r.n for r in collect(batches.results(io.caller(), "b-1", 0, True))] == [1, 2]
    assert io.calls()[-1] == "GET /v1/batches/b-1/results?from=1&follow=true"


def task(ended: bool) -> dict[str, Any]:
    return {
        **EXEC,
        "id": "t-1",
        "state": "ended" if ended else "running",
        "tenant": "default",
        "sandbox": "sb-1",
        "created_at": "2026-11-30T01:02:03Z",
        "ending": EXEC["ending"] if ended else None,
    }


def test_a_task_is_waited_for_in_turns() -> None:
    io = FakeIO(ok(task(False), 202), ok(task(False)), ok(task(True)))
    assert run(tasks.run(io.caller(), "host", {"command": ["true"]}, 5)).ok
    assert io.calls()[1:] == ["GET /v1/tasks/t-1?wait=20.000"] * 2


def test_an_interrupted_task_is_cancelled() -> None:
    io = FakeIO(ok(task(False), 202), KeyboardInterrupt(), Canned(204))
    with pytest.raises(KeyboardInterrupt):
        run(tasks.run(io.caller(), "host", {"command": ["true"]}, 5))
    assert io.calls()[-1] == "DELETE /v1/tasks/t-1?grace=5"


def test_a_failed_undo_is_logged_and_hides_nothing(caplog: pytest.LogCaptureFixture) -> None:
    io = FakeIO(KeyboardInterrupt(), dsec.NoServer(), dsec.NoServer())
    with pytest.raises(KeyboardInterrupt):
        create(io)
    assert "may be left until its ttl ends" in caplog.text
