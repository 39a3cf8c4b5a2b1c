"""Counting from the provider's own figure, and learning from it."""

from __future__ import annotations

import json
import threading

import pytest

from ctx_core.counting import Anchor, Calibration, TokenCounter, count_anchored
from ctx_core.errors import BudgetError
from ctx_core.messages import Message

CLAUDE = TokenCounter.for_model("claude-sonnet-4-5")
TALK = [Message.user("Where were we? " * 40), Message.assistant("At the start. " * 40), Message.user("Go on.")]


def test_known_part_is_taken_from_the_bill() -> None:
    """The same request again costs what it was billed; the bound knows that bills waver by a few tokens."""
    found = count_anchored(CLAUDE, TALK, Anchor(billed=700, sent=TALK))
    assert (found.estimate, found.bound, found.anchored) == (700, 705, True)


def test_only_what_came_after_is_estimated() -> None:
    """A new message adds its estimate, scaled by what the bill shows of the text's density."""
    then = CLAUDE.measure(TALK[:2]).estimate
    now = CLAUDE.measure(TALK).estimate
    found = count_anchored(CLAUDE, TALK, Anchor(billed=round(then * 1.2), sent=TALK[:2]))
    assert found.estimate == round(round(then * 1.2) + (now - then) * (round(then * 1.2) / then))
    assert found.bound >= found.estimate


def test_what_was_cut_since_is_subtracted() -> None:
    """A message that is no longer sent takes its scaled share with it, a little less of it in the bound."""
    billed = round(CLAUDE.measure(TALK).estimate * 1.1)
    found = count_anchored(CLAUDE, TALK[1:], Anchor(billed=billed, sent=TALK))
    assert found.estimate < billed * 0.7
    assert found.estimate <= found.bound < billed


def test_figure_of_another_request_is_not_used() -> None:
    """A bill far from the estimate is none for these messages."""
    assert count_anchored(CLAUDE, TALK, Anchor(billed=50_000, sent=TALK)) == CLAUDE.measure(TALK)


def test_switch_turns_it_off() -> None:
    """Without anchors, and without leave to use one, the plain figures are given."""
    assert count_anchored(CLAUDE, TALK, None) == CLAUDE.measure(TALK)
    assert count_anchored(CLAUDE, TALK, Anchor(billed=700, sent=TALK), enabled=False) == CLAUDE.measure(TALK)


def test_calibration_narrows_estimate_and_bound() -> None:
    """After a few bills that agree, both figures are near them."""
    calibration = Calibration()
    before = CLAUDE.measure(TALK)
    for _ in range(5):
        assert calibration.observe("claude-sonnet-4-5", estimate=1_000, billed=1_100)
    after = calibration.applied(CLAUDE).measure(TALK)
    assert after.estimate > before.estimate
    assert after.bound - after.estimate < before.bound - before.estimate


@pytest.mark.parametrize(("estimate", "billed"), [(1_000, 5_000), (1_000, 100), (10, 12), (0, 10)])
def test_outlier_teaches_nothing(estimate: int, billed: int) -> None:
    """Ratios out of bounds and very small requests are left out."""
    calibration = Calibration()
    assert not calibration.observe("m", estimate=estimate, billed=billed)
    assert calibration.ratio("m") == 1.0


def test_median_outvotes_one_odd_bill() -> None:
    """One strange bill among many does not move the ratio."""
    calibration = Calibration()
    for billed in (1_100, 1_100, 1_990, 1_100, 1_100):
        calibration.observe("m", estimate=1_000, billed=billed)
    assert calibration.ratio("m") == 1.1


def test_calibration_is_bounded_and_plain_json() -> None:
    """It keeps the last ratios of the last models, and comes back from JSON as it was."""
    calibration = Calibration(size=3, models=2)
    for model in ("a", "b", "c"):
        for billed in (900, 1_000, 1_100, 1_200):
            calibration.observe(model, estimate=1_000, billed=billed)
    known = json.loads(json.dumps(calibration.to_dict()))
    assert known == {"b": [1.0, 1.1, 1.2], "c": [1.0, 1.1, 1.2]}
    assert Calibration.from_dict({**known, "d": "damaged"}).to_dict() == known


def test_disabled_calibration_changes_nothing() -> None:
    """Switched off, it neither learns nor corrects."""
    calibration = Calibration(enabled=False)
    assert not calibration.observe("claude-sonnet-4-5", estimate=1_000, billed=1_100)
    assert calibration.applied(CLAUDE) is CLAUDE


def test_calibration_is_shared_by_threads() -> None:
    """Threads that learn at once lose nothing."""
    calibration = Calibration(size=1_000)
    threads = [
        threading.Thread(target=lambda: [calibration.observe("m", estimate=100, billed=110) for _ in range(100)])
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(calibration.to_dict()["m"]) == 800


def test_calibration_without_room_is_refused() -> None:
    """A size of nothing is a mistake, said at once."""
    with pytest.raises(BudgetError, match="at least one"):
        Calibration(size=0)
