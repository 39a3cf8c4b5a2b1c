"""Says what a provider would refuse in a request, where and why, before it is sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, cast

from ctx_core.conversation.fields import string_or_none
from ctx_core.conversation.messages import Message
from ctx_core.corrected import corrected, with_messages
from ctx_core.counting.counter import TokenCounter, as_counter
from ctx_core.counting.windows import window_of
from ctx_core.errors import CtxLayersError, MessageError, UnknownModelError
from ctx_core.providers.checks.checked import CheckedRequest
from ctx_core.providers.checks.known import Known
from ctx_core.providers.checks.limits import answer_of
from ctx_core.providers.checks.request import read_request
from ctx_core.providers.checks.table import CHECKS
from ctx_core.providers.refused_thoughts import without_refused_thoughts
from ctx_core.providers.resolve import Target, of_format, target_of
from ctx_core.providers.rules import Kind
from ctx_core.providers.table import UNKNOWN
from ctx_core.validation import Correction, Refusal, Validation

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ctx_core.conversation.formats.names import FormatName
    from ctx_core.counting.counter import CounterLike, ToolDefinition
    from ctx_core.providers.checks.reading import Reading

_APIS: Final = {"contents": "generateContent", "input": "responses"}
"""Keys that only the requests of one API have."""


def validate(  # noqa: PLR0913 - what is known of a request
    request: Sequence[Mapping[str, Any] | Message] | Mapping[str, Any],
    model: object = None,
    *,
    provider: str | None = None,
    api: str | None = None,
    host: str | None = None,
    tools: Iterable[ToolDefinition] | None = None,
    system: str | Sequence[Any] | Mapping[str, Any] | None = None,
    format: FormatName | None = None,  # noqa: A002 - the word that `fit` has for it
    counter: CounterLike | None = None,
    known: Known | None = None,
) -> Validation:
    """Say what the provider would refuse in a request; none of it is changed, and nothing is sent.

    Args:
        request: a whole request, as a dict that a provider's API takes (`messages`, `contents` or `input`, and what
            goes beside them), or its list of messages: neutral ones, or any provider's own. Messages of another
            format than the provider's are held against its rules as a client would send them.
        model: its name or a model object; by default the request's own.
        provider: the name of the row to hold it against; by default as model, API, host and format say.
        api: the API that is called: see `target_of`.
        host: the server that is called.
        tools: tool definitions that go with a list of messages; None: not known, and nothing is refused for them.
        system: the system text that goes with a list of messages.
        format: whose messages they are; by default what they say.
        counter: what counts the tokens that the window is compared with; by default the model's own.
        known: what is known of the server beside the request, such as ids that it keeps.

    Returns:
        The refusals and the doubts, each with its place and its rule. None of them quotes a message.

    Raises:
        MessageError: for what is neither a request nor a list of messages.
        OptionError: for a provider that no row is named after.
    """
    named = model
    if isinstance(request, Mapping):
        named = request.get("model") or request.get("modelId") if model is None else model
        api = next((its for key, its in _APIS.items() if key in request), None) if api is None else api
    target = target_of(named, api=api, host=host, provider=provider)
    reading = read_request(request, target, tools=tools, system=system, format=format)
    if provider is None:
        is_said = api is not None or host is not None or target.client is not None
        target = _by_format(target, reading, request, is_said=is_said)
        reading = replace(reading, own=target.provider.format in (None, reading.format))
    known = _with_stored(_with_window(known or Known(), named), reading, target)
    if known.window is not None and target.asks(Kind.FITS_WINDOW) is not None:
        reading = replace(reading, tokens=_counted(reading, target, counter))
    refusals, doubts = _held_against(target, reading, known)

    def correction() -> Correction:
        messages: object = reading.request.get(reading.listed) if reading.whole else request
        if not refusals or not isinstance(messages, list | tuple):
            unchanged: Any = request
            return Correction(request=unchanged, validation=said)
        too_long = any(refusal.kind is Kind.FITS_WINDOW for refusal in refusals)
        counts = _counter_for(target, counter)
        try:
            listed = cast("Sequence[Any]", messages)
            if reading.own:
                found = [(refusal.kind, refusal.path) for refusal in refusals]
                listed = without_refused_thoughts(listed, found, target)
            context = corrected(
                listed,
                reading,
                replace(target, stored=known.stored, thinking=string_or_none(reading.thinking.get("type"))),
                limit=_room(known.window, reading, counts) if too_long and known.window is not None else None,
                counter=counts,
            )
        except MessageError as error:
            return Correction(request=cast("Any", request), validation=said, unreadable=str(error))
        result: Any = with_messages(reading, context) if reading.whole else context.messages
        again = validate(
            result,
            model,
            provider=target.provider.name,
            tools=reading.tools,
            system=system,
            format=reading.format,
            counter=counter,
            known=known,
        )
        outside = None if reading.whole else context.system_prompt
        return Correction(request=result, system=outside or None, validation=again)

    said = Validation(
        provider=target.provider, model=target.model, refusals=refusals, doubts=doubts, correction=correction
    )
    return said


def _by_format(target: Target, reading: Reading, request: object, *, is_said: bool) -> Target:
    """Give where messages go of whose provider nothing was said: as `fit` has it for a list that is no request.

    Args:
        target: what model, API and host tell.
        reading: the messages, read.
        request: the same as they came in.
        is_said: whether more than a model's name was said.
    """
    if reading.whole or is_said:
        # Only one API has messages like these, but for those of chat completions.
        guessed = target.provider == UNKNOWN and reading.format != "openai"
        return of_format(target, reading.format) if guessed else target
    is_neutral = any(isinstance(message, Message) for message in cast("Iterable[object]", request))
    return of_format(target, None if is_neutral else reading.format)


def _held_against(target: Target, reading: Reading, known: Known) -> tuple[tuple[Refusal, ...], tuple[Refusal, ...]]:
    """Hold a request that was read against the rules of where it goes; give refusals and doubts."""
    checked = CheckedRequest.of(reading, target, known)
    refusals: list[Refusal] = []
    doubts: list[Refusal] = []
    # What a client asks is asked of the messages that it makes the provider's of.
    for rule in target.provider.asked(target.model, None if reading.own else target.client):
        # A whole request is what a client sends, and no client changes it any more.
        by_client = None if reading.whole else rule.by(target.client)
        does = None if by_client is None else by_client.does
        if does == "meets":
            continue
        for found in CHECKS[rule.kind](rule, checked):
            refusal = Refusal(rule=rule, path=found.path)
            sure = does == "raises" or (does is None and not rule.disputed and not found.doubted)
            (refusals if sure else doubts).append(refusal)
    return tuple(refusals), tuple(doubts)


def _with_window(known: Known, model: object) -> Known:
    """Fill in what the model says of its window."""
    if model is None:
        return known
    try:
        window = window_of(model)
    except UnknownModelError:
        return known
    return replace(
        known,
        window=window.tokens if known.window is None else known.window,
        longest_answer=window.max_output if known.longest_answer is None else known.longest_answer,
    )


def _with_stored(known: Known, reading: Reading, target: Target) -> Known:
    """Fill in that the server keeps no items, where the request or the model object says so."""
    if reading.request.get("store") is False:
        return replace(known, stored=frozenset())
    return known if known.stored is not None else replace(known, stored=target.stored)


def _counted(reading: Reading, target: Target, counter: CounterLike | None) -> int | None:
    """Count a request's input; None where it cannot be read, which is refused for other reasons."""
    counts = _counter_for(target, counter)
    messages: object = reading.request.get(reading.listed)
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    if not isinstance(messages, list | tuple):
        return None
    listed = cast("Sequence[Mapping[str, Any]]", messages)
    tools = [dict(tool) for tool in reading.tools or ()]
    try:
        counted = counts.count_messages(listed, tools=tools, format=reading.format)
    except CtxLayersError:
        return None
    return counted + _beside(reading, counts)


def _room(window: int, reading: Reading, counts: TokenCounter) -> int:
    """Give the tokens that messages and tools may have in a window, beside the answer and the system text."""
    return max(1, window - answer_of(reading) - _beside(reading, counts))


def _beside(reading: Reading, counts: TokenCounter) -> int:
    """Give the tokens of system text that is not in the list."""
    return sum(counts.count_text(block.text) for block in reading.system)


def _counter_for(target: Target, counter: CounterLike | None) -> TokenCounter:
    """Give what counts: what the caller gave, else what the model's family says."""
    return TokenCounter.for_model(target.model or "") if counter is None else as_counter(counter)
