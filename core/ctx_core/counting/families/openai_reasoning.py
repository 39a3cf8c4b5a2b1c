"""OpenAI's reasoning models: text is exact, and so is the rest but for a small margin."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ctx_core.counting.families.openai_chat import CHAT, EXACT
from ctx_core.counting.family import Family, UnknownWindow, Window
from ctx_core.counting.image_prices import ImagePrice

_WINDOWS_SOURCE: Final = (
    "LiteLLM 1.110.2 and models.dev, after https://platform.openai.com/docs/models; the limits of the input, which the "
    "API's errors state, are the window less the longest answer"
)
"""Where the windows are from."""
_REASONING: Final = replace(
    CHAT,
    messages=replace(CHAT.messages, per_request=2, per_assistant=2),
    calls=replace(CHAT.calls, per_call=6, name_prefix="functions.", per_wrapped=30, quoted_results=False),
    reasoning=replace(CHAT.reasoning, shown="encrypted"),
    encrypted_reasoning=replace(CHAT.encrypted_reasoning, characters_per_token=6.6, free_characters=844, per_copy=5),
    tools=replace(CHAT.tools, per_request=10, in_system=False, forced=0, forced_prefix=None),
    schema=replace(CHAT.schema, per_schema=4),
)
_REASONING_RESPONSES: Final = replace(
    _REASONING,
    calls=replace(_REASONING.calls, parallel="apart"),
    tools=replace(_REASONING.tools, per_request=6),
    schema=replace(_REASONING.schema, per_schema=0),
)
_GPT_5_RESPONSES: Final = replace(_REASONING_RESPONSES, tools=replace(_REASONING_RESPONSES.tools, per_request=9))
_GPT_5_4_RESPONSES: Final = replace(
    _GPT_5_RESPONSES,
    calls=replace(_GPT_5_RESPONSES.calls, per_call=8, result_prefix="functions.", parallel="wrapped", per_wrapped=32),
)
_EXACT_REASONING: Final = replace(EXACT, per_call=9)
_PATCHES_O4: Final = ImagePrice(kind="patches", unit=1.72)
_PATCHES_5_MINI: Final = ImagePrice(kind="patches", unit=1.2)
_PATCHES_5_NANO: Final = ImagePrice(kind="patches", unit=1.5)
_GPT_5: Final = replace(
    _REASONING,
    calls=replace(_REASONING.calls, per_call=8),
    tools=replace(_REASONING.tools, per_request=91),
    media=replace(_REASONING.media, images=ImagePrice(base=70, unit=140)),
)

OPENAI_REASONING: Final[tuple[Family, ...]] = (
    Family(
        models=("o1", "o3", "o4"),
        framing=replace(_REASONING, media=replace(_REASONING.media, images=ImagePrice(base=75, unit=150))),
        margin=_EXACT_REASONING,
        windows=(
            Window(models=("o1", "o3", "o4"), tokens=200_000, max_output=100_000),
            Window(models=("o1-mini",), tokens=128_000, max_output=65_536),
            Window(models=("o1-preview",), tokens=128_000, max_output=32_768),
        ),
        windows_source=_WINDOWS_SOURCE,
        rows=33,
        source="text exact; tools exact",
    ),
    Family(
        models=("o4-mini",),
        framing=replace(_REASONING, media=replace(_REASONING.media, images=_PATCHES_O4)),
        margin=_EXACT_REASONING,
        windows=(Window(models=("o4-mini",), tokens=200_000, max_output=100_000),),
        windows_source=_WINDOWS_SOURCE,
        rows=28,
        source="as o3; images: published patches",
    ),
    Family(
        models=("o1", "o3", "o4"),
        api="responses",
        framing=_REASONING_RESPONSES,
        margin=_EXACT_REASONING,
        rows=63,
        source="tools: 6 over the TypeScript text",
    ),
    Family(
        models=("gpt-5", "gpt-6"),
        framing=_GPT_5,
        margin=_EXACT_REASONING,
        windows=(
            Window(
                models=("gpt-5", "gpt-5.3-codex", "gpt-5.4-mini", "gpt-5.4-nano", "gpt-5.4-image", "gpt-5.6-cyber"),
                tokens=272_000,
                max_output=128_000,
                input_only=True,
            ),
            Window(
                models=(
                    "gpt-5.4",
                    "gpt-5.5",
                    "gpt-5.6",
                    "gpt-6-astra",
                    "gpt-6-cyber",
                    "gpt-6-luna",
                    "gpt-6-rosalind",
                    "gpt-6-sol",
                    "gpt-6.1-sol",
                    "gpt-6.1-terra",
                ),
                tokens=922_000,
                max_output=128_000,
                input_only=True,
            ),
            UnknownWindow(models=("gpt-6",), reason="of this generation only models with a further name are listed"),
            Window(models=("gpt-5.1-chat", "gpt-5.2-chat", "gpt-5.3"), tokens=128_000, max_output=16_384),
            Window(models=("gpt-5.3-codex-spark",), tokens=128_000, max_output=32_000),
        ),
        windows_source=_WINDOWS_SOURCE,
        rows=40,
        source="tools: 91 over the TypeScript text",
    ),
    Family(
        models=("gpt-5-mini",),
        framing=replace(_GPT_5, media=replace(_GPT_5.media, images=_PATCHES_5_MINI)),
        margin=_EXACT_REASONING,
        windows=(Window(models=("gpt-5-mini",), tokens=272_000, max_output=128_000, input_only=True),),
        windows_source=_WINDOWS_SOURCE,
        rows=22,
        source="as gpt-5; images: patches, by a factor found on bills",
    ),
    Family(
        models=("gpt-5-nano",),
        framing=replace(_GPT_5, media=replace(_GPT_5.media, images=_PATCHES_5_NANO)),
        margin=_EXACT_REASONING,
        windows=(Window(models=("gpt-5-nano",), tokens=272_000, max_output=128_000, input_only=True),),
        windows_source=_WINDOWS_SOURCE,
        rows=33,
        source="as gpt-5; images: patches, by a factor found on bills",
    ),
    Family(
        models=("gpt-5",),
        api="responses",
        framing=_GPT_5_RESPONSES,
        margin=_EXACT_REASONING,
        rows=72,
        source="tools: 9 over the TypeScript text",
    ),
    Family(
        models=("gpt-5.4", "gpt-5.5", "gpt-5.6", "gpt-6"),
        api="responses",
        framing=_GPT_5_4_RESPONSES,
        margin=_EXACT_REASONING,
        rows=21,
        source="as gpt-5; calls and results name their functions in full",
    ),
    Family(
        models=("o4-mini",),
        api="responses",
        framing=replace(_REASONING_RESPONSES, media=replace(_REASONING_RESPONSES.media, images=_PATCHES_O4)),
        margin=_EXACT_REASONING,
        rows=41,
        source="as o3; images: published patches",
    ),
    Family(
        models=("gpt-5-mini",),
        api="responses",
        framing=replace(_GPT_5_RESPONSES, media=replace(_GPT_5_RESPONSES.media, images=_PATCHES_5_MINI)),
        margin=_EXACT_REASONING,
        rows=40,
        source="as in the chat API",
    ),
    Family(
        models=("gpt-5-nano",),
        api="responses",
        framing=replace(_GPT_5_RESPONSES, media=replace(_GPT_5_RESPONSES.media, images=_PATCHES_5_NANO)),
        margin=_EXACT_REASONING,
        rows=67,
        source="as in the chat API",
    ),
    Family(
        models=("codex-mini",),
        framing=_GPT_5,
        margin=_EXACT_REASONING,
        windows=(Window(models=("codex-mini",), tokens=200_000, max_output=100_000),),
        windows_source=_WINDOWS_SOURCE,
        rows=0,
        source="as gpt-5",
    ),
    Family(
        models=("codex-mini",),
        api="responses",
        framing=replace(_REASONING_RESPONSES, tools=replace(_REASONING_RESPONSES.tools, per_request=7)),
        margin=_EXACT_REASONING,
        rows=22,
        source="tools: 7 over the TypeScript text",
    ),
    Family(
        models=("gpt-5-codex", "gpt-5.1-codex", "gpt-5.2-codex", "gpt-5.3-codex"),
        api="responses",
        framing=replace(_REASONING_RESPONSES, tools=replace(_REASONING_RESPONSES.tools, per_request=12)),
        margin=_EXACT_REASONING,
        rows=34,
        source="tools: 12 over the TypeScript text",
    ),
)
