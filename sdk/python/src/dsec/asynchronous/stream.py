# SPDX-License-Identifier: Apache-2.0
"""Values as they come."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from typing_extensions import Self

T = TypeVar("T")


class AsyncStream(Generic[T]):
    """Values as they come. Leaving it early, by `aclose()` or `async with`, drops its connection."""

    def __init__(self, source: AsyncGenerator[T, None]) -> None:
        self._source = source

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> T:
        return await anext(self._source)

    async def aclose(self) -> None:
        """Drops the connection; what runs in the sandbox goes on."""
        await self._source.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
