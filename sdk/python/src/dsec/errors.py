# SPDX-License-Identifier: Apache-2.0
"""Everything that this package raises of its own is a `DsecError`.

* `ApiError`: the server refused; one subclass per error code of the API.
* `TransportError`: the server was not reached (`NoServer`) or the connection broke (`ConnectionLost`).
* `ProtocolError`: the server answered with what this client does not understand.
* `ProgramFailed`, `SandboxFault`: raised by `check()` of a result alone.
* `NotReady`, `ConfigurationError`: see there.

`is_fault` of each tells those that say nothing of what ran: training masks them. All can be pickled, so they
cross process boundaries.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from dsec.results import Outcome


class DsecError(Exception):
    """Base of all errors of this package."""

    @property
    def is_fault(self) -> bool:
        """True when the platform is to blame: mask what met it in training, do not score it."""
        return False


class ConfigurationError(DsecError, ValueError):
    """The URL, the key or the credentials file cannot be used."""


@dataclass(frozen=True)
class ErrorDetail:
    """What the server says of an error.

    `status` is the HTTP status, `field` the field of the request that is wrong, `retry_after` seconds.
    `reason` is a word such as `node_lost` for a sandbox that is not there for the call.
    """

    code: str
    message: str
    hint: str | None = None
    field: str | None = None
    request_id: str | None = None
    status: int = 0
    retry_after: float | None = None
    reason: str | None = None
    is_fault: bool = False


class ApiError(DsecError):
    """The server refused a call. Codes that this client does not know raise this class itself."""

    code: ClassVar[str] = ""

    def __init__(self, detail: ErrorDetail) -> None:
        super().__init__(detail)
        self.detail = detail

    @property
    def message(self) -> str:
        """What was tried, on what, and why it failed."""
        return self.detail.message

    @property
    def hint(self) -> str | None:
        """What to do, where the server knows."""
        return self.detail.hint

    @property
    def field(self) -> str | None:
        """The field of the request that is wrong, such as `resources.memory`."""
        return self.detail.field

    @property
    def reason(self) -> str | None:
        """Why the sandbox is not there for the call, such as `ttl_expired` or `node_lost`."""
        return self.detail.reason

    @property
    def is_fault(self) -> bool:
        """True when the platform is to blame, neither the request nor what ran."""
        return self.detail.is_fault

    @property
    def request_id(self) -> str | None:
        """Under which the server's log has the call."""
        return self.detail.request_id

    @property
    def status(self) -> int:
        """The HTTP status."""
        return self.detail.status

    @property
    def retry_after(self) -> float | None:
        """Seconds after which the server wants to be asked again."""
        return self.detail.retry_after

    def __str__(self) -> str:
        d = self.detail
        text = f"{d.code}: {d.message}"
        if d.field and d.field not in d.message:
            text += f" (field {d.field})"
        if d.hint:
            text += f"\n  hint: {d.hint}"
        if d.request_id:
            text += f"\n  request: {d.request_id}"
        return text


class InvalidRequest(ApiError):
    """400: a field is missing, unknown or out of its range; `field` names it."""

    code = "invalid_request"


class Unauthorized(ApiError):
    """401: no key, or one that the server does not know."""

    code = "unauthorized"


class Forbidden(ApiError):
    """403: the key may not do this."""

    code = "forbidden"


class NotFound(ApiError):
    """404: no such thing, or not one of this tenant."""

    code = "not_found"


class Conflict(ApiError):
    """409: an idempotency key came again with another content."""

    code = "conflict"


class SandboxFailed(ApiError):
    """409: the sandbox could not be started or broke."""

    code = "sandbox_failed"


class Gone(ApiError):
    """410: the sandbox has ended."""

    code = "gone"


class TooLarge(ApiError):
    """413: the body is larger than the server takes (64 MiB)."""

    code = "too_large"


class TierUnavailable(ApiError):
    """422: no node has the isolation asked for."""

    code = "tier_unavailable"


class DiskFull(ApiError):
    """422: the sandbox's disk takes no more."""

    code = "disk_full"


class RangeNotSatisfiable(ApiError):
    """416: the file ends before the part that was asked for."""

    code = "range_not_satisfiable"


class ImageNotFound(ApiError):
    """422: no such image."""

    code = "image_not_found"


class ImageInvalid(ApiError):
    """422: the image is broken."""

    code = "image_invalid"


class ImageUntrusted(ApiError):
    """422: the image is not signed by anybody trusted."""

    code = "image_untrusted"


class BadCwd(ApiError):
    """422: the working directory does not exist; nothing ran."""

    code = "bad_cwd"


class ProgramNotFound(ApiError):
    """422: the program does not exist; nothing ran."""

    code = "program_not_found"


class NotExecutable(ApiError):
    """422: the program may not be executed; nothing ran."""

    code = "not_executable"


class BadUser(ApiError):
    """422: the user does not exist; nothing ran."""

    code = "bad_user"


class RateLimited(ApiError):
    """429: too many creates per second; `retry_after` tells when to come again."""

    code = "rate_limited"


class QuotaExceeded(ApiError):
    """429: the request can never fit."""

    code = "quota_exceeded"


class Internal(ApiError):
    """500: a fault of the server; its log has it under `request_id`."""

    code = "internal"


class NotSupported(ApiError):
    """501: this release of the server does not have the call or field."""

    code = "not_supported"


class BadGateway(ApiError):
    """502: the server inside the sandbox closed without an answer, or speaks no HTTP."""

    code = "bad_gateway"


class NoCapacity(ApiError):
    """503: nothing can take the work now."""

    code = "no_capacity"


class Timeout(ApiError):
    """504: the server gave up waiting."""

    code = "timeout"


BY_CODE: dict[str, type[ApiError]] = {kind.code: kind for kind in ApiError.__subclasses__()}


class TransportError(DsecError):
    """The server could not be asked, or its answer did not come."""

    @property
    def is_fault(self) -> bool:
        """True."""
        return True


class NoServer(TransportError):
    """Nothing was sent: no server answers at that address, or not within the connect timeout."""


class ConnectionLost(TransportError):
    """The connection broke, or the answer took too long: the call may or may not have been done."""


class ProtocolError(DsecError):
    """The answer is none that this client understands; use a client of the server's version."""

    @property
    def is_fault(self) -> bool:
        """True."""
        return True


class NotReady(DsecError):
    """The sandbox did not run within `wait_timeout`, and was deleted if the call had made it."""

    @property
    def is_fault(self) -> bool:
        """True."""
        return True


class _ResultError(DsecError):
    def __init__(self, result: Outcome) -> None:
        super().__init__(result)
        self.result = result

    def __str__(self) -> str:
        r = self.result
        last = r.stderr.strip().splitlines()[-1:] or r.stdout.strip().splitlines()[-1:]
        return r.ending.describe() + (f": {last[0][:500]}" if last else "")


class ProgramFailed(_ResultError):
    """The program failed by its own doing: score it. `result` has its ending and output."""


class SandboxFault(_ResultError):
    """The platform failed, not the program: mask it, do not score it. `result` has the ending."""

    @property
    def is_fault(self) -> bool:
        """True."""
        return True
