# SPDX-License-Identifier: Apache-2.0
"""Both clients send the same bytes and tell the same of what goes wrong."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpcore
import pytest

import dsec
from dsec._core.endpoint import Endpoint
from dsec._core.request import Request
from dsec._io.asynchronous import AsyncIO
from dsec._io.blocking import BlockingIO, run
from dsec._io.http import Wire

from .test_flows import box

ONCE = dsec.Retries(attempts=1, patience=0)


def answer(body: bytes, status: str = "200 OK", more: str = "") -> bytes:
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n{more}\r\n".encode() + body


BOX = answer(json.dumps(box()).encode())


class Net:
    """One server for both clients. It says `said`, and raises what is an exception."""

    def __init__(self, *said: bytes | Exception, connecting: Exception | None = None) -> None:
        self.said = list(said)
        self.connecting = connecting
        self.sent = b""
        self.to: tuple[str, int] | None = None

    def say(self) -> bytes:
        next_ = self.said.pop(0) if self.said else b""
        if isinstance(next_, Exception):
            raise next_
        return next_

    def meet(self, host: str, port: int) -> None:
        self.to = (host, port)
        if self.connecting:
            raise self.connecting


class Blocking(Net, httpcore.NetworkBackend):
    def connect_tcp(self, host: str, port: int, *_: Any, **__: Any) -> httpcore.NetworkStream:
        self.meet(host, port)
        net = self

        class Stream(httpcore.NetworkStream):
            def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
                return net.say()

            def write(self, buffer: bytes, timeout: float | None = None) -> None:
                net.sent += buffer

            def close(self) -> None:
                pass

            def get_extra_info(self, info: str) -> Any:
                return None

        return Stream()


class Awaited(Net, httpcore.AsyncNetworkBackend):
    async def connect_tcp(self, host: str, port: int, *_: Any, **__: Any) -> httpcore.AsyncNetworkStream:
        self.meet(host, port)
        net = self

        class Stream(httpcore.AsyncNetworkStream):
            async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
                return net.say()

            async def write(self, buffer: bytes, timeout: float | None = None) -> None:
                net.sent += buffer

            async def aclose(self) -> None:
                pass

            def get_extra_info(self, info: str) -> Any:
                return None

        return Stream()


def blocking(url: str, *said: bytes | Exception, connecting: Exception | None = None) -> Net:
    net = Blocking(*said, connecting=connecting)
    with dsec.Client(url, "k", retries=ONCE, network=net) as client:
        assert client.get_sandbox("sb/1").id == "sb-1"
    return net


def awaited(url: str, *said: bytes | Exception, connecting: Exception | None = None) -> Net:
    net = Awaited(*said, connecting=connecting)

    async def get() -> None:
        async with dsec.AsyncClient(url, "k", retries=ONCE, network=net) as client:
            assert (await client.get_sandbox("sb/1")).id == "sb-1"

    asyncio.run(get())
    return net


Get = Callable[..., Net]
BOTH = pytest.mark.parametrize("get", [blocking, awaited])


@BOTH
def test_what_is_sent(get: Get) -> None:
    net = get("http://a.test/base/", BOX)
    assert net.to == ("a.test", 80)
    assert net.sent.decode().split("\r\n") == [
        "GET /base/v1/sandboxes/sb%2F1 HTTP/1.1",
        "Host: a.test",
        f"User-Agent: dsec-python/{dsec.__version__}",
        "Authorization: Bearer k",
        "Accept: application/json",
        "",
        "",
    ]


@BOTH
def test_a_port_and_an_address(get: Get) -> None:
    net = get("http://[::1]:7070", BOX)
    assert net.to == ("::1", 7070)
    assert b"\r\nHost: [::1]:7070\r\n" in net.sent


@BOTH
@pytest.mark.parametrize(
    "failure", [httpcore.ConnectError("refused"), httpcore.ConnectTimeout()], ids=lambda v: type(v).__name__
)
def test_no_server(get: Get, failure: Exception) -> None:
    with pytest.raises(dsec.NoServer, match=r"http://a\.test/base.*dsec up"):
        get("http://a.test/base", connecting=failure)


@BOTH
@pytest.mark.parametrize(
    "said",
    [
        [httpcore.ReadTimeout()],
        [httpcore.ReadError("reset")],
        [b""],
        [b"HTTP/1.1 200 OK\r\n"],
        [b"nonsense\r\n\r\n"],
    ],
    ids=["timeout", "reset", "closed", "cut", "nonsense"],
)
def test_what_goes_wrong(get: Get, said: list[bytes | Exception]) -> None:
    with pytest.raises(dsec.ConnectionLost, match=r"GET /v1/sandboxes/sb%2F1: .*http://a\.test"):
        get("http://a.test", *said)


@BOTH
def test_a_body_that_breaks_off(get: Get) -> None:
    with pytest.raises(dsec.ConnectionLost):
        get("http://a.test", BOX[:-5])


@BOTH
def test_a_redirect_is_not_followed(get: Get) -> None:
    with pytest.raises(dsec.ApiError, match="302"):
        get("http://a.test", answer(b"", "302 Found", "Location: http://evil.test\r\n"))


@BOTH
def test_the_request_id_of_a_header(get: Get) -> None:
    body = b'{"error": {"code": "gone", "message": "no"}}'
    with pytest.raises(dsec.Gone) as e:
        get("http://a.test", answer(body, "410 Gone", "X-Request-Id: r-1\r\n"))
    assert e.value.request_id == "r-1"


def test_bodies_and_their_lengths() -> None:
    wire = Wire(Endpoint("http://a.test", None))

    def headers(request: Request, content: Any) -> dict[bytes, bytes]:
        return dict(wire.request(request, content).headers)

    full = headers(Request("POST", "/v1/x", b"{}"), b"{}")
    assert (full[b"Content-Type"], full[b"Content-Length"]) == (b"application/json", b"2")
    assert b"Authorization" not in full
    assert headers(Request("POST", "/v1/x"), None)[b"Content-Length"] == b"0"
    assert headers(Request("PUT", "/v1/x", length=5), [b"12345"])[b"Content-Length"] == b"5"
    assert headers(Request("PUT", "/v1/x"), [b"1"])[b"Transfer-Encoding"] == b"chunked"
    assert b"Content-Length" not in headers(Request("GET", "/v1/x"), None)


async def upload() -> AsyncIterator[bytes]:
    yield b"one"
    yield b"two"


@pytest.mark.parametrize("length", [6, None])
def test_uploads_are_sent_as_they_are_made(length: int | None) -> None:
    request = Request("PUT", "/v1/x", upload, length=length)
    ok = answer(b"{}")
    net = Blocking(ok)
    run(run(BlockingIO(Endpoint("http://a.test", "k"), 1, net).open(request)).read())
    anet = Awaited(ok)

    async def send() -> None:
        await (await AsyncIO(Endpoint("http://a.test", "k"), 1, anet).open(request)).read()

    asyncio.run(send())
    assert net.sent == anet.sent
    assert net.sent.endswith(b"\r\n\r\nonetwo" if length else b"\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n")


@pytest.mark.parametrize(
    ("url", "proxy"),
    [
        ("http://a.test", "http://proxy.test:1"),
        ("http://in.test", None),
        ("https://a.test", None),
        ("http://127.0.0.1:7070", None),
    ],
)
def test_proxies_of_the_environment(monkeypatch: pytest.MonkeyPatch, url: str, proxy: str | None) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.setenv("http_proxy", "http://me:pass@proxy.test:1")
    monkeypatch.setenv("no_proxy", "in.test")
    wire = Wire(Endpoint(url, None))
    settings = wire.pool(10)
    found = settings["proxy"]
    assert wire.is_plain == (proxy is None and url.startswith("http:"))
    if proxy is None:
        assert found is None
    else:
        assert bytes(found.url).decode() == proxy + "/"
        assert found.auth == (b"me", b"pass")
    assert (settings["ssl_context"] is not None) == url.startswith("https:")
    httpcore.ConnectionPool(**settings).close()
