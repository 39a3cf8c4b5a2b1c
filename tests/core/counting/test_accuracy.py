"""The accuracy benchmark on the recorded bills, held to its aims."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("splintr", reason="splintr-rs is not installed")

from benchmarks.accuracy import counter_of, options_of, results
from benchmarks.conversations import continued
from benchmarks.recorded import recorded
from ctx_core.counting import FAMILIES, Calibration, family_of

if TYPE_CHECKING:
    from collections.abc import Callable

RECORDED = Path(__file__).parents[4] / "shared" / "data" / "usage" / "recorded.jsonl.gz"
pytestmark = pytest.mark.skipif(not RECORDED.is_file(), reason="the recorded bills are not here")
Row = dict[str, Any]


@pytest.fixture(name="rows", scope="module")
def _rows() -> list[Row]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("benchmarks.accuracy.peers", dict)  # only our own rows are judged here
        found = results(recorded(RECORDED))
    assert found
    assert {row["counter"].split(",")[0] for row in found} == {"ctx-layers"}
    return found


def mean(rows: list[Row], figure: str, chosen: Callable[[Row], bool]) -> float:
    """Give the mean of a figure over the rows of requests that are chosen."""
    kept = [row for row in rows if chosen(row) and row["kind"] != "conversation"]
    return float(sum(row[figure] * row["rows"] for row in kept) / sum(row["rows"] for row in kept))


@pytest.mark.parametrize(
    ("family", "kinds", "figure", "least"),
    [
        ("OpenAI chat", "text", "exact", 0.99), ("OpenAI reasoning", "text", "exact", 0.95),
        ("OpenAI", "tools", "within_2", 0.93), ("OpenAI", "calls", "within_2", 0.93),
        ("OpenAI", "tools", "within_5pct", 0.97), ("OpenAI", "calls", "within_5pct", 0.97),
        ("Llama", "text", "within_5pct", 0.8), ("gpt-oss", "text", "within_5pct", 0.8),
        ("Mistral", "text", "within_5pct", 0.8), ("DeepSeek", "text", "within_5pct", 0.8),
        ("Qwen", "text", "within_5pct", 0.8), ("GLM", "text", "within_5pct", 0.8),
    ],
)  # fmt: skip
def test_estimates_are_near(rows: list[Row], family: str, kinds: str, figure: str, least: float) -> None:
    """Shares of requests whose estimate is exact or near."""
    found = mean(rows, figure, lambda row: row["family"].startswith(family) and row["kind"] in kinds.split())
    assert found >= least


@pytest.mark.parametrize(
    ("family", "kinds", "most"),
    [("OpenAI", "text", 0.002), ("OpenAI", "tools", 0.01), ("OpenAI", "calls", 0.01)],
)
def test_bounds_of_openai_are_hardly_ever_under(rows: list[Row], family: str, kinds: str, most: float) -> None:
    """Where the estimate is exact the bound is a small margin over it."""
    found = mean(rows, "under_bound", lambda row: row["family"].startswith(family) and row["kind"] in kinds.split())
    assert found <= most


@pytest.mark.parametrize(("family", "most"), [("Claude", 0.01), ("Gemini", 0.02)])
def test_bounds_are_seldom_under(rows: list[Row], family: str, most: float) -> None:
    """The share of bills above the bound, of all kinds of requests."""
    assert mean(rows, "under_bound", lambda row: row["family"].startswith(family)) <= most


def test_bounds_of_all_other_families_are_seldom_under(rows: list[Row]) -> None:
    """At most one bill in twenty, in every family with 30 bills or more."""
    families = {row["family"] for row in rows} - {"OpenAI chat", "OpenAI reasoning"}
    sizes = {name: sum(row["rows"] for row in rows if row["family"] == name) for name in families}
    large = [name for name, size in sizes.items() if size >= 30]
    assert len(large) > 10
    under = {
        name: mean([row for row in rows if row["family"] == name], "under_bound", lambda _: True) for name in large
    }
    assert [name for name, share in under.items() if share > 0.05] == []


def test_estimates_without_vocabulary_are_not_far_off(rows: list[Row]) -> None:
    """Claude's estimate exceeds the bill by less than 12 % on average, Gemini's is within 15 %."""
    assert mean(rows, "mean_excess", lambda row: row["family"].startswith("Claude")) <= 0.12
    assert mean(rows, "mean_error", lambda row: row["family"] == "Gemini") <= 0.15


def test_anchored_counting_is_nearer(rows: list[Row]) -> None:
    """In conversations of three requests and more an anchored estimate is within 1 % on average."""
    kept = [row for row in rows if row["kind"] == "conversation"]
    assert sum(row["rows"] for row in kept) > 100
    assert sum(row["mean_error"] * row["rows"] for row in kept) / sum(row["rows"] for row in kept) <= 0.01


def test_a_calibration_holds_over_unlike_requests() -> None:
    """Over all bills in their order: the bound is under hardly more often, the estimate about as near."""
    calibration, under, errors, seen = Calibration(), [0, 0], [0.0, 0.0], 0
    known: Counter[str] = Counter()
    for row in recorded(RECORDED):
        model = f"{row.provider}/{row.api}/{row.model}"
        plain = replace(counter_of(row), model=model)
        first = plain.measure(row.messages, tools=row.tools, options=options_of(row))
        counts = [first, calibration.corrected(plain, first)]
        if known[model] >= 3:
            seen += 1
            for at, count in enumerate(counts):
                under[at] += count.bound < row.billed
                errors[at] += abs(count.estimate - row.billed) / row.billed
        if row.kind != "media":
            known[model] += calibration.observe(model, first, billed=row.billed)
    assert under[1] <= min(under[0] + 1, 0.005 * seen)
    assert errors[1] <= errors[0] * 1.05


def test_a_calibration_narrows_as_a_conversation_goes_on() -> None:
    """After three bills of a conversation the bound of a model counted by a ratio is nearer, and still holds."""
    pairs = list(continued(recorded(RECORDED)))
    before = {id(row): previous for row, previous in pairs}
    margins, errors = [list[float](), list[float]()], [0.0, 0.0]
    for row, _ in pairs:
        calibration, plain, earlier = Calibration(), replace(counter_of(row), model="m"), row
        while id(earlier) in before:
            earlier = before[id(earlier)]
            count = plain.measure(earlier.messages, tools=earlier.tools, options=options_of(earlier))
            calibration.observe("m", count, billed=earlier.billed)
        if plain.exact or len(calibration.to_dict().get("m", ())) < 3:
            continue
        first = plain.measure(row.messages, tools=row.tools, options=options_of(row))
        for at, count in enumerate([first, calibration.corrected(plain, first)]):
            assert count.bound >= row.billed
            margins[at].append(count.bound / row.billed - 1)
            errors[at] += abs(count.estimate - row.billed)
    assert len(margins[0]) >= 10
    assert sum(margins[1]) < 0.75 * sum(margins[0])
    assert errors[1] <= errors[0]


def test_the_table_says_how_many_bills_are_behind_each_row() -> None:
    """`Family.rows` are the recorded requests that are counted by it."""
    counted = Counter(id(family_of(row.model, api=row.api, host=row.provider)) for row in recorded(RECORDED))
    wrong = [(family.models[0], family.rows, counted[id(family)]) for family in FAMILIES]
    assert [one for one in wrong if one[1] != one[2]] == []
