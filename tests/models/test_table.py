"""Each client's model object gets the window, the answer and the reserve that the documentation says."""

from __future__ import annotations

from pathlib import Path

import pytest

from ctx_core import ContextBudget
from ctx_core.counting.windows import least_room
from tests.models.table import ENVIRONMENT, HEADING, ROWS, Row

PAGE = (Path(__file__).parents[2] / "docs" / "models.md").read_text("utf-8")
TABLE = [line for line in PAGE.partition(HEADING)[2].partition("\n\n")[0].splitlines() if line.startswith("| `")]
PARAMETERS = [
    pytest.param(
        row, line, id=row.code, marks=pytest.mark.skipif(not row.installed, reason=f"{row.package} is not installed")
    )
    for row, line in zip(ROWS, TABLE, strict=True)
]


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the clients want to find."""
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize(("row", "line"), PARAMETERS)
def test_the_table_says_what_each_object_gets(row: Row, line: str) -> None:
    """A client that changes its defaults fails here; `python -m tests.models.table` prints the new line."""
    assert row.line() == line


@pytest.mark.parametrize(("row", "line"), PARAMETERS)
def test_input_and_answer_are_within_the_window(row: Row, line: str) -> None:
    """What may be sent and what will be asked for are no more together than the window, or each within its own."""
    del line
    model = row.make()
    room, budget = least_room(model), ContextBudget.for_model(model)
    together = budget.input_limit + (0 if room.window.input_only else room.answer)
    assert together <= room.window.tokens


def test_nine_client_packages_are_in_the_table() -> None:
    """Both frameworks' clients of the providers that payloads are tested with."""
    assert len({row.package for row in ROWS}) >= 9
