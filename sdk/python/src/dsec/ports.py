# SPDX-License-Identifier: Apache-2.0
"""What a server inside a sandbox answered."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class PortReply:
    """An answer, of whatever status. `headers` are by name in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)

    @property
    def ok(self) -> bool:
        """True for a status from 200 to 299."""
        return 200 <= self.status < 300

    @property
    def text(self) -> str:
        """The body as text, U+FFFD where it is not UTF-8."""
        return self.body.decode("utf-8", "replace")

    def json(self) -> Any:
        """The body as JSON; ValueError for what is none."""
        return json.loads(self.body)
