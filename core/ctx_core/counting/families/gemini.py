"""Gemini, whose vocabulary is not public, but whose texts are billed by Gemma's to the token."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ctx_core.counting.families.open_weights import OPEN
from ctx_core.counting.family import Family, Substitute, UnknownWindow, Window
from ctx_core.counting.image_prices import ImagePrice
from ctx_core.counting.margin import Margin

_WINDOWS_SOURCE: Final = "LiteLLM 1.110.2 and models.dev, after https://ai.google.dev/gemini-api/docs/models"
"""Where the windows are from."""
_GEMINI: Final = replace(
    OPEN,
    messages=replace(OPEN.messages, per_request=0, per_message=1),
    calls=replace(OPEN.calls, per_call=3, per_result=15),
    encrypted_reasoning=replace(OPEN.encrypted_reasoning, characters_per_token=8, always_billed=False),
    tools=replace(OPEN.tools, style="strings", per_tool=17, per_property=9, per_request=0),
    media=replace(
        OPEN.media,
        images=ImagePrice(kind="flat", unit=258),
        audio=300,
        # 258 to 295 a second on five bills of one film.
        video_second=280,
        video=1_400,
    ),
    documents=replace(OPEN.documents, unknown_size=520, base=258, page=0, bytes_per_token=4_000),
)
_GEMINI_PLAIN: Final = replace(
    _GEMINI,
    messages=replace(_GEMINI.messages, per_message=0),
    calls=replace(_GEMINI.calls, per_call=0, per_result=0),
    tools=replace(_GEMINI.tools, per_tool=0, per_property=0),
)
_GEMINI_2: Final = replace(
    _GEMINI_PLAIN, media=replace(_GEMINI_PLAIN.media, images=ImagePrice(kind="gemini", base=258))
)
_GEMINI_MARGIN: Final = Margin(text=1.02, tools=1.15, any_tools=30, per_call=60, per_request=6, media=2.0)
_GEMINI_SUBSTITUTE: Final = Substitute(
    per_token=1.07, margin=Margin(text=1.5, tools=1.5, any_tools=40, per_call=60, per_request=10, media=2.0)
)
_GEMINI_3_MARGIN: Final = replace(_GEMINI_MARGIN, per_call=130, any_tools=150, per_request=10)
_GEMINI_3: Final = replace(
    _GEMINI,
    calls=replace(_GEMINI.calls, per_call=10),
    encrypted_reasoning=replace(_GEMINI.encrypted_reasoning, characters_per_token=6, always_billed=True),
    media=replace(_GEMINI.media, images=ImagePrice(kind="flat", unit=1_100)),
)

GEMINIS: Final[tuple[Family, ...]] = (
    Family(
        models=("gemini",),
        vocabulary="gemma3",
        framing=_GEMINI,
        margin=_GEMINI_MARGIN,
        substitute=_GEMINI_SUBSTITUTE,
        windows=(
            UnknownWindow(models=("gemini",), reason="its generation is not in the name, or in no public list"),
            Window(
                models=(
                    "gemini-2.5",
                    "gemini-exp",
                    "gemini-flash",
                    "gemini-robotics-er-1",
                    "gemini-4-argon",
                    "gemini-4-hydrogen",
                ),
                tokens=1_048_576,
                max_output=65_536,
                input_only=True,
            ),
            Window(models=("gemini-pro",), tokens=30_720, max_output=2_048, input_only=True),
            Window(models=("gemini-pro-vision",), tokens=12_288, max_output=4_096, input_only=True),
            Window(models=("gemini-pro-latest",), tokens=1_048_576, max_output=65_536, input_only=True),
            Window(models=("gemini-2.5-computer-use",), tokens=128_000, max_output=64_000, input_only=True),
            Window(models=("gemini-2.5-flash-image",), tokens=32_768, max_output=8_192, input_only=True),
            Window(
                models=(
                    "gemini-2.5-flash-tts",
                    "gemini-2.5-pro-tts",
                    "gemini-2.5-flash-preview-tts",
                    "gemini-2.5-flash-lite-preview-tts",
                    "gemini-2.5-pro-preview-tts",
                ),
                tokens=8_192,
                max_output=16_384,
                input_only=True,
            ),
            Window(models=("gemini-omni", "gemini-robotics-er-2"), tokens=131_072, max_output=57_920, input_only=True),
            Window(models=("gemini-nano-banana",), tokens=65_536, input_only=True),
            Window(
                models=(
                    "gemini-live",
                    "gemini-2.5-flash-live",
                    "gemini-2.5-flash-native-audio",
                    "gemini-2.5-flash-preview-native-audio",
                    "gemini-2.5-flash-exp-native-audio",
                ),
                tokens=131_072,
                max_output=8_192,
                input_only=True,
            ),
        ),
        windows_source=_WINDOWS_SOURCE,
        rows=273,
        source="bills: exact on text; signatures of reasoning are billed with calls",
    ),
    Family(
        models=("gemini-1", "gemini-2.0", "gemini-flash-1.5", "gemini-pro-1.5"),
        vocabulary="gemma3",
        framing=_GEMINI_2,
        margin=_GEMINI_MARGIN,
        substitute=_GEMINI_SUBSTITUTE,
        windows=(
            Window(models=("gemini-1",), tokens=30_720, max_output=2_048, input_only=True),
            # OpenRouter writes the size in front of the generation.
            Window(
                models=("gemini-1.5-flash", "gemini-flash-1.5", "gemini-2.0"),
                tokens=1_048_576,
                max_output=8_192,
                input_only=True,
            ),
            Window(models=("gemini-1.5-pro", "gemini-pro-1.5"), tokens=2_097_152, max_output=8_192, input_only=True),
            Window(models=("gemini-2.0-flash-live",), tokens=131_072, max_output=8_192, input_only=True),
        ),
        windows_source=_WINDOWS_SOURCE,
        rows=240,
        source="bills: only the strings of tools and calls count",
    ),
    Family(
        models=("gemini",),
        host="vertex",
        vocabulary="gemma3",
        framing=replace(
            _GEMINI_PLAIN,
            calls=replace(_GEMINI_PLAIN.calls, per_call=5),
            encrypted_reasoning=replace(
                _GEMINI_PLAIN.encrypted_reasoning, characters_per_token=9, always_billed=True, earlier_turns=True
            ),
            documents=replace(_GEMINI_PLAIN.documents, base=1_290),
        ),
        margin=_GEMINI_MARGIN,
        substitute=_GEMINI_SUBSTITUTE,
        rows=100,
        source="bills: only the strings of tools count",
    ),
    Family(
        models=("gemini",),
        host="openrouter",
        vocabulary="gemma3",
        framing=replace(_GEMINI_PLAIN, documents=replace(_GEMINI_PLAIN.documents, base=1_290)),
        margin=_GEMINI_MARGIN,
        substitute=_GEMINI_SUBSTITUTE,
        rows=91,
        source="as vertex",
    ),
    Family(
        models=("gemini-3",),
        vocabulary="gemma3",
        framing=_GEMINI_3,
        margin=_GEMINI_3_MARGIN,
        substitute=_GEMINI_SUBSTITUTE,
        windows=(
            Window(models=("gemini-3",), tokens=1_048_576, max_output=65_536, input_only=True),
            Window(
                models=("gemini-3-pro-image", "gemini-3.1-flash-image"),
                tokens=65_536,
                max_output=32_768,
                input_only=True,
            ),
            Window(models=("gemini-3.1-flash-lite-image",), tokens=65_536, max_output=4_096, input_only=True),
            Window(models=("gemini-3.1-flash-tts",), tokens=8_192, max_output=16_384, input_only=True),
            Window(
                models=("gemini-3.1-flash-live", "gemini-3.8-live"), tokens=131_072, max_output=65_536, input_only=True
            ),
            Window(models=("gemini-3.5-live",), tokens=16_384, max_output=32_768, input_only=True),
        ),
        windows_source=_WINDOWS_SOURCE,
        rows=86,
        source="as gemini, with longer signatures",
    ),
)
