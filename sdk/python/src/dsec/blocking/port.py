# SPDX-License-Identifier: Apache-2.0
"""Servers inside a sandbox."""

from __future__ import annotations

from collections.abc import Mapping

from dsec._core.views import PortView
from dsec._flow import ports
from dsec._flow.caller import Caller
from dsec._io.blocking import run
from dsec.amounts import Duration
from dsec.execs import Input
from dsec.ports import PortReply


class Port(PortView):
    """A TCP port of a sandbox's loopback address, behind which a server speaks HTTP or WebSocket.

    `url` and `headers` are for other clients: whatever is below `url` goes to the server inside.
    """

    def __init__(self, caller: Caller, sandbox: str, number: int) -> None:
        super().__init__(caller.io.endpoint, sandbox, number)
        self._caller = caller

    def request(
        self,
        method: str,
        path: str = "/",
        *,
        body: Input | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: Duration | None = None,
        wait: Duration = 0,
    ) -> PortReply:
        """Calls the server inside; its answer, whatever its status.

        `path` may have a query, encoded. `timeout` bounds the silence of the server, 30 s by default. With a
        `wait` a server that does not listen yet is waited for. GET, HEAD and OPTIONS are sent again after a
        lost connection.

        Raises:
            Conflict: nothing listens there; `field` is `port`.
            ConnectionLost: the server inside may have done it.
        """
        return run(
            ports.request(self._caller, self.sandbox, self.number, method, path, body, headers, timeout, wait)
        )
