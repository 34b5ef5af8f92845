# SPDX-License-Identifier: Apache-2.0
"""Several sandboxes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, overload

from dsec._flow import sandboxes
from dsec._flow.caller import Caller

if TYPE_CHECKING:
    from typing_extensions import Self

    from dsec.asynchronous.sandbox import AsyncSandbox


class AsyncGroup(Sequence["AsyncSandbox"]):
    """Several sandboxes. As a context manager they are deleted at the end, also when cancelled."""

    def __init__(self, caller: Caller, members: Iterable[AsyncSandbox]) -> None:
        self._caller = caller
        self._members = tuple(members)

    @overload
    def __getitem__(self, key: int) -> AsyncSandbox: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[AsyncSandbox]: ...

    def __getitem__(self, key: int | slice) -> AsyncSandbox | Sequence[AsyncSandbox]:
        return self._members[key]

    def __len__(self) -> int:
        return len(self._members)

    def __iter__(self) -> Iterator[AsyncSandbox]:
        return iter(self._members)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self)}>"

    async def delete(self) -> None:
        """As `Group.delete`."""
        await sandboxes.delete_each(self._caller, [box.id for box in self])

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        ids = [box.id for box in self]
        if error is None:
            await sandboxes.leave_all(self._caller, ids)
        else:
            await self._caller.io.see_through(sandboxes.discard_all(self._caller, ids))
