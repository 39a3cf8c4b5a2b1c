"""OpenAI's rows of the table of families: exact but for a small margin."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ctx_core.counting.family import Family
from ctx_core.counting.framing import Framing, Margin
from ctx_core.counting.image_prices import ImagePrice

CHAT: Final = Framing(
    image=None, per_call=2, recipient=" to=functions.", sender="", parallel="wrapped", per_wrapped=20, quoted_results=True,
    tools="typescript", per_tool=0, any_tools=9, tools_in_system=True, per_grammar=50, forced_tool=6, forced_prefix="functions.",
    per_schema=8,
)  # fmt: skip
_CHAT_0301: Final = replace(CHAT, per_message=5, per_name=-1)
_RESPONSES: Final = replace(
    CHAT, any_tools=3, tools_in_system=False, per_call=1, parallel="apart", per_schema=1, required_tool=9
)
_REASONING: Final = replace(
    CHAT, per_request=2, per_assistant=2, per_call=6, recipient="functions.", per_wrapped=30, quoted_results=False, any_tools=10,
    tools_in_system=False, forced_tool=0, forced_prefix=None, per_schema=4, reasoning="sealed", seal_characters=6.6,
    seal_free=844, per_seal=5,
)  # fmt: skip
_REASONING_RESPONSES: Final = replace(_REASONING, parallel="apart", any_tools=6, per_schema=0)
_GPT_5_RESPONSES: Final = replace(_REASONING_RESPONSES, any_tools=9)
_GPT_5_4_RESPONSES: Final = replace(
    _GPT_5_RESPONSES, per_call=8, sender="functions.", parallel="wrapped", per_wrapped=32
)
_EXACT: Final = Margin(tools=1.03, any_tools=24, per_request=2, media=1.05)
_EXACT_RESPONSES: Final = replace(_EXACT, per_call=2)
_EXACT_REASONING: Final = replace(_EXACT, per_call=9)
_MINI_TILES: Final = ImagePrice(base=2_833, unit=5_667)
_PATCHES_MINI: Final = ImagePrice(kind="patches", unit=1.62)
_PATCHES_NANO: Final = ImagePrice(kind="patches", unit=2.46)
_PATCHES_O4: Final = ImagePrice(kind="patches", unit=1.72)
_PATCHES_5_MINI: Final = ImagePrice(kind="patches", unit=1.2)
_PATCHES_5_NANO: Final = ImagePrice(kind="patches", unit=1.5)
_GPT_5: Final = replace(_REASONING, per_call=8, any_tools=91, images=ImagePrice(base=70, unit=140))

OPENAI: Final[tuple[Family, ...]] = (
    Family(models=("gpt-3.5", "gpt-35", "gpt-4", "gpt-4-turbo"), vocabulary="cl100k_base", framing=CHAT, margin=_EXACT,
           rows=236, source="text exact"),
    Family(models=("gpt-3.5-turbo-0301",), vocabulary="cl100k_base", framing=_CHAT_0301, margin=_EXACT, rows=2,
           source="OpenAI's counting guide: a token more a message than its successors"),
    Family(models=("gpt-35-turbo",), host="azure", vocabulary="cl100k_base", framing=_CHAT_0301, margin=_EXACT, rows=4,
           source="bills: as gpt-3.5-turbo-0301"),
    Family(models=("gpt-3.5", "gpt-35", "gpt-4", "gpt-4-turbo"), api="responses", vocabulary="cl100k_base",
           framing=_RESPONSES, margin=_EXACT_RESPONSES, rows=4, source="as gpt-4o"),
    Family(models=("gpt-4o", "gpt-4.1", "gpt-4.5", "chatgpt-4o", "gpt-5-chat"), framing=CHAT,
           margin=_EXACT, rows=1_172, source="text, tools, calls, schemas; images: OpenAI's published tiles"),
    Family(models=("gpt-4o", "gpt-4.1", "gpt-4.5", "chatgpt-4o", "gpt-5-chat"), api="responses",
           framing=_RESPONSES, margin=_EXACT_RESPONSES, rows=173, source="text, tools, schemas; a call and its result are 8 or 11 over their texts"),
    Family(models=("gpt-4o-mini",), framing=replace(CHAT, images=_MINI_TILES), margin=_EXACT, rows=504,
           source="as gpt-4o, with a dearer tile"),
    Family(models=("gpt-4o-mini",), api="responses", framing=replace(_RESPONSES, images=_MINI_TILES), margin=_EXACT_RESPONSES,
           rows=82, source="as gpt-4o, with a dearer tile"),
    Family(models=("gpt-4o-mini",), api="responses", host="openrouter", framing=replace(CHAT, images=_MINI_TILES), margin=_EXACT,
           rows=17, source="bills: sent on through the chat API"),
    Family(models=("gpt-4o-search", "gpt-4o-mini-search", "gpt-5-search"), framing=replace(CHAT, per_request=0, per_message=0),
           margin=replace(_EXACT, per_request=9), rows=1, source="bill: the text alone"),
    Family(models=("gpt-audio-mini",), framing=replace(CHAT, audio=10), margin=replace(_EXACT, media=20.0), rows=2, source="as gpt-4o"),
    Family(models=("gpt-audio", "gpt-4o-audio", "gpt-4o-mini-audio"), framing=replace(CHAT, per_request=2, audio=10),
           margin=replace(_EXACT, media=20.0), rows=3, source="text 1 less than gpt-4o; sound: 10 tokens a second"),
    Family(models=("gpt-4.1-mini",), framing=replace(CHAT, images=_PATCHES_MINI),
           margin=_EXACT, rows=208, source="as gpt-4.1; images: published patches"),
    Family(models=("gpt-4.1-nano",), framing=replace(CHAT, images=_PATCHES_NANO),
           margin=_EXACT, rows=30, source="as gpt-4.1; images: published patches"),
    Family(models=("o1", "o3", "o4"), framing=replace(_REASONING, images=ImagePrice(base=75, unit=150)),
           margin=_EXACT_REASONING, rows=33, source="text exact; tools exact"),
    Family(models=("o4-mini",), framing=replace(_REASONING, images=_PATCHES_O4),
           margin=_EXACT_REASONING, rows=28, source="as o3; images: published patches"),
    Family(models=("o1", "o3", "o4"), api="responses", framing=_REASONING_RESPONSES, margin=_EXACT_REASONING, rows=63,
           source="tools: 6 over the TypeScript text"),
    Family(models=("gpt-5", "gpt-6"), framing=_GPT_5, margin=_EXACT_REASONING, rows=40, source="tools: 91 over the TypeScript text"),
    Family(models=("gpt-5-mini",), framing=replace(_GPT_5, images=_PATCHES_5_MINI),
           margin=_EXACT_REASONING, rows=22, source="as gpt-5; images: patches, by a factor found on bills"),
    Family(models=("gpt-5-nano",), framing=replace(_GPT_5, images=_PATCHES_5_NANO),
           margin=_EXACT_REASONING, rows=33, source="as gpt-5; images: patches, by a factor found on bills"),
    Family(models=("gpt-5",), api="responses",
           framing=_GPT_5_RESPONSES, margin=_EXACT_REASONING, rows=72, source="tools: 9 over the TypeScript text"),
    Family(models=("gpt-5.4", "gpt-5.5", "gpt-5.6", "gpt-6"), api="responses", framing=_GPT_5_4_RESPONSES, margin=_EXACT_REASONING,
           rows=21, source="as gpt-5; calls and results name their functions in full"),
    Family(models=("gpt-4.1-mini",), api="responses", framing=replace(_RESPONSES, images=_PATCHES_MINI), margin=_EXACT_RESPONSES,
           rows=20, source="as gpt-4.1; images: published patches"),
    Family(models=("gpt-4.1-nano",), api="responses", framing=replace(_RESPONSES, images=_PATCHES_NANO), margin=_EXACT_RESPONSES,
           rows=32, source="as gpt-4.1; images: published patches"),
    Family(models=("o4-mini",), api="responses", framing=replace(_REASONING_RESPONSES, images=_PATCHES_O4), margin=_EXACT_REASONING,
           rows=41, source="as o3; images: published patches"),
    Family(models=("gpt-5-mini",), api="responses", framing=replace(
               _GPT_5_RESPONSES, images=_PATCHES_5_MINI), margin=_EXACT_REASONING, rows=40, source="as in the chat API"),
    Family(models=("gpt-5-nano",), api="responses", framing=replace(
               _GPT_5_RESPONSES, images=_PATCHES_5_NANO), margin=_EXACT_REASONING, rows=67, source="as in the chat API"),
    Family(models=("codex",), framing=_GPT_5, margin=_EXACT_REASONING, rows=0, source="as gpt-5"),
    Family(models=("codex",), api="responses", framing=replace(_REASONING_RESPONSES, any_tools=7), margin=_EXACT_REASONING,
           rows=22, source="tools: 7 over the TypeScript text"),
    Family(models=("gpt-5-codex", "gpt-5.1-codex", "gpt-5.2-codex", "gpt-5.3-codex"), api="responses",
           framing=replace(_REASONING_RESPONSES, any_tools=12), margin=_EXACT_REASONING, rows=34,
           source="tools: 12 over the TypeScript text"),
)  # fmt: skip
