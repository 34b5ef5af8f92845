# SPDX-License-Identifier: Apache-2.0
"""Files of a real sandbox."""

import hashlib
import io
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import dsec

from .flaky import flaky
from .server import Server


@pytest.fixture(scope="module")
def box(server: Server) -> Iterator[dsec.Sandbox]:
    with (
        dsec.Client(server.url, server.key) as client,
        client.sandbox("host", memory="256Mi", disk="256Mi", pids=64) as box,
    ):
        yield box


@pytest.mark.parametrize("size", [0, 1, 18_433, 131_072, 1_048_577, 20_000_000])
def test_bytes_come_back_as_they_went(box: dsec.Sandbox, size: int) -> None:
    data = os.urandom(size)
    info = box.files.write("/workspace/deep/er/data", data)
    assert (info.size, info.mode, info.is_file) == (size, 0o644, True)
    assert box.exec("sha256sum", "/workspace/deep/er/data").stdout.startswith(
        hashlib.sha256(data).hexdigest()
    )
    assert box.files.read("/workspace/deep/er/data") == data
    assert box.files.read("/workspace/deep/er/data", offset=10, length=7) == data[10:17]
    assert b"".join(box.files.stream("/workspace/deep/er/data", offset=1)) == data[1:]


def test_sources_of_any_kind(box: dsec.Sandbox) -> None:
    mebi = bytes(range(256)) * 4096
    box.files.write("/workspace/text", "ü€\n")
    assert box.files.read_text("/workspace/text") == "ü€\n"
    assert box.files.write("/workspace/file", io.BytesIO(mebi * 5)).size == 5 << 20
    assert box.files.write("/workspace/pieces", (mebi for _ in range(5))).size == 5 << 20
    assert box.exec("cmp", "/workspace/file", "/workspace/pieces").ok


def test_modes_and_owners(box: dsec.Sandbox) -> None:
    box.files.write("/workspace/run", "#!/bin/sh\necho ran\n", mode=0o755)
    assert box.exec("/workspace/run").stdout == "ran\n"
    box.files.write("/workspace/run", "#!/bin/sh\necho again\n")
    assert box.files.stat("/workspace/run").mode == 0o755
    box.files.chmod("/workspace/run", 0o600)
    with pytest.raises(dsec.NotExecutable):
        box.exec("/workspace/run")
    root = box.files.as_user("root")
    root.chown("/workspace/run", "root:root")
    info = box.files.stat("/workspace/run")
    assert (info.uid, info.gid) == (0, 0)
    with pytest.raises(dsec.Forbidden):
        box.files.read("/workspace/run")
    assert root.read_text("/workspace/run").endswith("again\n")


def test_directories_links_and_names(box: dsec.Sandbox) -> None:
    box.files.mkdir("/workspace/d/a", parents=True)
    box.files.mkdir("/workspace/d/a", parents=True)
    with pytest.raises(dsec.Conflict):
        box.files.mkdir("/workspace/d/a")
    box.exec("ln", "-s", "/nowhere", "/workspace/d/link")
    odd = b"/workspace/d/\xff \n"
    box.files.write(odd, "odd")
    names = {entry.name: entry for entry in box.files.list("/workspace/d")}
    assert list(names) == ["a", "link", "\udcff \n"]
    assert names["a"].is_dir
    assert (names["link"].type, names["link"].target) == (dsec.FileType.LINK, "/nowhere")
    assert box.files.read("/workspace/d/" + "\udcff \n") == b"odd"
    assert box.files.exists("/workspace/d/link")
    assert not box.files.exists("/nowhere")
    box.files.move(odd, "/workspace/d/even")
    with pytest.raises(dsec.Conflict):
        box.files.move("/workspace/d/even", "/workspace/d/a", overwrite=False)
    with pytest.raises(dsec.ApiError):
        box.files.remove("/workspace/d")
    box.files.remove("/workspace/d", recursive=True)
    with pytest.raises(dsec.NotFound) as e:
        box.files.list("/workspace/d")
    assert e.value.field == "path"


def test_what_is_no_file_is_a_typed_error(box: dsec.Sandbox) -> None:
    box.exec("mkfifo", "/workspace/pipe")
    for path in ("/workspace/pipe", "/dev/zero", "/workspace"):
        with pytest.raises(dsec.ApiError):
            box.files.read(path)
    with pytest.raises(dsec.InvalidRequest):
        box.files.read("not/absolute")


def test_a_watch_tells_what_happens(box: dsec.Sandbox) -> None:
    box.files.mkdir("/workspace/watched", parents=True)
    with box.files.watch("/workspace/watched") as changes:
        seen: list[dsec.FileChange] = []
        watching = threading.Thread(target=lambda: seen.extend(changes))
        watching.start()
        number = 0
        while not seen:  # until the watch stands
            number += 1
            box.files.write(f"/workspace/watched/{number}", "x")
        box.files.remove("/workspace/watched", recursive=True)
        watching.join(60)
    kinds = {change.kind for change in seen}
    assert dsec.ChangeKind.DELETE in kinds
    assert kinds & {dsec.ChangeKind.CREATE, dsec.ChangeKind.RENAME, dsec.ChangeKind.MODIFY}


def test_directories_go_there_and_back(box: dsec.Sandbox, tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "sub").mkdir(parents=True)
    (source / "sub" / "big").write_bytes(os.urandom(5 << 20))
    (source / "run.sh").write_text("#!/bin/sh\ncat sub/big | wc -c\n")
    (source / "run.sh").chmod(0o755)
    (source / "link").symlink_to("sub/big")
    told: list[dsec.Transfer] = []
    sent = box.upload(source, "/workspace/tree", on_progress=told.append)
    assert (sent.files, sent.bytes) == (4, (5 << 20) + 30)
    assert told[-1] == sent
    assert box.exec("./run.sh", cwd="/workspace/tree").stdout.strip() == str(5 << 20)
    box.shell("ln -s /etc/passwd away; echo new > new", cwd="/workspace/tree").check()
    told.clear()
    got = box.download("/workspace/tree", tmp_path / "target", on_progress=told.append)
    assert got.skipped == ("away",) or got.skipped == ("./away",)
    assert told[-1] == got
    target = tmp_path / "target"
    assert (target / "sub" / "big").read_bytes() == (source / "sub" / "big").read_bytes()
    assert (target / "new").read_text() == "new\n"
    assert (target / "link").readlink() == Path("sub/big")
    assert os.access(target / "run.sh", os.X_OK)


def test_files_go_there_and_back(box: dsec.Sandbox, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc")
    (tmp_path / "a").chmod(0o700)
    box.upload(tmp_path / "a", "/workspace/one/b")
    assert box.files.stat("/workspace/one/b").mode == 0o700
    box.download("/workspace/one/b", tmp_path / "c")
    assert (tmp_path / "c").read_bytes() == b"abc"
    with pytest.raises(dsec.NotFound):
        box.download("/workspace/none", tmp_path / "d")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "c"]


def test_a_full_disk_leaves_no_part_of_a_file(box: dsec.Sandbox) -> None:
    box.files.write("/workspace/kept", "old")
    with pytest.raises(dsec.DiskFull):
        box.files.write("/workspace/kept", (bytes(1 << 20) for _ in range(400)))
    assert box.files.read_text("/workspace/kept") == "old"


def test_a_read_outlasts_its_connections(server: Server, box: dsec.Sandbox) -> None:
    data = os.urandom(3_000_000)
    box.files.write("/workspace/far", data)
    with (
        flaky(server.url) as proxy,
        dsec.Client(proxy.url, server.key, retries=dsec.Retries(attempts=20, first=0.01)) as client,
    ):
        far = client.get_sandbox(box.id)
        proxy.down, proxy.cuts = 500_000, 4
        assert far.files.read("/workspace/far") == data
        assert proxy.done == 4
        proxy.up, proxy.down, proxy.cuts = 500_000, None, 2
        far.files.write("/workspace/far", data[::-1])
        assert proxy.done == 6
    assert box.files.read("/workspace/far") == data[::-1]


async def test_files_over_asyncio(aclient: dsec.AsyncClient, box: dsec.Sandbox, tmp_path: Path) -> None:
    files = (await aclient.get_sandbox(box.id)).files
    await files.write("/workspace/async/a", io.BytesIO(b"x" * 2_000_000))
    assert len(await files.read("/workspace/async/a")) == 2_000_000
    assert [entry.name for entry in await files.list("/workspace/async")] == ["a"]
    assert sum([len(piece) async for piece in files.stream("/workspace/async/a")]) == 2_000_000
    await files.download("/workspace/async", tmp_path / "to")
    assert (tmp_path / "to" / "a").stat().st_size == 2_000_000
    await files.upload(tmp_path / "to", "/workspace/again")
    assert (await files.stat("/workspace/again/a")).size == 2_000_000
