# SPDX-License-Identifier: Apache-2.0
import pytest

from dsec._core.request import Repeat
from dsec._core.retry import Retries, Tries
from dsec.errors import (
    BY_CODE,
    ApiError,
    ConnectionLost,
    DsecError,
    ErrorDetail,
    NoServer,
    ProtocolError,
)


def api(code: str, status: int, retry_after: float | None = None) -> ApiError:
    return BY_CODE.get(code, ApiError)(ErrorDetail(code, "", status=status, retry_after=retry_after))


#                failure                                safe   other
TABLE: list[tuple[DsecError, bool, bool]] = [
    (NoServer(), True, True),
    (ConnectionLost(), True, False),
    (api("rate_limited", 429, 2), True, True),
    (api("no_capacity", 503, 5), True, True),
    (api("no_capacity", 503), True, False),
    (api("http_502", 502), True, False),
    (api("timeout", 504), True, False),
    (api("quota_exceeded", 429), False, False),
    (api("internal", 500), False, False),
    (api("not_supported", 501), False, False),
    (api("conflict", 409), False, False),
    (api("invalid_request", 400), False, False),
    (api("unauthorized", 401), False, False),
    (api("program_not_found", 422), False, False),
    (api("program_not_found", 422, 1), False, False),
    (ProtocolError(), False, False),
]


@pytest.mark.parametrize(("failure", "safe", "other"), TABLE, ids=lambda v: str(v)[:30])
def test_what_is_sent_again(failure: DsecError, safe: bool, other: bool) -> None:
    for repeat, expected in ((Repeat.SAFE, safe), (Repeat.REFUSED, other)):
        assert (Tries(Retries(), repeat).pause(failure, 0) is not None) is expected


def test_pauses_double_up_to_the_longest_and_end() -> None:
    tries = Tries(Retries(attempts=6, first=1, longest=5), Repeat.SAFE)
    assert [tries.pause(NoServer(), 0) for _ in range(6)] == [1, 2, 4, 5, 5, None]


def test_luck_shortens_a_pause_by_up_to_half() -> None:
    assert Tries(Retries(first=1), Repeat.SAFE).pause(NoServer(), 1) == 0.5


def test_retry_after_is_waited_for_and_never_undercut() -> None:
    tries = Tries(Retries(attempts=1, patience=10), Repeat.REFUSED)
    busy = api("rate_limited", 429, 4)
    assert tries.pause(busy, 0) == 4
    assert tries.pause(busy, 1) == 6
    assert tries.pause(busy, 0) is None, "10 s of patience are used up"


def test_one_attempt_means_no_retry() -> None:
    assert Tries(Retries(attempts=1), Repeat.SAFE).pause(NoServer(), 0) is None


@pytest.mark.parametrize("wrong", [{"attempts": 0}, {"patience": -1.0}, {"first": -1.0}])
def test_senseless_retries_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="retries"):
        Retries(**wrong)
