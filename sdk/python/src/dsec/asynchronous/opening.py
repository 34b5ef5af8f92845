# SPDX-License-Identifier: Apache-2.0
"""What is about to be made."""

from __future__ import annotations

from collections.abc import Coroutine, Generator
from types import TracebackType
from typing import Any, Generic, Protocol, TypeVar


class _Block(Protocol):
    async def __aenter__(self) -> Any: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> Any: ...


B = TypeVar("B", bound=_Block)


class Opening(Generic[B]):
    """Something about to be made: `await` it, or enter it with `async with`, which ends it with the block."""

    def __init__(self, making: Coroutine[Any, Any, B]) -> None:
        self._making = making
        self._made: B | None = None

    def __await__(self) -> Generator[Any, Any, B]:
        return self._making.__await__()

    async def __aenter__(self) -> B:
        self._made = await self._making
        await self._made.__aenter__()
        return self._made

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._made is not None:
            await self._made.__aexit__(kind, error, trace)
