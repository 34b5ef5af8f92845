# SPDX-License-Identifier: Apache-2.0
"""Servers inside a sandbox."""

from __future__ import annotations

from collections.abc import Mapping

from dsec._core.views import PortView
from dsec._flow import ports
from dsec._flow.caller import Caller
from dsec.amounts import Duration
from dsec.execs import Input
from dsec.ports import PortReply


class AsyncPort(PortView):
    """A TCP port of a sandbox; `Port` says more."""

    def __init__(self, caller: Caller, sandbox: str, number: int) -> None:
        super().__init__(caller.io.endpoint, sandbox, number)
        self._caller = caller

    async def request(
        self,
        method: str,
        path: str = "/",
        *,
        body: Input | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: Duration | None = None,
        wait: Duration = 0,
    ) -> PortReply:
        """As `Port.request`."""
        return await ports.request(
            self._caller, self.sandbox, self.number, method, path, body, headers, timeout, wait
        )
