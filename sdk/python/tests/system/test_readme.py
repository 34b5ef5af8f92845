# SPDX-License-Identifier: Apache-2.0
"""Every example of the README prints what the README says."""

import contextlib
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import dsec

README = Path(__file__).resolve().parents[2] / "README.md"
EXAMPLES = re.findall(
    r"^## (\d+\. [^\n]*)\n.*?```python\n(.*?)```\n```text\n(.*?)```", README.read_text(), re.M | re.S
)


@pytest.fixture(scope="module")
def names() -> Iterator[dict[str, Any]]:
    """What one example defines, the next ones use."""
    names: dict[str, Any] = {"dsec": dsec, "__name__": "example"}
    yield names
    names["client"].close()


def test_there_are_eleven_examples() -> None:
    assert len(EXAMPLES) == 11
    assert README.read_text().count("```python") == 11


@pytest.mark.parametrize(("title", "code", "expected"), EXAMPLES, ids=[e[0] for e in EXAMPLES])
def test_example(title: str, code: str, expected: str, names: dict[str, Any]) -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, f"README.md: {title}", "exec"), names)
    assert [line for line in printed.getvalue().splitlines() if line] == expected.splitlines()
