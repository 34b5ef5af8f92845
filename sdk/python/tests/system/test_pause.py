# SPDX-License-Identifier: Apache-2.0
"""Many alike, pause and fork."""

import pytest

import dsec

from .conftest import lives


def test_many_alike_come_and_go_together(client: dsec.Client, label: dict[str, str]) -> None:
    with client.create_many("host", 4, memory="64Mi", disk="16Mi", labels=label) as boxes:
        assert len(boxes) == 4
        assert {box.state.value for box in boxes} == {"running"}
        assert [box.exec("echo", str(n)).stdout for n, box in enumerate(boxes)] == [
            f"{n}\n" for n in range(4)
        ]
        assert len({box.id for box in client.sandboxes(labels=label)}) == 4
    assert not [box for box in client.sandboxes(labels=label) if lives(box)]
    with pytest.raises(dsec.ApiError):
        client.create_many("no-such-image", 2, labels=label)


def test_a_paused_sandbox_goes_on_with_the_next_command(client: dsec.Client, label: dict[str, str]) -> None:
    with client.sandbox("host", memory="64Mi", labels=label) as box:
        box.shell("echo kept > /tmp/kept").check()
        assert box.pause().state is dsec.SandboxState.PAUSED
        assert box.pause().state is dsec.SandboxState.PAUSED
        assert box.resume().state is dsec.SandboxState.RUNNING
        box.pause()
        assert box.shell("cat /tmp/kept").stdout == "kept\n"
        assert box.refresh().state is dsec.SandboxState.RUNNING
        box.pause()


def test_children_have_what_is_on_the_disk(client: dsec.Client, label: dict[str, str]) -> None:
    with client.sandbox("host", memory="64Mi", labels=label) as box:
        box.shell("echo parent > /workspace/file").check()
        with box.fork(3) as children:
            assert len({child.id for child in children} | {box.id}) == 4
            for n, child in enumerate(children):
                child.wait(60)
                assert child.shell(f"cat /workspace/file; echo {n} > /workspace/file").stdout == "parent\n"
        assert box.exec("cat", "/workspace/file").stdout == "parent\n"
        assert not [child for child in children if lives(child.refresh())]


async def test_over_asyncio(aclient: dsec.AsyncClient, label: dict[str, str]) -> None:
    async with aclient.create_many("host", 2, memory="64Mi", labels=label) as boxes:
        first = boxes[0]
        await first.shell("echo x > /workspace/x")
        async with first.fork() as (child,):
            await child.wait(60)
            assert (await child.exec("cat", "/workspace/x")).stdout == "x\n"
        assert (await first.pause()).state is dsec.SandboxState.PAUSED
        assert (await first.resume()).state is dsec.SandboxState.RUNNING
