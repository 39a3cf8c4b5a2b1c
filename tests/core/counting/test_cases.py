"""The counting cases from public bug reports."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from ctx_core.counting import TokenCounter, Words, as_counter

CASES = Path(__file__).parents[4] / "shared" / "cases"
pytestmark = pytest.mark.skipif(not CASES.is_dir(), reason="the cases are not here")
Case = dict[str, Any]


def cases() -> list[Case]:
    """Give the cases that are about counting."""
    found = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(CASES.glob("*.json"))]
    return [case for case in found if case.get("op") == "count"]


def counter(case: Case) -> TokenCounter:
    """Give the counter that a case names."""
    name = case["budget"]["counter"]
    if name == "words":
        return as_counter(Words())
    return TokenCounter.for_model("gpt-4o") if name == "approx" else TokenCounter.for_encoding(name)


@pytest.mark.parametrize("case", cases() if CASES.is_dir() else [], ids=lambda case: str(case["id"]))
def test_case(case: Case) -> None:
    """What the report expected of a count holds."""
    messages = case["messages"]
    for made in case.get("generate", ()):
        messages[0]["content"] = made["repeat"] * made["times"]
    count = counter(case)
    total = count.count_messages(messages, tools=case.get("tools", ()))
    each = [count.count_messages([message]) for message in messages]
    for expected in case["expect"]:
        if found := re.fullmatch(r"count_between:(\d+)\.\.(\d+)", expected):
            assert int(found[1]) <= total <= int(found[2])
        elif found := re.fullmatch(r"count_each_at_least:(\d+):(\d+)", expected):
            assert each[int(found[1])] >= int(found[2])
        elif expected == "count_second>count_first":
            assert each[1] > each[0]
        elif expected == "count_not_proportional_to_payload":
            text = json.dumps(messages).replace("AAAA", "A" * 40)
            assert count.count_messages(json.loads(text)) < 3 * total
