# SPDX-License-Identifier: Apache-2.0
"""One server for all system tests; afterwards nothing of it may be left."""

import os
import shutil
import tempfile
import uuid
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

import dsec

from .server import Server
from .waiting import until


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    if os.geteuid() != 0:
        pytest.skip("SYSTEM TESTS NOT RUN: they make real sandboxes and need root")
    directory = Path(tempfile.mkdtemp(prefix="dsec-python-"))
    server = Server(directory)
    try:
        server.start()
        yield server
    finally:
        try:
            server.stop()
            assert server.leftovers() == []
        finally:
            shutil.rmtree(directory, ignore_errors=True)
    assert not directory.exists()


@pytest.fixture(autouse=True)
def known_server(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Clients find the server by the credentials file that `dsec up` wrote."""
    monkeypatch.setenv("HOME", str(server.home))
    monkeypatch.delenv("DSEC_URL", raising=False)
    monkeypatch.delenv("DSEC_API_KEY", raising=False)


@pytest.fixture
def client(known_server: None) -> Iterator[dsec.Client]:
    with dsec.Client() as client:
        yield client


@pytest.fixture
async def aclient(known_server: None) -> AsyncIterator[dsec.AsyncClient]:
    async with dsec.AsyncClient() as client:
        yield client


@pytest.fixture
def label(client: dsec.Client) -> Iterator[dict[str, str]]:
    """A label of this test alone; whatever still lives under it at the end is a failure."""
    label = {"test": uuid.uuid4().hex}
    yield label
    # A task's result is told before its sandbox is torn down.
    until(lambda: not any("task" in box.labels for box in living(client, label)))
    left = living(client, label)
    for box in left:
        box.delete()
    assert left == []


def living(client: dsec.Client, label: dict[str, str]) -> list[dsec.Sandbox]:
    return [box for box in client.sandboxes(labels=label) if lives(box)]


def lives(box: dsec.Sandbox | dsec.AsyncSandbox) -> bool:
    """Nothing has ended it yet. What is `stopping` is being torn down by the server."""
    return not box.state.ended and box.state is not dsec.SandboxState.STOPPING
