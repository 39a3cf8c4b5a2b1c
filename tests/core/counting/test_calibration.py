"""Learning from bills: figures come nearer, builds become stricter where they must, and nothing else moves."""

from __future__ import annotations

import copy
import json
import pickle
import threading
from typing import Any

import pytest

from ctx_core import ContextBuilder, ContextOverflowError, HistoryPolicy, RollingSummary, ToolResultPolicy, WindowState
from ctx_core.conversation.messages import Message, Role
from ctx_core.conversation.parts import ImagePart, TextPart
from ctx_core.counting import Calibration, TokenCount, TokenCounter
from ctx_core.counting.calibration import Underestimate
from ctx_core.engine.layers import Layer, Rest
from ctx_core.errors import BudgetError
from ctx_core.sizes import Share, Tokens

MODEL = "claude-sonnet-4-5"
CLAUDE = TokenCounter.for_model(MODEL)
TALK = [Message.user("Where were we? " * 40), Message.assistant("At the start. " * 40), Message.user("Go on.")]


def counted(estimate: Any, bound: Any = None) -> TokenCount:
    """Give both figures of a request, without a margin if there is one figure only."""
    return TokenCount(estimate=estimate, bound=estimate if bound is None else bound)


def taught(*ratios: float, model: str = MODEL) -> TokenCounter:
    """Give a counter of a model whose bills were so many times their estimates."""
    calibration = Calibration()
    for ratio in ratios:
        assert calibration.observe(model, counted(10_000, 12_314), billed=round(10_000 * ratio))
    return TokenCounter.for_model(model, calibration=calibration)


def test_figures_come_nearer_as_bills_agree() -> None:
    """After three bills that agree, the estimate is theirs and the bound is nearer to it."""
    before, after = CLAUDE.measure(TALK), taught(1.1, 1.1, 1.1).measure(TALK)
    assert after.estimate == round(before.estimate * 1.1)
    assert after.estimate < after.bound < before.bound
    assert taught(1.1, 1.1).measure(TALK) == before


@pytest.mark.parametrize("ratios", [(0.6, 0.6, 0.6, 1.9), (0.5,), (0.7, 0.8, 1.3), (1.4, 1.5, 1.6), (1.0, 1.0, 1.0)])
def test_a_bound_is_never_below_a_bill_that_was_seen(ratios: tuple[float, ...]) -> None:
    """However low most bills are; and half of the margin is kept, as the next text may be in another language."""
    before, after = CLAUDE.measure(TALK), taught(*ratios).measure(TALK)
    assert len(ratios) < 3 or after.bound >= before.estimate * max(ratios)
    assert after.bound - before.estimate >= (before.bound - before.estimate) // 2
    assert after.bound >= after.estimate


@pytest.mark.parametrize("model", [MODEL, "gpt-4o", "grok-4", "command-a", "nobody-knows-me"])
def test_bills_within_their_bounds_make_no_bound_wider(model: str) -> None:
    """Nor is anything kept free for them, whatever is hidden in short requests."""
    plain, calibration = TokenCounter.for_model(model), Calibration()
    counter = TokenCounter.for_model(model, calibration=calibration)
    for size in (20, 40, 600, 3_000, 900):
        count = plain.measure([Message.user("tide " * size)])
        calibration.observe(model, count, billed=count.bound)
    assert counter.measure(TALK).bound <= plain.measure(TALK).bound
    assert calibration.underestimate(counter) == Underestimate()


def test_what_is_hidden_in_short_requests_takes_no_share_of_the_window() -> None:
    """It is as much in every request; of the largest it is next to nothing."""
    calibration = Calibration()
    counter = TokenCounter.for_model(MODEL, calibration=calibration)
    for size in (60, 70, 80, 90, 2_000, 8_000, 30_000):
        calibration.observe(MODEL, counted(size, round(size * 1.23) + 14), billed=size + 45)
    assert calibration.underestimate(counter).room(200_000) == 200_000


def test_density_of_a_model_without_a_vocabulary_is_learned() -> None:
    """Where another vocabulary stands in, bills grow with the request: nothing unseen is added once."""
    calibration = Calibration()
    counter = TokenCounter.for_model("command-a", calibration=calibration)
    plain = counter.uncalibrated
    for size in (200, 700, 2_000):
        count = plain.measure([Message.user("tide " * size)])
        calibration.observe("command-a", count, billed=round(count.estimate * 1.6))
    assert not counter.exact
    long = [Message.user("tide " * 50_000)]
    assert counter.measure(long).estimate == round(plain.measure(long).estimate * calibration.ratio("command-a"))
    assert ContextBuilder(200_000, counter).build(long).tokens >= plain.measure(long).estimate * 1.5


def test_what_a_host_adds_unseen_is_added_again() -> None:
    """With the model's own vocabulary the difference is a hidden prompt: it doesn't grow with the text."""
    calibration = Calibration()
    counter = TokenCounter.for_model("gpt-4o", calibration=calibration)
    for estimate in (100, 1_000, 10_000):
        calibration.observe("gpt-4o", counted(estimate), billed=estimate + 40)
    plain = TokenCounter.for_model("gpt-4o").measure(TALK * 9)
    assert counter.measure(TALK * 9).estimate == plain.estimate + 40
    context = ContextBuilder(8_000, counter).build(TALK)
    assert context.report.layer("underestimate").used == 40
    assert context.tokens == counter.count_messages(TALK) + 40


def test_what_one_bill_is_above_its_bound_is_in_the_bound_and_not_kept_free() -> None:
    """Builds keep free what all bills show; the bound of `measure` holds for what was seen."""
    calibration = Calibration()
    counter = TokenCounter.for_model("gpt-4o", calibration=calibration)
    for more in (60, 500, 40):
        calibration.observe("gpt-4o", counted(1_000), billed=1_000 + more)
    plain = counter.uncalibrated.measure(TALK)
    assert calibration.underestimate(counter) == Underestimate(offset=40)
    assert counter.measure(TALK) == counted(plain.estimate + 40, plain.bound + 500)


def test_the_share_of_a_summary_does_not_depend_on_bills() -> None:
    """Its size would move the prompt with each of them."""
    state = ContextBuilder(500, CLAUDE).build(TALK * 3, state=WindowState()).state.with_summary("And so on. " * 300)
    used = [
        ContextBuilder(3_000, counter)
        .rolling_summary(RollingSummary(cap=Tokens(2_000)))
        .build(TALK * 3, state=state)
        .report
        for counter in (CLAUDE, taught(1.3, 1.3, 1.3), taught(1.4, 1.4, 1.4))
    ]
    assert used[1].layer("underestimate").used > 0
    assert len({report.layer("summary").used for report in used}) == 1


def test_builds_count_the_same_and_are_only_made_stricter() -> None:
    """Bills within the bound change nothing; bills above it are kept free, and the report says so."""
    plain = ContextBuilder(8_000, CLAUDE).build(TALK)
    for counter in (taught(0.6, 0.6, 0.6), taught(1.1, 1.2, 1.1), taught(1.9, 1.0, 1.0)):
        assert ContextBuilder(8_000, counter).build(TALK).report == plain.report
    dense = ContextBuilder(8_000, taught(1.8, 1.8, 1.8)).build(TALK)
    assert dense.messages == plain.messages
    assert dense.tokens == plain.tokens + dense.report.layer("underestimate").used
    assert dense.tokens >= 1.8 / CLAUDE.margin.text * plain.tokens
    assert sum(layer.used for layer in dense.report.layers) == dense.tokens


def test_what_an_overflow_needs_is_enough() -> None:
    """With what bills show to be added, too."""
    counter = taught(1.8, 1.8, 1.8)
    with pytest.raises(ContextOverflowError) as caught:
        ContextBuilder(1_000, counter).build([Message.user("word " * 2_000)])
    needed = caught.value.needed
    assert ContextBuilder(needed, counter).build([Message.user("word " * 2_000)]).tokens <= needed


@pytest.mark.parametrize(
    "underestimate",
    [Underestimate(), Underestimate(offset=37), Underestimate(factor=1.37), Underestimate(factor=1.1, offset=5)],
)
@pytest.mark.parametrize("limit", [0, 1, 36, 100, 1_013, 8_000, 199_999])
def test_room_is_the_most_that_fits(underestimate: Underestimate, limit: int) -> None:
    """With its underestimate it is within the limit, and one more would not be by much."""
    room = underestimate.room(limit)
    assert room == 0 or room + underestimate.of(room) <= limit
    assert room + 2 + underestimate.of(room + 2) > limit


@pytest.mark.parametrize("cap", [Tokens(500), Share(0.05), Rest(0.1)])
def test_a_prompt_does_not_move_as_bills_come_in(cap: Tokens | Share | Rest) -> None:
    """What was cut stays cut as it is, and layers keep their size: the provider's cache stays warm."""
    calibration = Calibration()
    counter = TokenCounter.for_model(MODEL, calibration=calibration)
    call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    talk: list[dict[str, Any]] = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": "a row of the log, number 7\n" * 2_000},
    ]
    builder = ContextBuilder(8_000, counter).history(HistoryPolicy(results=ToolResultPolicy(max_tokens=4_000)))
    builder = builder.layer(Layer(name="notes", text="some fact, at some length\n" * 400, cap=cap))
    state, fronts = WindowState(), list[list[Any]]()
    for ratio in (1.04, 0.97, 1.01, 1.1, 1.3, 1.35, 1.3, 1.25, 1.34, 1.3, 1.32):
        context = builder.build(talk, state=state)
        state = context.state
        fronts.append([message["content"] for message in context.messages[:4]])
        assert context.count is not None
        calibration.observe(MODEL, context.count, billed=round(context.count.estimate * ratio))
        talk += [{"role": "assistant", "content": "a"}, {"role": "user", "content": "m"}]
    assert calibration.underestimate(counter).factor > 1
    assert all(front == fronts[0] for front in fronts)


def test_a_build_says_what_its_bill_is_compared_with() -> None:
    """`Context.count` is before calibration, so that learning from its bill does not run away."""
    estimate, bound = CLAUDE.measure(TALK).estimate, CLAUDE.count_messages(TALK)
    assert ContextBuilder(50_000, taught(1.5, 1.5, 1.5)).build(TALK).count == counted(estimate, bound)
    assert ContextBuilder(50_000, CLAUDE).build(TALK).count is None


@pytest.mark.parametrize("figure", [10**400, -5, 0, True, 1.5, float("nan"), "120", None, [1]])
def test_odd_figures_are_no_error_and_teach_nothing(figure: Any) -> None:
    """Whatever a provider sends."""
    calibration = Calibration()
    assert not calibration.observe("m", counted(1_000), billed=figure)
    assert not calibration.observe("m", counted(figure), billed=1_000)
    bills = [[1_000, 1_000, figure], [1_000, figure, 1_000], [figure, figure, 1_000]]
    assert Calibration.from_dict({"m": bills[:1] if figure == 10**400 else bills}).to_dict() == {}


def test_disabled_calibration_changes_nothing() -> None:
    """Switched off, it neither learns nor corrects."""
    counter = taught(1.8, 1.8, 1.8)
    assert counter.calibration is not None
    counter.calibration.enabled = False
    assert not counter.calibration.observe(MODEL, counted(1_000), billed=1_100)
    assert counter.measure(TALK) == CLAUDE.measure(TALK)
    assert ContextBuilder(8_000, counter).build(TALK).report == ContextBuilder(8_000, CLAUDE).build(TALK).report


def test_bills_below_the_estimate_never_lower_an_exact_count() -> None:
    """Pictures that were cheaper than feared, or another conversation's cut, say nothing of the next request."""
    calibration = Calibration()
    counter = TokenCounter.for_model("gpt-4o", calibration=calibration)
    for _ in range(5):
        calibration.observe("gpt-4o", counted(20_000), billed=14_000)
    assert counter.measure(TALK) == TokenCounter.for_model("gpt-4o").measure(TALK)


def test_estimates_without_a_margin_never_know_a_calibration() -> None:
    """What bills are compared with must not be corrected by them, margin or not."""
    calibration = Calibration()
    counter = TokenCounter(len, model="mine", calibration=calibration)
    for _ in range(3):
        calibration.observe("mine", counted(100), billed=150)
    assert counter.measure(TALK).estimate == counter.without_margin.measure(TALK).estimate + 50


def test_a_request_with_pictures_teaches_nothing() -> None:
    """What a picture is billed says nothing of texts."""
    seen = Message(role=Role.USER, parts=(TextPart("Look"), ImagePart(url="https://example.org/a.png")))
    builder = ContextBuilder(50_000, "gpt-4o").calibration(Calibration())
    assert builder.build([seen]).count is None
    assert builder.build([Message.user("Look")]).count is not None


@pytest.mark.parametrize(("estimate", "billed"), [(1_000, 5_000), (1_000, 100), (10, 12), (0, 10)])
def test_outlier_teaches_nothing(estimate: int, billed: int) -> None:
    """Ratios out of bounds and very small requests are left out."""
    calibration = Calibration()
    assert not calibration.observe("m", counted(estimate), billed=billed)
    assert calibration.ratio("m") == 1.0


def test_median_outvotes_one_odd_bill() -> None:
    """One strange bill among many does not move the ratio."""
    calibration = Calibration()
    for billed in (1_100, 1_100, 1_990, 1_100, 1_100):
        calibration.observe("m", counted(1_000), billed=billed)
    assert calibration.ratio("m") == 1.1


def test_calibration_is_bounded_and_plain_json() -> None:
    """It keeps the last bills of the last models, and comes back from JSON as it was."""
    calibration = Calibration(size=3, models=2)
    for model in ("a", "b", "c"):
        for billed in (900, 1_000, 1_100, 1_200):
            calibration.observe(model, counted(1_000), billed=billed)
    known = json.loads(json.dumps(calibration.to_dict()))
    bills = [[1_000, 1_000, 1_000], [1_000, 1_000, 1_100], [1_000, 1_000, 1_200]]
    assert known == {"b": bills, "c": bills}
    damaged = {
        "d": "damaged",
        "e": [[1_000, 1_000], "x", [1_000, 1_000, 90_000], [1_000, 900, 1_000], [1_000, 1, None]],
    }
    assert Calibration.from_dict({**damaged, **known}).to_dict() == known
    assert Calibration.from_dict(None).to_dict() == Calibration.from_dict([]).to_dict() == {}
    assert pickle.loads(pickle.dumps(calibration)).to_dict() == known  # noqa: S301 - what was pickled here
    assert copy.deepcopy(calibration) is calibration


def test_calibration_is_shared_by_threads() -> None:
    """Threads that learn at once lose nothing."""
    calibration = Calibration(size=1_000)
    threads = [
        threading.Thread(target=lambda: [calibration.observe("m", counted(100), billed=110) for _ in range(100)])
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
