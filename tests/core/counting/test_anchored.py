"""Counting from the provider's own figure, and learning from it."""

from __future__ import annotations

from dataclasses import replace

from ctx_core.conversation.messages import Message
from ctx_core.counting import Anchor, TokenCounter, count_anchored, latest_anchor

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


def test_the_latest_bill_in_a_conversation_is_found() -> None:
    """It is for what stood before the answer that carries it."""
    billed = [*TALK[:1], replace(TALK[1], billed=321), *TALK[2:]]
    assert latest_anchor(billed) == Anchor(billed=321, sent=billed[:1])
    assert latest_anchor(TALK) is None
