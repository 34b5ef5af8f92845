# SPDX-License-Identifier: Apache-2.0
"""Files: read over broken connections, written whole, named exactly."""

import io as files_
from pathlib import Path
from typing import Any

import pytest

import dsec
from dsec._core.request import Request
from dsec._flow import files
from dsec._flow.files import Place, named
from dsec._io.blocking import pieces, run
from dsec.files import read_file, read_file_change

from .fakes import Canned, FakeIO, collect, ndjson, ok, refused

AT = Place("sb-1", "/a b")
FILE: dict[str, Any] = {
    "name": "a b",
    "type": "file",
    "mode": "0644",
    "size": 6,
    "modified_at": "2026-11-30T01:02:03Z",
    "uid": 1000,
    "gid": 1000,
}


def content(*parts: bytes, breaks: bool = False, entry: str = "1") -> Canned:
    canned = Canned(200, *parts, breaks=breaks)
    canned.headers = {"dsec-entry": entry}
    return canned


def test_a_file_as_it_is_told() -> None:
    info = read_file({**FILE, "type": "link", "target": "?", "target_base64": "L/8="})
    assert (info.mode, info.is_file, info.target) == (0o644, False, "/\udcff")
    change = read_file_change({"event": "rename", "path": "/b", "from": "/a", "directory": True})
    assert change == dsec.FileChange(dsec.ChangeKind.RENAME, "/b", "/a", True)


@pytest.mark.parametrize(
    ("path", "query", "body"),
    [
        ("/a b", "path=%2Fa+b", {"path": "/a b"}),
        (b"/\xff", "path=%2F%FF", {"path_base64": "L/8="}),
        ("/\udcff", "path=%2F%FF", {"path_base64": "L/8="}),
        (Path("/ü"), "path=%2F%C3%BC", {"path": "/ü"}),
    ],
)
def test_paths_keep_their_bytes(path: dsec.RemotePath, query: str, body: dict[str, str]) -> None:
    assert Place("sb-1", path)("files") == "/v1/sandboxes/sb-1/files?" + query
    assert named("path", path) == body
    assert Place("sb-1", path, "root")("files").endswith("&user=root")


def test_a_read_goes_on_where_it_broke() -> None:
    io = FakeIO(content(b"ab", b"c", breaks=True), dsec.NoServer(), content(b"de"))
    assert run(files.read(io.caller(), AT, 0, None)) == b"abcde"
    assert [dict(r.headers).get("Range") for r in io.asked] == [None, "bytes=3-", "bytes=3-"]
    assert all(answer.closed for answer in io.given)


def test_a_part_of_a_file() -> None:
    io = FakeIO(content(b"ab", breaks=True), content(b"c"))
    assert run(files.read(io.caller(), AT, 10, 3)) == b"abc"
    assert [dict(r.headers).get("Range") for r in io.asked] == ["bytes=10-12", "bytes=12-12"]
    assert run(files.read(FakeIO().caller(), AT, 10, 0)) == b""
    assert run(files.read(FakeIO(refused("range_not_satisfiable", 416)).caller(), AT, 10, 3)) == b""


def test_a_file_that_changed_is_not_pieced_together() -> None:
    io = FakeIO(content(b"old", breaks=True), content(b"new", entry="2"))
    with pytest.raises(dsec.ConnectionLost, match="changed"):
        run(files.read(io.caller(), AT, 0, None))


def test_a_read_that_brings_nothing_gives_up() -> None:
    io = FakeIO(*(content(breaks=True) for _ in range(20)))
    with pytest.raises(dsec.ConnectionLost):
        run(files.read(io.caller(dsec.Retries(attempts=2)), AT, 0, None))
    assert len(io.asked) == 6


def sent(request: Request) -> bytes:
    body = request.body
    return b"".join(pieces(body)) if callable(body) else body or b""


def test_a_write_that_can_be_sent_again_is() -> None:
    io = FakeIO(dsec.ConnectionLost(), ok(FILE))
    assert run(files.write(io.caller(), AT, "text", 0o755)).size == 6
    assert io.calls() == ["PUT /v1/sandboxes/sb-1/files?path=%2Fa+b&mode=0755"] * 2
    assert sent(io.asked[1]) == b"text"


def test_a_file_is_sent_from_where_it_stands_also_again() -> None:
    source = files_.BytesIO(b"skipped" + b"x" * (3 << 20))
    source.seek(7)
    io = FakeIO(ok(FILE))
    run(files.write(io.caller(), AT, source, None))
    assert io.asked[0].length == 3 << 20
    assert sent(io.asked[0]) == sent(io.asked[0]) == b"x" * (3 << 20)


def test_what_is_gone_once_read_is_sent_once() -> None:
    io = FakeIO(dsec.ConnectionLost())
    with pytest.raises(dsec.ConnectionLost):
        run(files.write(io.caller(), AT, iter([b"a", b"b"]), None))
    assert io.asked[0].length is None
    assert sent(io.asked[0]) == b"ab"


def test_looking() -> None:
    io = FakeIO(ok(FILE), refused("not_found", 404), ok(FILE))
    assert run(files.stat(io.caller(), AT, True)).is_file
    assert not run(files.exists(io.caller(), AT))
    assert run(files.exists(io.caller(), AT))
    assert io.calls() == [
        "GET /v1/sandboxes/sb-1/files?path=%2Fa+b&stat=true",
        *["GET /v1/sandboxes/sb-1/files?path=%2Fa+b&stat=true&follow=false"] * 2,
    ]


def test_a_directory_comes_in_pages() -> None:
    io = FakeIO(
        ok({"entries": [FILE, FILE], "next_cursor": "c"}), ok({"entries": [FILE], "next_cursor": None})
    )
    assert len(run(files.entries(io.caller(), AT, 2))) == 3
    assert io.calls()[1] == "GET /v1/sandboxes/sb-1/directory?path=%2Fa+b&limit=2&cursor=c"


def test_a_move_that_may_have_been_made_is_not_made_again() -> None:
    with pytest.raises(dsec.ConnectionLost):
        run(files.move(FakeIO(dsec.ConnectionLost()).caller(), "sb-1", None, {}))


def test_a_watch_ends_with_what_it_watches_and_tells_a_break() -> None:
    change = {"event": "modify", "path": "/a", "directory": False}
    start = {"start": {"path": "/a"}}
    io = FakeIO(ndjson(start, change, {"heartbeat": {}}, {"end": {"reason": "gone"}}))
    assert [c.kind.value for c in collect(files.watch(io.caller(), AT, True))] == ["modify"]
    for answer in (ndjson(start, {"end": {"reason": "stopped"}}), ndjson(start), ndjson(start, breaks=True)):
        with pytest.raises(dsec.ConnectionLost):
            collect(files.watch(FakeIO(answer).caller(), AT, True))


def test_a_file_downloaded_appears_once_it_is_whole(tmp_path: Path) -> None:
    told: list[dsec.Transfer] = []
    io = FakeIO(ok({**FILE, "mode": "0750"}), content(b"abc", b"def"))
    done = run(files.download_to(io.caller(), AT, tmp_path / "x", told.append))
    assert (tmp_path / "x").read_bytes() == b"abcdef"
    assert (tmp_path / "x").stat().st_mode & 0o777 == 0o750
    assert [t.bytes for t in told] == [3, 6, 6]
    assert (done.files, done.bytes) == (1, 6)
    io = FakeIO(ok(FILE), refused("internal", 500))
    with pytest.raises(dsec.Internal):
        run(files.download_to(io.caller(), AT, tmp_path / "y", None))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["x"]


def test_a_directory_there_and_back(tmp_path: Path) -> None:
    (tmp_path / "from" / "sub").mkdir(parents=True)
    (tmp_path / "from" / "sub" / "f").write_bytes(bytes(3 << 20))
    io = FakeIO(ok({"entries": 2}))
    run(files.upload_from(io.caller(), AT, tmp_path / "from", None))
    assert io.calls() == ["PUT /v1/sandboxes/sb-1/archive?path=%2Fa+b"]
    archive = sent(io.asked[0])
    io = FakeIO(ok({**FILE, "type": "directory"}), content(archive[:100_000], archive[100_000:]))
    done = run(files.download_to(io.caller(), AT, tmp_path / "to", None))
    assert (done.files, done.bytes) == (2, 3 << 20)
    assert (tmp_path / "to" / "sub" / "f").stat().st_size == 3 << 20
    io = FakeIO(ok({**FILE, "type": "directory"}), content(archive[:100_000], breaks=True))
    with pytest.raises(dsec.ConnectionLost):
        run(files.download_to(io.caller(), AT, tmp_path / "cut", None))
