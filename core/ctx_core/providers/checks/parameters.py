"""What a request says beside its messages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ctx_core.conversation.fields import mapped
from ctx_core.providers.checks.items import parameters_of_items
from ctx_core.providers.checks.reading import Found

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctx_core.providers.checks.checked import CheckedRequest
    from ctx_core.providers.rules import Rule

_OF_MESSAGES: Final = frozenset({"role", "content"})
"""Keys of Anthropic's messages."""
_OF_TOOLS: Final = frozenset({"type", "function"})
_OF_FUNCTIONS: Final = frozenset({"name", "description", "parameters"})
"""Keys of Cohere's tools."""
_KEY: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,39}")
_DEFAULT: Final = 1
"""Of a temperature and of `top_p`."""
_HIGH_EFFORTS: Final = frozenset({"xhigh", "max"})


def parameters_known(rule: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find keys that the API does not have."""
    reading = checked.reading
    if not (reading.own and reading.whole):
        return
    if rule.values:
        yield from (Found(path=_shown(key)) for key in reading.request if key not in rule.values)
    if reading.format == "anthropic":
        for turn in reading.turns:
            yield from (Found(path=f"{turn.path}.{_shown(key)}") for key in turn.raw if key not in _OF_MESSAGES)
    if checked.target.provider.name == "cohere":
        for at, tool in enumerate(reading.tools or ()):
            function = mapped(tool.get("function")) or {}
            extra = [_shown(key) for key in tool if key not in _OF_TOOLS]
            extra += [f"function.{_shown(key)}" for key in function if key not in _OF_FUNCTIONS]
            yield from (Found(path=f"{reading.tools_path}[{at}].{key}") for key in extra)


def parameters_present(rule: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find what is required and absent, in the request or in items."""
    if checked.reading.own and checked.reading.whole:
        yield from (Found(path=key) for key in rule.values if checked.reading.request.get(key) is None)
    yield from parameters_of_items(rule, checked)


def parameters_fit_model(rule: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find parameters that the model does not take; a default is taken but by the Responses API."""
    for key in rule.values:
        value = checked.reading.request.get(key)
        default = key in {"temperature", "top_p"} and value == _DEFAULT and checked.target.provider.name != "responses"
        if value is not None and not default:
            yield Found(path=key)


def tool_choice_free(rule: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find that the model is made to call a tool."""
    choice = mapped(checked.reading.request.get("tool_choice"))
    if choice is not None and choice.get("type") in rule.values:
        yield Found(path="tool_choice")


def tool_choice_without_thinking(rule: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find that the model is made to call a tool while it has a budget of thinking."""
    if checked.reading.thinking.get("type") == "enabled":
        yield from tool_choice_free(rule, checked)


def tools_without_effort(rule: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find function tools beside a reasoning effort."""
    effort = checked.reading.request.get("reasoning_effort")
    refused = "unset" in rule.values if effort is None else effort != "none"
    functions = [tool for tool in checked.reading.tools or () if tool.get("type", "function") == "function"]
    if refused and functions and checked.reading.whole:
        yield Found(path="reasoning_effort")


def tools_few(rule: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find that there are too many tools."""
    if rule.most is not None and len(checked.reading.tools or ()) > rule.most:
        yield Found(path=f"{checked.reading.tools_path}[{rule.most}]")


def thinking_setting(rule: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find a way to ask for thinking that the model does not take."""
    told = checked.reading.thinking.get("type")
    output = mapped(checked.reading.request.get("output_config")) or {}
    above = told == "disabled" and output.get("effort") in _HIGH_EFFORTS and "disabled above high" in rule.values
    if told in rule.values or above:
        yield Found(path="thinking.type")


def thinking_budget(rule: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find a budget of thinking that is too small, or no smaller than the answer."""
    thinking = checked.reading.thinking
    budget, answer = thinking.get("budget_tokens"), checked.reading.request.get("max_tokens")
    if thinking.get("type") != "enabled" or not isinstance(budget, int):
        return
    headers = {name.lower(): value for name, value in checked.known.headers.items()}
    interleaved = "interleaved-thinking" in headers.get("anthropic-beta", "")
    if budget < (rule.least or 0) or (isinstance(answer, int) and budget >= answer and not interleaved):
        yield Found(path="thinking.budget_tokens")


def headers_present(rule: Rule, checked: CheckedRequest) -> Iterator[Found]:
    """Find that `block_binding` is asked for without its header."""
    headers = {name.lower(): value for name, value in checked.known.headers.items()}
    allowed = headers.get("anthropic-beta", "")
    if "block_binding" in checked.reading.thinking and not all(value in allowed for value in rule.values):
        yield Found(path="thinking.block_binding")


def _shown(key: object) -> str:
    """Give a key as it is where it looks like one; it may be what somebody said."""
    if not isinstance(key, str):
        return f"(a key that is a {type(key).__name__})"
    return key if _KEY.fullmatch(key) else f"(a key of {len(key):,} characters)"
