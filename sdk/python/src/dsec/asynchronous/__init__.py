# SPDX-License-Identifier: Apache-2.0
"""The asyncio face: the same calls as `dsec.blocking`, awaited. Each says there what it does."""

from dsec.asynchronous.client import AsyncClient
from dsec.asynchronous.files import AsyncFiles
from dsec.asynchronous.group import AsyncGroup
from dsec.asynchronous.opening import Opening
from dsec.asynchronous.port import AsyncPort
from dsec.asynchronous.process import AsyncProcess
from dsec.asynchronous.sandbox import AsyncSandbox
from dsec.asynchronous.session import AsyncSession
from dsec.asynchronous.stream import AsyncStream
from dsec.asynchronous.terminal import AsyncTerminal
from dsec.asynchronous.work import AsyncBatch, AsyncTask

__all__ = [
    "AsyncBatch",
    "AsyncClient",
    "AsyncFiles",
    "AsyncGroup",
    "AsyncPort",
    "AsyncProcess",
    "AsyncSandbox",
    "AsyncSession",
    "AsyncStream",
    "AsyncTask",
    "AsyncTerminal",
    "Opening",
]
