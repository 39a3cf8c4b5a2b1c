"""Counting from the provider's own figure, and learning from it."""

from __future__ import annotations

import copy
import json
import pickle
import threading
from dataclasses import replace
from types import SimpleNamespace

import pytest

from ctx_core import ContextBuilder
from ctx_core.counting import Anchor, Calibration, TokenCounter, count_anchored, input_tokens, latest_anchor
from ctx_core.errors import BudgetError
from ctx_core.messages import ImagePart, Message, Role, TextPart

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
    cut = round(CLAUDE.measure(TALK).estimate * 0.6)  # billed for what a cut had left of it
    assert count_anchored(CLAUDE, TALK, Anchor(billed=cut, sent=TALK)) == CLAUDE.measure(TALK)


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


def test_what_a_host_adds_unseen_is_added_again() -> None:
    """With the model's own vocabulary the difference is a hidden prompt: it doesn't grow with the text."""
    calibration = Calibration()
    counter = TokenCounter.for_model("gpt-4o", calibration=calibration)
    for estimate in (100, 1_000, 10_000):
        calibration.observe("gpt-4o", estimate=estimate, billed=estimate + 40)
    assert counter.measure(TALK * 9).estimate == TokenCounter.for_model("gpt-4o").measure(TALK * 9).estimate + 40
    assert counter.calibrated.calibration is None


def test_bills_below_the_estimate_never_lower_an_exact_count() -> None:
    """Pictures that were cheaper than feared, or another conversation's cut, say nothing of the next request."""
    calibration = Calibration()
    counter = TokenCounter.for_model("gpt-4o", calibration=calibration)
    for _ in range(5):
        calibration.observe("gpt-4o", estimate=20_000, billed=14_000)
    assert counter.measure(TALK) == TokenCounter.for_model("gpt-4o").measure(TALK)


def test_a_margin_is_never_narrowed_to_nothing() -> None:
    """Half of it is kept whatever the bills say: the next text may be in another language."""
    calibration = Calibration()
    for _ in range(5):
        calibration.observe("claude-sonnet-4-5", estimate=1_000, billed=1_000)
    narrowed = calibration.applied(CLAUDE)
    assert narrowed.margin.text == pytest.approx(1 + (CLAUDE.margin.text - 1) / 2)
    assert narrowed.nearest.measure(TALK).estimate == CLAUDE.measure(TALK).estimate


def test_nearest_never_knows_a_calibration() -> None:
    """What bills are compared with must not be corrected by them, margin or not."""
    calibration = Calibration()
    counter = TokenCounter(len, model="mine", calibration=calibration)
    for _ in range(3):
        calibration.observe("mine", estimate=100, billed=150)
    assert counter.measure(TALK).estimate == counter.nearest.measure(TALK).estimate + 50


def test_a_request_with_pictures_teaches_nothing() -> None:
    """What a picture is billed says nothing of texts."""
    seen = Message(role=Role.USER, parts=(TextPart("Look"), ImagePart(url="https://example.org/a.png")))
    builder = ContextBuilder(50_000, "gpt-4o").calibration(Calibration())
    assert builder.build([seen]).estimate == 0
    assert builder.build([Message.user("Look")]).estimate > 0


def test_a_build_counts_by_what_was_learned_and_says_what_to_compare_with() -> None:
    """`Context.estimate` is the figure before calibration, so that learning from its bill does not run away."""
    calibration = Calibration()
    builder = ContextBuilder(50_000, "claude-sonnet-4-5").calibration(calibration)
    first = builder.build(TALK)
    assert first.estimate == CLAUDE.measure(TALK).estimate
    for _ in range(3):
        calibration.observe("claude-sonnet-4-5", estimate=first.estimate, billed=round(first.estimate * 1.05))
    second = builder.build(TALK)
    assert second.estimate == first.estimate
    assert round(first.estimate * 1.05) <= second.tokens < first.tokens
    assert ContextBuilder(50_000, "claude-sonnet-4-5").build(TALK).estimate == 0


def test_the_latest_bill_in_a_conversation_is_found() -> None:
    """It is for what stood before the answer that carries it."""
    billed = [*TALK[:1], replace(TALK[1], billed=321), *TALK[2:]]
    assert latest_anchor(billed) == Anchor(billed=321, sent=billed[:1])
    assert latest_anchor(TALK) is None


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"prompt_tokens": 12, "completion_tokens": 3}, 12),
        ({"usage": {"input_tokens": 12, "output_tokens": 3, "input_tokens_details": {"cached_tokens": 8}}}, 12),
        ({"input_tokens": 12, "cache_read_input_tokens": 100, "cache_creation_input_tokens": None}, 112),
        ({"usage": {"inputTokens": 12, "cacheReadInputTokens": 5, "cacheWriteInputTokens": 2}}, 19),
        ({"usage_metadata": {"prompt_token_count": 12}}, 12),
        ({"usageMetadata": {"promptTokenCount": 12}}, 12),
        ({"model": "llama3.2", "prompt_eval_count": 12}, 12),
        ({"meta": {"tokens": {"input_tokens": 12}}}, 12),
        ({"token_usage": {"prompt_tokens": 12}}, 12),
        (SimpleNamespace(usage=SimpleNamespace(prompt_tokens=12)), 12),
        ({"usage": None}, None),
        ({"prompt_tokens": 0}, None),
        ({"prompt_tokens": True}, None),
        ({"prompt_tokens": "12"}, None),
        ("prompt_tokens", None),
        (None, None),
    ],
)
def test_usage_of_every_provider_is_read(usage: object, tokens: int | None) -> None:
    """Cached input is a part of what was billed, whether a provider counts it in or apart."""
    assert input_tokens(usage) == tokens


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
    """It keeps the last bills of the last models, and comes back from JSON as it was."""
    calibration = Calibration(size=3, models=2)
    for model in ("a", "b", "c"):
        for billed in (900, 1_000, 1_100, 1_200):
            calibration.observe(model, estimate=1_000, billed=billed)
    known = json.loads(json.dumps(calibration.to_dict()))
    pairs = [[1_000, 1_000], [1_000, 1_100], [1_000, 1_200]]
    assert known == {"b": pairs, "c": pairs}
    damaged = {"d": "damaged", "e": [[1_000], "x", [1_000, 90_000], [1_000, None]]}
    assert Calibration.from_dict({**damaged, **known}).to_dict() == known
    assert Calibration.from_dict(None).to_dict() == Calibration.from_dict([]).to_dict() == {}
    assert pickle.loads(pickle.dumps(calibration)).to_dict() == known  # noqa: S301 - what was pickled here
    assert copy.deepcopy(calibration) is calibration


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
