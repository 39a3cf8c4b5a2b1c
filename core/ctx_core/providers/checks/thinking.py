"""What the model has thought: that it is whole, where it belongs, and signed."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Final

from ctx_core.conversation.fields import mapping_in
from ctx_core.providers.checks.reading import Found
from ctx_core.providers.models import Models, is_named, version_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctx_core.providers.checks.checked import CheckedRequest
    from ctx_core.providers.checks.reading import Block, Turn
    from ctx_core.providers.rules import Rule

_THINK_BY_DEFAULT: Final = (
    Models(names=("claude",), word="fable"),
    Models(names=("claude",), word="mythos"),
    Models(names=("claude",), since=(5,)),
)
"""Models of Anthropic's that think unless they are told not to."""
_FOR_NEW_ACCOUNTS: Final = (5, 1)
"""The version whose models hold thinking to what was before only for accounts that are newer than the rule."""
_DEEPSEEK_THINKS: Final = ("deepseek-reasoner", "deepseek-r1")


def thinking_bound(rule: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find thinking that is known to be given behind something else."""
    created, model = checked.known.account_created, checked.target.model
    begun = date.fromisoformat(rule.since) if rule.since else None
    is_dated = model is not None and version_of(model) == _FOR_NEW_ACCOUNTS
    if is_dated and created is not None and begun is not None and created < begun:
        return
    if mapping_in(checked.reading.thinking, "block_binding").get("prefix_mismatch_behavior") == "drop_block":
        return
    for block in _thoughts(checked):
        if block.signature in checked.known.bound_elsewhere:
            yield Found(path=block.path)


def thinking_unmodified(_: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find thinking that is known to have been another text."""
    for block in _thoughts(checked):
        if block.signature is not None and checked.known.thinking.get(block.signature, block.text) != block.text:
            yield Found(path=block.path)


def signatures_valid(_: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find signatures that are known to be wrong."""
    for turn in checked.turns:
        for block in turn.blocks:
            if block.signature is not None and block.signature in checked.known.invalid:
                yield Found(path=block.path)


def thinking_signed(_: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find thinking that has no signature, and is not sealed."""
    yield from (Found(path=block.path) for block in _thoughts(checked) if not block.signature)


def loop_keeps_thinking(_: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find a running loop whose assistant turn does not begin with thinking, with a budget of it."""
    if checked.reading.thinking.get("type") != "enabled" or not checked.turns or not checked.turns[-1].results:
        return
    turn = next((turn for turn in reversed(checked.turns) if turn.role == "assistant"), None)
    if turn is not None and (not turn.blocks or turn.blocks[0].kind != "thinking"):
        yield Found(path=turn.path)


def no_last_thinking(_: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find thinking in an answer at the end, where thinking is disabled."""
    told = checked.reading.thinking.get("type")
    model = checked.target.model
    thinks = model is None or any(one.has(model) for one in _THINK_BY_DEFAULT) if told is None else told != "disabled"
    if not thinks and checked.reading.whole and checked.turns and checked.turns[-1].role == "assistant":
        yield from (Found(path=block.path) for block in checked.turns[-1].of("thinking"))


def prefill_without_thinking(_: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find an answer at the end with a budget of thinking."""
    if checked.reading.thinking.get("type") == "enabled" and checked.turns and checked.turns[-1].role == "assistant":
        yield Found(path=checked.turns[-1].path)


def calls_signed(_: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find first calls of the current turn's steps without a signature, where they are in Gemini's own format."""
    if checked.reading.format != "gemini":
        return
    for turn in checked.turns[_current(checked.turns) :]:
        first = next(iter(turn.calls), None)
        if turn.role == "assistant" and first is not None and first.signature is None:
            yield Found(path=first.path)


def calls_keep_reasoning(_: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find messages with calls and without `reasoning_content`, in thinking mode."""
    model, told = checked.target.model, checked.reading.thinking.get("type")
    if told == "disabled" or checked.reading.format != "openai":
        return
    always = told == "enabled" or (model is not None and is_named(model, _DEEPSEEK_THINKS))
    for turn in checked.reading.turns:
        if turn.role == "assistant" and turn.calls and turn.raw.get("reasoning_content") is None:
            # Which mode a model is in that is not told is not known of all of them.
            yield Found(path=turn.path, doubted=not always)


def _thoughts(checked: CheckedRequest) -> Iterator[Block]:
    return (block for turn in checked.turns for block in turn.of("thinking"))


def _current(turns: tuple[Turn, ...]) -> int:
    """Give where the current turn begins: behind the last user content that has no response."""
    said = [at for at, turn in enumerate(turns) if turn.role == "user" and turn.blocks and not turn.results]
    return said[-1] + 1 if said else 0
