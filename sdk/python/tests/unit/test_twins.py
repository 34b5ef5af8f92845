# SPDX-License-Identifier: Apache-2.0
"""Both faces offer the same, and nothing else than documented."""

import inspect

import pytest

import dsec

PAIRS = [
    (dsec.Client, dsec.AsyncClient),
    (dsec.Sandbox, dsec.AsyncSandbox),
    (dsec.Files, dsec.AsyncFiles),
    (dsec.Group, dsec.AsyncGroup),
    (dsec.Port, dsec.AsyncPort),
    (dsec.Process, dsec.AsyncProcess),
    (dsec.Session, dsec.AsyncSession),
    (dsec.Terminal, dsec.AsyncTerminal),
    (dsec.Task, dsec.AsyncTask),
    (dsec.Batch, dsec.AsyncBatch),
    (dsec.Stream, dsec.AsyncStream),
]


def calls(kind: type) -> dict[str, list[tuple[str, object]]]:
    return {
        name.removeprefix("a") if name == "aclose" else name: [
            (p.name, p.default) for p in inspect.signature(member).parameters.values()
        ]
        for name, member in inspect.getmembers(kind, inspect.isfunction)
        if not name.startswith("_")
    }


@pytest.mark.parametrize(("blocking", "awaited"), PAIRS, ids=lambda kind: kind.__name__)
def test_both_faces_offer_the_same_calls(blocking: type, awaited: type) -> None:
    assert calls(blocking) == calls(awaited)


@pytest.mark.parametrize("name", sorted(set(dsec.__all__) - {"__version__"}))
def test_everything_public_is_documented(name: str) -> None:
    thing = getattr(dsec, name)
    if inspect.isclass(thing):
        assert thing.__doc__
        for method in calls(thing):
            assert getattr(thing, method, None) is None or inspect.getdoc(getattr(thing, method))
