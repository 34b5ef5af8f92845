# SPDX-License-Identifier: Apache-2.0
"""A server that is killed and started again does not spoil what it runs."""

import threading

import dsec

from .server import Server


def test_a_batch_a_task_and_a_follower_outlast_a_restart(
    server: Server, client: dsec.Client, label: dict[str, str]
) -> None:
    kinds: list[str] = []
    ended: list[dsec.TaskResult] = []
    with client.sandbox("host", memory="64Mi", labels=label) as box:

        def follow() -> None:
            kinds.extend(e.kind for e in box.trajectory(follow=True))

        task = client.start_task("host", shell="sleep 3; echo late", memory="64Mi", labels=label)

        def await_task() -> None:
            result = task.wait()
            assert result is not None
            ended.append(result)

        restarted = threading.Event()

        def restart(info: dsec.BatchInfo) -> None:
            if info.ended and not restarted.is_set():
                restarted.set()
                server.kill_and_start_again()

        threads = [threading.Thread(target=work) for work in (follow, await_task)]
        for thread in threads:
            thread.start()
        tasks: list[dsec.BatchTask] = [{"shell": f"sleep {n + 1}; exit {n}"} for n in range(4)]
        found = client.run_batch(
            tasks,
            image="host",
            memory="64Mi",
            guaranteed=dsec.Guarantee(cpu=0.1),
            labels=label,
            pacing="adaptive",
            retries=dsec.TaskRetries(),
            on_progress=restart,
        )
        assert restarted.is_set()
        assert [r.code for r in found] == [0, 1, 2, 3]
        assert box.exec("echo", "still here").stdout == "still here\n"
    for thread in threads:
        thread.join(120)
    assert [r.stdout for r in ended] == ["late\n"]
    assert kinds.count("exec.end") == 1
    assert kinds[-1] == "sandbox.gone"
