# SPDX-License-Identifier: Apache-2.0
"""The asyncio client against a real server: what differs from the blocking one."""

import asyncio

import pytest

import dsec

from .waiting import auntil


async def found(
    client: dsec.AsyncClient, label: dict[str, str], state: str | None = None
) -> list[dsec.AsyncSandbox]:
    return [box async for box in client.sandboxes(labels=label, state=state)]


async def ended(box: dsec.AsyncSandbox) -> bool:
    return (await box.refresh()).state.ended


async def test_many_sandboxes_at_the_same_moment(aclient: dsec.AsyncClient, label: dict[str, str]) -> None:
    async def one(n: int) -> str:
        async with aclient.sandbox("host", memory="64Mi", disk="16Mi", labels=label) as box:
            return (await box.exec("echo", str(n))).check().stdout

    assert await asyncio.gather(*(one(n) for n in range(12))) == [f"{n}\n" for n in range(12)]


async def test_a_sandbox_may_be_awaited_too(aclient: dsec.AsyncClient, label: dict[str, str]) -> None:
    box = await aclient.sandbox("host", memory="64Mi", labels=label)
    async with box:
        assert [b.id for b in await found(aclient, label)] == [box.id]
        assert (await box.shell("cat", stdin="x")).stdout == "x"
        kinds = [type(e) async for e in box.stream("echo", "hi")]
        assert kinds == [dsec.ExecStart, dsec.Stdout, dsec.ExecEnd]
        async with box.stream("sleep", "60") as stream:
            assert isinstance(await anext(stream), dsec.ExecStart)
        assert (await anext(box.trajectory())).seq == 1
        assert (await box.renew("1h")).id == box.id
        assert await box.delete()
    assert (await box.refresh()).state is dsec.SandboxState.GONE


async def test_cancelling_a_block_deletes_its_sandbox(
    aclient: dsec.AsyncClient, label: dict[str, str]
) -> None:
    inside = asyncio.Event()

    async def work() -> None:
        async with aclient.sandbox("host", memory="64Mi", labels=label) as box:
            inside.set()
            await box.exec("sleep", "60")

    running = asyncio.create_task(work())
    await inside.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert await found(aclient, label, "running") == []


@pytest.mark.parametrize("limit", [0.0, 0.001, 0.003, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1])
async def test_cancelling_a_create_at_any_moment_leaves_no_sandbox(
    aclient: dsec.AsyncClient, label: dict[str, str], limit: float
) -> None:
    async def work() -> None:
        async with aclient.sandbox("host", memory="64Mi", disk="16Mi", labels=label) as box:
            await box.exec("sleep", "60")

    for _ in range(3):
        with pytest.raises((asyncio.TimeoutError, asyncio.CancelledError)):
            await asyncio.wait_for(work(), limit)


async def test_cancelled_twice_it_is_deleted_all_the_same(
    aclient: dsec.AsyncClient, label: dict[str, str]
) -> None:
    inside = asyncio.Event()

    async def work() -> None:
        async with aclient.sandbox("host", memory="64Mi", labels=label):
            inside.set()
            await asyncio.sleep(60)

    running = asyncio.create_task(work())
    await inside.wait()
    running.cancel()
    await asyncio.sleep(0.001)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


async def test_a_batch_and_a_task(aclient: dsec.AsyncClient, label: dict[str, str]) -> None:
    told: list[int] = []

    async def progress(info: dsec.BatchInfo) -> None:
        told.append(info.ended)

    results = await aclient.run_batch(
        [{"shell": "exit 1"}, {"command": ["true"]}],
        image="host",
        memory="64Mi",
        labels=label,
        pacing="adaptive",
        on_progress=progress,
    )
    assert [r.code for r in results] == [1, 0]
    assert told[-1] == 2
    assert (
        await aclient.run_task("host", command=["echo", "a"], labels=label, memory="64Mi")
    ).stdout == "a\n"


async def test_a_cancelled_batch_ends_its_tasks(aclient: dsec.AsyncClient, label: dict[str, str]) -> None:
    sleepers: list[dsec.BatchTask] = [{"shell": "sleep 60"} for _ in range(3)]
    begun = asyncio.Event()
    ids: list[str] = []

    def progress(info: dsec.BatchInfo) -> None:
        ids.append(info.id)
        begun.set()

    running = asyncio.create_task(
        aclient.run_batch(
            sleepers, image="host", memory="64Mi", labels=label, on_progress=progress, cancel_grace=0
        )
    )
    await begun.wait()
    await auntil(lambda: found(aclient, label, "running"))
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    batch = await aclient.get_batch(ids[0])
    assert {r.ending.reason for r in await batch.wait()} == {"cancelled"}


async def test_a_cancelled_task_is_cancelled(aclient: dsec.AsyncClient, label: dict[str, str]) -> None:
    running = asyncio.create_task(
        aclient.run_task("host", shell="sleep 60", labels=label, memory="64Mi", cancel_grace=0)
    )
    await auntil(lambda: found(aclient, label))
    (box,) = await found(aclient, label)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await auntil(lambda: ended(box))
    assert box.info.reason == "cancelled"


async def test_the_blocking_client_works_inside_a_loop(client: dsec.Client, label: dict[str, str]) -> None:
    """As in a notebook: it blocks the loop, and nothing else."""
    with client.sandbox("host", memory="64Mi", labels=label) as box:
        assert [type(e) for e in box.stream("echo", "hi")] == [dsec.ExecStart, dsec.Stdout, dsec.ExecEnd]
        for _ in box.stream("sleep", "60"):
            break
        assert [found.id for found in client.sandboxes(labels=label)] == [box.id]
