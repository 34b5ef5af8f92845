# SPDX-License-Identifier: Apache-2.0
"""What a server's answer means."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from dsec.errors import BY_CODE, ApiError, ErrorDetail, ProtocolError


def decode(body: bytes, what: str) -> dict[str, Any]:
    """The JSON object of a reply or of a line."""
    try:
        value = json.loads(body)
    except ValueError as e:
        raise ProtocolError(f"{what}: the server sent no JSON but {_head(body)}") from e
    if not isinstance(value, dict):
        raise ProtocolError(f"{what}: the server sent no object but {_head(body)}")
    return value


def error_of(status: int, headers: Mapping[str, str], body: bytes, what: str) -> ApiError:
    """The error of a reply with a status of 300 or more, whoever sent it."""
    try:
        error = decode(body, what).get("error")
    except ProtocolError:
        error = None
    if not isinstance(error, dict) or not isinstance(error.get("code"), str):
        error = {
            "code": f"http_{status}",
            "message": f"{what} was answered with status {status}: {_head(body)}",
            "hint": "this was no DSec server's answer; is there a proxy in between?",
        }
    detail = ErrorDetail(
        code=error["code"],
        message=str(error.get("message", "")),
        hint=error.get("hint"),
        field=error.get("field"),
        request_id=error.get("request_id") or headers.get("x-request-id"),
        status=status,
        retry_after=retry_after(headers.get("retry-after")),
        reason=error.get("reason"),
        is_fault=bool(error.get("is_fault", status >= 500)),
    )
    return BY_CODE.get(detail.code, ApiError)(detail)


def retry_after(text: str | None) -> float | None:
    """Seconds of a Retry-After header; None for a date or anything else."""
    return float(text) if text is not None and text.isascii() and text.isdigit() else None


def _head(body: bytes) -> str:
    text = body[:200].decode("utf-8", "replace")
    return f'"{text}"' + (" …" if len(body) > 200 else "")
