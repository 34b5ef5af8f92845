# SPDX-License-Identifier: Apache-2.0
"""Directories as tar streams, friendly and hostile ones."""

import os
import tarfile
from pathlib import Path

import pytest

import dsec
from dsec._flow.archives import Packing, Unpacking


def tree(root: Path) -> Path:
    (root / "empty").mkdir(parents=True)
    (root / "sub" / "deep").mkdir(parents=True)
    (root / "sub" / "run.sh").write_text("#!/bin/sh\n")
    (root / "sub" / "run.sh").chmod(0o755)
    (root / "sub" / "deep" / ("long" * 60)).write_bytes(bytes(3 << 20))
    (root / "ü€ \n").write_text("odd")
    (root / "link").symlink_to("sub/run.sh")
    os.link(root / "sub" / "run.sh", root / "sub" / "same")
    os.mkfifo(root / "pipe")
    return root


def unpack(root: Path, stream: bytes, size: int = 100_000) -> dsec.Transfer:
    root.mkdir(exist_ok=True)
    unpacking = Unpacking(root)
    for at in range(0, len(stream), size):
        unpacking.feed(stream[at : at + size])
    return unpacking.finish()


def test_a_directory_goes_there_and_back(tmp_path: Path) -> None:
    packing = Packing(tree(tmp_path / "from"))
    stream = b"".join(packing.pieces())
    assert packing.transfer.bytes == (3 << 20) + 13
    assert packing.transfer.files == 8
    assert packing.transfer.skipped == ("pipe",)

    target = tmp_path / "to"
    assert unpack(target, stream).files == 8
    assert (target / "empty").is_dir()
    assert (target / "sub" / "deep" / ("long" * 60)).stat().st_size == 3 << 20
    assert (target / "ü€ \n").read_text() == "odd"
    assert (target / "link").readlink() == Path("sub/run.sh")
    assert (target / "sub" / "run.sh").stat().st_mode & 0o777 == 0o755
    assert (target / "sub" / "run.sh").samefile(target / "sub" / "same")
    assert unpack(target, stream).files == 8, "again over what is there"


def entry(name: str, kind: bytes = tarfile.REGTYPE, link: str = "", data: bytes = b"") -> bytes:
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.size = kind, link, len(data)
    return info.tobuf(tarfile.PAX_FORMAT) + data + bytes(-len(data) % 512)


HOSTILE = [
    entry("../out", data=b"evil"),
    entry("a/../../out", data=b"evil"),
    entry("away", tarfile.SYMTYPE, "/etc"),
    entry("up", tarfile.SYMTYPE, "../.."),
    entry("hard", tarfile.LNKTYPE, "../out"),
    entry("device", tarfile.CHRTYPE),
    entry("pipe", tarfile.FIFOTYPE),
]


@pytest.mark.parametrize("bad", HOSTILE, ids=range(len(HOSTILE)))
def test_nothing_leaves_the_directory(tmp_path: Path, bad: bytes) -> None:
    (tmp_path / "out").write_text("mine")
    done = unpack(tmp_path / "to", bad + entry("good", data=b"good") + bytes(1024))
    assert len(done.skipped) == 1
    assert (tmp_path / "to" / "good").read_text() == "good"
    assert sorted(p.name for p in (tmp_path / "to").iterdir()) == ["good"]
    assert (tmp_path / "out").read_text() == "mine"


def test_a_link_that_was_there_is_replaced_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    (tmp_path / "to").mkdir()
    (tmp_path / "to" / "file").symlink_to(tmp_path / "out")
    unpack(tmp_path / "to", entry("file", data=b"new") + bytes(1024))
    assert (tmp_path / "out").read_text() == "mine"


@pytest.mark.parametrize("stream", [b"nonsense" * 200, entry("a", data=b"x" * 2000)[:1200]])
def test_a_stream_that_is_none_or_cut_is_an_error(tmp_path: Path, stream: bytes) -> None:
    with pytest.raises(tarfile.TarError):
        unpack(tmp_path / "to", stream)


def test_a_disk_that_takes_nothing_ends_a_long_stream(tmp_path: Path) -> None:
    root = tmp_path / "to"
    root.mkdir()
    (root / "a").mkdir()
    (root / "a" / "b").mkdir()
    long = entry("a", data=bytes(1 << 20)) * 10
    with pytest.raises(OSError, match="a"):
        unpack(root, long)


def test_a_file_that_shrinks_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(bytes(5 << 20))
    stream = Packing(tmp_path).pieces()
    assert next(stream)
    assert len(next(stream)) == 1 << 20
    os.truncate(tmp_path / "file", 10)
    with pytest.raises(OSError, match="shorter"):
        b"".join(stream)
