# SPDX-License-Identifier: Apache-2.0
"""The blocking face: every call waits in the caller's thread. Threads may share a client."""

from dsec.blocking.client import Client
from dsec.blocking.files import Files
from dsec.blocking.group import Group
from dsec.blocking.port import Port
from dsec.blocking.process import Process
from dsec.blocking.sandbox import Sandbox
from dsec.blocking.session import Session
from dsec.blocking.stream import Stream
from dsec.blocking.terminal import Terminal
from dsec.blocking.work import Batch, Task

__all__ = [
    "Batch",
    "Client",
    "Files",
    "Group",
    "Port",
    "Process",
    "Sandbox",
    "Session",
    "Stream",
    "Task",
    "Terminal",
]
