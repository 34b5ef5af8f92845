# SPDX-License-Identifier: Apache-2.0
"""Which server, and with which key."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from dsec.errors import ConfigurationError

DEFAULT_URL = "http://127.0.0.1:7070"


@dataclass(frozen=True)
class Endpoint:
    """The server's URL without a slash at its end, and a key for it where one is known."""

    url: str
    key: str | None = field(repr=False)

    @property
    def is_local(self) -> bool:
        """True for a server of this machine: proxies have nothing to do with it."""
        host = urlsplit(self.url).hostname or ""
        try:
            return host == "localhost" or ip_address(host).is_loopback
        except ValueError:
            return False


def resolve(url: str | None, key: str | None, environment: Mapping[str, str]) -> Endpoint:
    """What was given wins, then `DSEC_URL` and `DSEC_API_KEY`, then the credentials file.

    The file's key is used only for the URL that stands beside it: it is never sent to another server.
    """
    asked = url or environment.get("DSEC_URL", "").strip()
    chosen_key = key or environment.get("DSEC_API_KEY", "").strip()
    if asked and chosen_key:
        return Endpoint(_checked(asked), _checked_key(chosen_key))
    saved = _credentials(environment)
    chosen = _checked(asked or (saved.url if saved else DEFAULT_URL))
    if not chosen_key and saved and saved.url == chosen:
        chosen_key = saved.key or ""
    return Endpoint(chosen, _checked_key(chosen_key) if chosen_key else None)


def _credentials(environment: Mapping[str, str]) -> Endpoint | None:
    home = environment.get("HOME") or str(Path.home())
    file = Path(home, ".config", "dsec", "credentials")
    try:
        value = json.loads(file.read_bytes())
        return Endpoint(_checked(value["url"]), str(value["key"]))
    except FileNotFoundError:
        return None
    except OSError as e:
        raise ConfigurationError(f"cannot read the credentials file {file}: {e.strerror}") from e
    except (ValueError, LookupError, TypeError) as e:
        raise ConfigurationError(f'the credentials file {file} is not {{"url": …, "key": …}}: {e}') from e


def _checked(url: str) -> str:
    text = url if "://" in url else "http://" + url
    try:
        parts = urlsplit(text)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable or parts.query or parts.fragment:
        raise ConfigurationError(f'the URL "{url}" is none of a server; write http://HOST:PORT')
    return text.rstrip("/")


def _checked_key(key: str) -> str:
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise ConfigurationError("the API key has characters that no key has")
    return key
