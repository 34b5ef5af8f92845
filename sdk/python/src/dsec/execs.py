# SPDX-License-Identifier: Apache-2.0
"""What may be said about a command besides its words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict

from dsec.amounts import Duration, Size


class ExecFields(TypedDict, total=False):
    """How a command runs in a sandbox.

    * `cwd`: absolute; the sandbox's working directory by default.
    * `env`: added over the sandbox's environment.
    * `user`: name or number; the sandbox's user by default.
    * `stdin`: text or bytes; end-of-file at once by default.
    * `timeout`: from the program's start; all that it started is killed then and the ending is `timeout`.
      Without one it may run as long as its sandbox.
    * `max_output`: bytes kept of each stream, half at each end; 10 MiB by default.
    """

    cwd: str
    env: Mapping[str, str]
    user: str
    stdin: str | bytes
    timeout: Duration
    max_output: Size
