# SPDX-License-Identifier: Apache-2.0
"""What the client does, written once as coroutines over `dsec._io.IO`.

Over asyncio they run as any other. Over blocking I/O they never suspend, and `dsec._io.blocking.run`
drives them to their end in the caller's thread.
"""
