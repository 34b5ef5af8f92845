# SPDX-License-Identifier: Apache-2.0
import json
from pathlib import Path

import pytest

from dsec._core.endpoint import DEFAULT_URL, Endpoint, resolve
from dsec.errors import ConfigurationError


@pytest.fixture
def home(tmp_path: Path) -> Path:
    file = tmp_path / ".config" / "dsec" / "credentials"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"url": "http://saved:1/", "key": "saved"}))
    return tmp_path


def env(home: Path, **more: str) -> dict[str, str]:
    return {"HOME": str(home), **more}


def test_arguments_win_over_the_environment_over_the_file(home: Path) -> None:
    both = env(home, DSEC_URL="http://env:2", DSEC_API_KEY="env")
    assert resolve("arg:3", "arg", both) == Endpoint("http://arg:3", "arg")
    assert resolve(None, None, both) == Endpoint("http://env:2", "env")
    assert resolve(None, None, env(home)) == Endpoint("http://saved:1", "saved")


def test_a_saved_key_is_never_sent_to_another_server(home: Path) -> None:
    assert resolve("http://other:1", None, env(home)) == Endpoint("http://other:1", None)
    assert resolve("http://saved:1", None, env(home)) == Endpoint("http://saved:1", "saved")


def test_without_anything_it_is_the_local_server(tmp_path: Path) -> None:
    assert resolve(None, None, env(tmp_path)) == Endpoint(DEFAULT_URL, None)


@pytest.mark.parametrize("text", ["", "nonsense", "[]", '{"url": "http://x:1"}', '{"url": "x y", "key": 1'])
def test_a_broken_file_is_told(home: Path, text: str) -> None:
    (home / ".config/dsec/credentials").write_text(text)
    with pytest.raises(ConfigurationError, match="credentials"):
        resolve(None, None, env(home))


def test_a_broken_file_is_not_read_when_not_needed(home: Path) -> None:
    (home / ".config/dsec/credentials").write_text("nonsense")
    assert resolve("http://x:1", "k", env(home)).key == "k"


@pytest.mark.parametrize("url", ["ftp://x", "http://", "http://x:99999", "http://x/?a=b", "http://[x"])
def test_urls_of_no_server(tmp_path: Path, url: str) -> None:
    with pytest.raises(ConfigurationError, match="URL"):
        resolve(url, "k", env(tmp_path))


def test_a_key_that_would_break_the_head_of_a_request(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="key"):
        resolve("http://x", "a\r\nb", env(tmp_path))


def test_the_key_is_not_shown() -> None:
    assert "secret" not in repr(Endpoint("http://x", "secret"))


@pytest.mark.parametrize(
    ("url", "local"),
    [
        ("http://127.0.0.1:1", True),
        ("http://[::1]:1", True),
        ("http://localhost", True),
        ("http://a.b", False),
    ],
)
def test_no_proxy_is_asked_for_this_machine(url: str, local: bool) -> None:
    assert Endpoint(url, None).is_local is local
