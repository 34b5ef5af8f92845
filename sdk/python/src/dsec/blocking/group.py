# SPDX-License-Identifier: Apache-2.0
"""Several sandboxes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, overload

from dsec._flow import sandboxes
from dsec._flow.caller import Caller
from dsec._io.blocking import run

if TYPE_CHECKING:
    from typing_extensions import Self

    from dsec.blocking.sandbox import Sandbox


class Group(Sequence["Sandbox"]):
    """Several sandboxes. As a context manager they are deleted at the end, whatever ends the block."""

    def __init__(self, caller: Caller, members: Iterable[Sandbox]) -> None:
        self._caller = caller
        self._members = tuple(members)

    @overload
    def __getitem__(self, key: int) -> Sandbox: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[Sandbox]: ...

    def __getitem__(self, key: int | slice) -> Sandbox | Sequence[Sandbox]:
        return self._members[key]

    def __len__(self) -> int:
        return len(self._members)

    def __iter__(self) -> Iterator[Sandbox]:
        return iter(self._members)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self)}>"

    def delete(self) -> None:
        """Deletes all of them; that some are gone already is fine."""
        run(sandboxes.delete_each(self._caller, [box.id for box in self]))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        ids = [box.id for box in self]
        if error is None:
            run(sandboxes.leave_all(self._caller, ids))
        else:
            run(sandboxes.discard_all(self._caller, ids))
