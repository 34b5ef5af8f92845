# SPDX-License-Identifier: Apache-2.0
"""Both transports send the same and tell the same of what goes wrong."""

import asyncio
from collections.abc import Callable
from typing import Any

import httpx
import pytest

import dsec
from dsec._core.endpoint import Endpoint
from dsec._core.request import Request
from dsec._io.http import Wire

from .test_flows import box

Handler = Callable[[httpx.Request], httpx.Response]
ONCE = dsec.Retries(attempts=1, patience=0)


def blocking(handler: Handler) -> dsec.SandboxInfo:
    with dsec.Client(
        "http://a.test/base/", "k", retries=ONCE, transport=httpx.MockTransport(handler)
    ) as client:
        return client.get_sandbox("sb/1").info


def awaited(handler: Handler) -> dsec.SandboxInfo:
    async def get() -> dsec.SandboxInfo:
        mock = httpx.MockTransport(handler)
        async with dsec.AsyncClient("http://a.test/base/", "k", retries=ONCE, transport=mock) as client:
            return (await client.get_sandbox("sb/1")).info

    return asyncio.run(get())


BOTH = pytest.mark.parametrize("get", [blocking, awaited])


@BOTH
def test_what_is_sent(get: Callable[[Handler], dsec.SandboxInfo]) -> None:
    sent: list[httpx.Request] = []

    def handler(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        return httpx.Response(200, json=box())

    assert get(handler).id == "sb-1"
    assert str(sent[0].url) == "http://a.test/base/v1/sandboxes/sb%2F1"
    assert sent[0].headers["authorization"] == "Bearer k"
    assert sent[0].headers["host"] == "a.test"
    assert sent[0].headers["accept"] == "application/json"
    assert sent[0].extensions["timeout"] == {"connect": 5.0, "write": 60.0, "read": 30.0, "pool": None}


@BOTH
@pytest.mark.parametrize(
    ("failure", "kind"),
    [
        (httpx.ConnectError("refused"), dsec.NoServer),
        (httpx.ConnectTimeout(""), dsec.NoServer),
        (httpx.ReadTimeout(""), dsec.ConnectionLost),
        (httpx.RemoteProtocolError("server disconnected"), dsec.ConnectionLost),
        (httpx.WriteError(""), dsec.ConnectionLost),
    ],
    ids=lambda v: type(v).__name__,
)
def test_what_goes_wrong(
    get: Callable[[Handler], dsec.SandboxInfo], failure: httpx.TransportError, kind: type[dsec.DsecError]
) -> None:
    def handler(_: httpx.Request) -> httpx.Response:
        raise failure

    with pytest.raises(kind, match=r"http://a\.test/base"):
        get(handler)


@BOTH
def test_a_redirect_is_not_followed(get: Callable[[Handler], dsec.SandboxInfo]) -> None:
    def handler(_: httpx.Request) -> httpx.Response:
        return httpx.Response(302, headers={"location": "http://evil.test"})

    with pytest.raises(dsec.ApiError, match="302"):
        get(handler)


def test_a_body_is_json_and_an_empty_post_says_so() -> None:
    wire = Wire(Endpoint("http://a.test", None))
    full = wire.request(Request("POST", "/v1/x", b"{}"))
    assert (full.headers["content-type"], full.headers["content-length"]) == ("application/json", "2")
    assert wire.request(Request("POST", "/v1/x")).headers["content-length"] == "0"
    assert "authorization" not in full.headers


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
    monkeypatch.setenv("http_proxy", "http://proxy.test:1")
    monkeypatch.setenv("no_proxy", "in.test")
    settings: dict[str, Any] = Wire(Endpoint(url, None)).transport(10)
    assert settings["proxy"] == proxy
    httpx.HTTPTransport(**settings).close()
