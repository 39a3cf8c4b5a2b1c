"""OpenAI's chat models: text is exact, and so is the rest but for a small margin."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ctx_core.counting.family import Family, Window
from ctx_core.counting.framing import CallFraming, Framing, MediaFraming, SchemaFraming, ToolFraming
from ctx_core.counting.image_prices import ImagePrice
from ctx_core.counting.margin import Margin

_WINDOWS_SOURCE: Final = "LiteLLM 1.110.2 and models.dev, after https://platform.openai.com/docs/models"
"""Where the windows are from."""
CHAT: Final = Framing(
    calls=CallFraming(
        per_call=2,
        name_prefix=" to=functions.",
        result_prefix="",
        parallel="wrapped",
        per_wrapped=20,
        quoted_results=True,
    ),
    tools=ToolFraming(
        style="typescript",
        per_tool=0,
        per_request=9,
        in_system=True,
        per_grammar=50,
        forced=6,
        forced_prefix="functions.",
    ),
    schema=SchemaFraming(per_schema=8),
    media=MediaFraming(image=None),
)
_CHAT_0301: Final = replace(CHAT, messages=replace(CHAT.messages, per_message=5, per_name=-1))
_RESPONSES: Final = replace(
    CHAT,
    calls=replace(CHAT.calls, per_call=1, parallel="apart"),
    tools=replace(CHAT.tools, per_request=3, in_system=False, required=9),
    schema=replace(CHAT.schema, per_schema=1),
)
EXACT: Final = Margin(tools=1.03, any_tools=24, per_request=2, media=1.05)
_EXACT_RESPONSES: Final = replace(EXACT, per_call=2)
_MINI_TILES: Final = ImagePrice(base=2_833, unit=5_667)
_PATCHES_MINI: Final = ImagePrice(kind="patches", unit=1.62)
_PATCHES_NANO: Final = ImagePrice(kind="patches", unit=2.46)

OPENAI_CHAT: Final[tuple[Family, ...]] = (
    Family(
        models=("gpt-3.5", "gpt-35", "gpt-4", "gpt-4-turbo"),
        vocabulary="cl100k_base",
        framing=CHAT,
        margin=EXACT,
        windows=(
            Window(
                models=("gpt-3.5", "gpt-3.5-turbo-16k", "gpt-35-turbo-16k", "gpt-35-turbo-1106", "gpt-35-turbo-0125"),
                tokens=16_385,
                max_output=4_096,
            ),
            Window(
                models=("gpt-35",),
                tokens=4_096,
                max_output=4_096,
                source="LiteLLM 1.110.2: Azure keeps earlier versions",
            ),
            Window(models=("gpt-3.5-turbo-0613", "gpt-3.5-turbo-instruct"), tokens=4_096, max_output=4_096),
            Window(models=("gpt-4",), tokens=8_192, max_output=8_192),
            Window(models=("gpt-4-32k",), tokens=32_768),
            Window(
                models=("gpt-4-turbo", "gpt-4-1106", "gpt-4-0125", "gpt-4-vision"), tokens=128_000, max_output=4_096
            ),
        ),
        windows_source=_WINDOWS_SOURCE,
        rows=236,
        source="text exact",
    ),
    Family(
        models=("gpt-3.5-turbo-0301",),
        vocabulary="cl100k_base",
        framing=_CHAT_0301,
        margin=EXACT,
        windows=(Window(models=("gpt-3.5-turbo-0301",), tokens=4_096, max_output=4_096),),
        windows_source=_WINDOWS_SOURCE,
        rows=2,
        source="OpenAI's counting guide: a token more a message than its successors",
    ),
    Family(
        models=("gpt-35-turbo",),
        host="azure",
        vocabulary="cl100k_base",
        framing=_CHAT_0301,
        margin=EXACT,
        rows=4,
        source="bills: as gpt-3.5-turbo-0301",
    ),
    Family(
        models=("gpt-3.5", "gpt-35", "gpt-4", "gpt-4-turbo"),
        api="responses",
        vocabulary="cl100k_base",
        framing=_RESPONSES,
        margin=_EXACT_RESPONSES,
        rows=4,
        source="as gpt-4o",
    ),
    Family(
        models=("gpt-4o", "gpt-4.1", "gpt-4.5", "chatgpt-4o", "gpt-5-chat", "gpt-chat-latest", "computer-use-preview"),
        framing=CHAT,
        margin=EXACT,
        windows=(
            Window(
                models=("gpt-4o", "gpt-4.5", "chatgpt-4o", "gpt-5-chat", "gpt-chat-latest"),
                tokens=128_000,
                max_output=16_384,
            ),
            Window(models=("computer-use-preview",), tokens=8_192, max_output=1_024),
            Window(models=("gpt-4o-2024-05-13",), tokens=128_000, max_output=4_096),
            Window(models=("gpt-4o-realtime",), tokens=32_000, max_output=4_096, source="genai-prices 0.2.3"),
            Window(models=("gpt-4.1",), tokens=1_047_576, max_output=32_768),
        ),
        windows_source=_WINDOWS_SOURCE,
        rows=1_172,
        source="text, tools, calls, schemas; images: OpenAI's published tiles",
    ),
    Family(
        models=("gpt-4o", "gpt-4.1", "gpt-4.5", "chatgpt-4o", "gpt-5-chat"),
        api="responses",
        framing=_RESPONSES,
        margin=_EXACT_RESPONSES,
        rows=173,
        source="text, tools, schemas; a call and its result are 8 or 11 over their texts",
    ),
    Family(
        models=("gpt-4o-mini",),
        framing=replace(CHAT, media=replace(CHAT.media, images=_MINI_TILES)),
        margin=EXACT,
        windows=(
            Window(models=("gpt-4o-mini",), tokens=128_000, max_output=16_384),
            Window(models=("gpt-4o-mini-realtime",), tokens=16_000, max_output=4_096, source="genai-prices 0.2.3"),
        ),
        windows_source=_WINDOWS_SOURCE,
        rows=504,
        source="as gpt-4o, with a dearer tile",
    ),
    Family(
        models=("gpt-4o-mini",),
        api="responses",
        framing=replace(_RESPONSES, media=replace(_RESPONSES.media, images=_MINI_TILES)),
        margin=_EXACT_RESPONSES,
        rows=82,
        source="as gpt-4o, with a dearer tile",
    ),
    Family(
        models=("gpt-4o-mini",),
        api="responses",
        host="openrouter",
        framing=replace(CHAT, media=replace(CHAT.media, images=_MINI_TILES)),
        margin=EXACT,
        rows=17,
        source="bills: sent on through the chat API",
    ),
    Family(
        models=("gpt-4o-search", "gpt-4o-mini-search", "gpt-5-search"),
        framing=replace(CHAT, messages=replace(CHAT.messages, per_request=0, per_message=0)),
        margin=replace(EXACT, per_request=9),
        windows=(
            Window(models=("gpt-4o-search", "gpt-4o-mini-search"), tokens=128_000, max_output=16_384),
            Window(models=("gpt-5-search",), tokens=272_000, max_output=128_000, input_only=True),
        ),
        windows_source=_WINDOWS_SOURCE,
        rows=1,
        source="bill: the text alone",
    ),
    Family(
        models=("gpt-audio-mini",),
        framing=replace(CHAT, media=replace(CHAT.media, audio_second=10, audio=10)),
        margin=EXACT,
        windows=(Window(models=("gpt-audio-mini",), tokens=128_000, max_output=16_384),),
        windows_source=_WINDOWS_SOURCE,
        rows=2,
        source="as gpt-4o",
    ),
    Family(
        models=("gpt-audio", "gpt-4o-audio", "gpt-4o-mini-audio", "gpt-realtime"),
        framing=replace(
            CHAT, messages=replace(CHAT.messages, per_request=2), media=replace(CHAT.media, audio_second=10, audio=10)
        ),
        margin=EXACT,
        windows=(
            Window(models=("gpt-audio", "gpt-4o-audio", "gpt-4o-mini-audio"), tokens=128_000, max_output=16_384),
            # Azure's later ones have no more; OpenAI's have 128,000.
            Window(models=("gpt-realtime",), tokens=32_000, max_output=4_096),
            Window(models=("gpt-realtime-translate",), tokens=16_000, max_output=2_000),
        ),
        windows_source=_WINDOWS_SOURCE,
        rows=3,
        source="text 1 less than gpt-4o; sound: 10 tokens a second",
    ),
    Family(
        models=("gpt-4.1-mini",),
        framing=replace(CHAT, media=replace(CHAT.media, images=_PATCHES_MINI)),
        margin=EXACT,
        windows=(Window(models=("gpt-4.1-mini",), tokens=1_047_576, max_output=32_768),),
        windows_source=_WINDOWS_SOURCE,
        rows=208,
        source="as gpt-4.1; images: published patches",
    ),
    Family(
        models=("gpt-4.1-nano",),
        framing=replace(CHAT, media=replace(CHAT.media, images=_PATCHES_NANO)),
        margin=EXACT,
        windows=(Window(models=("gpt-4.1-nano",), tokens=1_047_576, max_output=32_768),),
        windows_source=_WINDOWS_SOURCE,
        rows=30,
        source="as gpt-4.1; images: published patches",
    ),
    Family(
        models=("gpt-4.1-mini",),
        api="responses",
        framing=replace(_RESPONSES, media=replace(_RESPONSES.media, images=_PATCHES_MINI)),
        margin=_EXACT_RESPONSES,
        rows=20,
        source="as gpt-4.1; images: published patches",
    ),
    Family(
        models=("gpt-4.1-nano",),
        api="responses",
        framing=replace(_RESPONSES, media=replace(_RESPONSES.media, images=_PATCHES_NANO)),
        margin=_EXACT_RESPONSES,
        rows=32,
        source="as gpt-4.1; images: published patches",
    ),
)
