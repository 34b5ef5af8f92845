# SPDX-License-Identifier: Apache-2.0
"""Values as they come."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from typing import TYPE_CHECKING, Generic, TypeVar

from dsec._io.blocking import run

if TYPE_CHECKING:
    from typing_extensions import Self

T = TypeVar("T")


class Stream(Generic[T]):
    """Values as they come. Leaving it early, by `close()` or `with`, drops its connection."""

    def __init__(self, source: AsyncGenerator[T, None]) -> None:
        self._source = source

    def __iter__(self) -> Iterator[T]:
        return self

    def __next__(self) -> T:
        try:
            return run(anext(self._source))
        except StopAsyncIteration:
            raise StopIteration from None

    def close(self) -> None:
        """Drops the connection; what runs in the sandbox goes on."""
        run(self._source.aclose())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
