"""The table of model families: what a request to each is billed, and how that is known.

A row's `rows` are the recorded bills that its figures were found on or checked with; `source` says what else
they come from. "Template" is the model's public chat template: its role markers are single tokens, so what a
message costs beside its text can be counted in it. Hidden prompts are the host's: a system prompt that the
template puts in where the request has none, the date, a safety note.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ctx_core.counting.family import Family, StandIn
from ctx_core.counting.framing import Framing, Margin
from ctx_core.counting.image_prices import ImagePrice

# --- OpenAI: exact ---------------------------------------------------------------------------------------------

_CHAT: Final = Framing()
_RESPONSES: Final = replace(_CHAT, any_tools=3, tools_in_system=False, per_schema=1, required_tool=9)
_REASONING: Final = replace(
    _CHAT, per_request=2, per_assistant=2, per_call=7, recipient="", any_tools=10, tools_in_system=False,
    forced_tool=0, forced_prefix=None, per_schema=4,
)  # fmt: skip
_REASONING_RESPONSES: Final = replace(_REASONING, per_call=6, any_tools=6, per_schema=0)
_EXACT: Final = Margin(tools=1.03, any_tools=8, per_request=2, media=1.05)
_EXACT_REASONING: Final = replace(_EXACT, per_call=9)
_MINI_TILES: Final = ImagePrice(base=2_833, unit=5_667)
_PATCHES_MINI: Final = ImagePrice(kind="patches", unit=1.62)
_PATCHES_NANO: Final = ImagePrice(kind="patches", unit=2.46)
_PATCHES_O4: Final = ImagePrice(kind="patches", unit=1.72)
_PATCHES_5: Final = ImagePrice(kind="patches", unit=1.5)
_GPT_5: Final = replace(_REASONING, per_call=9, any_tools=91, images=ImagePrice(base=70, unit=140))

_OPENAI: Final = (
    Family(models=("gpt-3.5", "gpt-35", "gpt-4", "gpt-4-turbo"), vocabulary="cl100k_base", framing=_CHAT, margin=_EXACT,
           rows=245, source="197 text rows, all but 5 exact"),
    Family(models=("gpt-3.5", "gpt-35", "gpt-4", "gpt-4-turbo"), api="responses", vocabulary="cl100k_base",
           framing=_RESPONSES, margin=_EXACT, rows=10, source="as gpt-4o"),
    Family(models=("gpt-4o", "gpt-4.1", "gpt-4.5", "chatgpt-4o", "gpt-5-chat", "gpt-audio"), framing=_CHAT,
           margin=_EXACT, rows=1_950, source="text, tools, calls, schemas; images: OpenAI's published tiles"),
    Family(models=("gpt-4o", "gpt-4.1", "gpt-4.5", "chatgpt-4o", "gpt-5-chat", "gpt-audio"), api="responses",
           framing=_RESPONSES, margin=_EXACT, rows=290, source="text, tools, calls, schemas"),
    Family(models=("gpt-4o-mini",), framing=replace(_CHAT, images=_MINI_TILES), margin=_EXACT, rows=900,
           source="as gpt-4o, with a dearer tile"),
    Family(models=("gpt-4o-mini",), api="responses", framing=replace(_RESPONSES, images=_MINI_TILES), margin=_EXACT,
           rows=60, source="as gpt-4o, with a dearer tile"),
    Family(models=("gpt-4.1-mini",), framing=replace(_CHAT, images=_PATCHES_MINI),
           margin=_EXACT, rows=300, source="as gpt-4.1; images: published patches"),
    Family(models=("gpt-4.1-nano",), framing=replace(_CHAT, images=_PATCHES_NANO),
           margin=_EXACT, rows=60, source="as gpt-4.1; images: published patches"),
    Family(models=("o1", "o3", "o4"), framing=replace(_REASONING, images=ImagePrice(base=75, unit=150)),
           margin=_EXACT_REASONING, rows=130, source="text exact; tools exact"),
    Family(models=("o4-mini",), framing=replace(_REASONING, images=_PATCHES_O4),
           margin=_EXACT_REASONING, rows=60, source="as o3; images: published patches"),
    Family(models=("o1", "o3", "o4"), api="responses", framing=_REASONING_RESPONSES, margin=_EXACT_REASONING, rows=80,
           source="tools: 6 over the TypeScript text"),
    Family(models=("gpt-5", "gpt-6"), framing=_GPT_5, margin=_EXACT_REASONING, rows=180, source="tools: 91 over the TypeScript text"),
    Family(models=("gpt-5-mini", "gpt-5-nano"), framing=replace(_GPT_5, images=_PATCHES_5),
           margin=_EXACT_REASONING, rows=150, source="as gpt-5; images: published patches"),
    Family(models=("gpt-5", "gpt-6"), api="responses",
           framing=replace(_REASONING_RESPONSES, per_call=7, any_tools=9), margin=_EXACT_REASONING, rows=150,
           source="tools: 9 over the TypeScript text"),
    Family(models=("gpt-4.1-mini",), api="responses", framing=replace(_RESPONSES, images=_PATCHES_MINI), margin=_EXACT,
           rows=30, source="as gpt-4.1; images: published patches"),
    Family(models=("gpt-4.1-nano",), api="responses", framing=replace(_RESPONSES, images=_PATCHES_NANO), margin=_EXACT,
           rows=40, source="as gpt-4.1; images: published patches"),
    Family(models=("o4-mini",), api="responses", framing=replace(_REASONING_RESPONSES, images=_PATCHES_O4), margin=_EXACT_REASONING,
           rows=30, source="as o3; images: published patches"),
    Family(models=("gpt-5-mini", "gpt-5-nano"), api="responses", framing=replace(
               _REASONING_RESPONSES, per_call=7, any_tools=9, images=_PATCHES_5), margin=_EXACT_REASONING, rows=110,
           source="as gpt-5; images: published patches"),
    Family(models=("codex",), framing=_GPT_5, margin=_EXACT_REASONING, rows=0, source="as gpt-5"),
    Family(models=("codex",), api="responses", framing=replace(_REASONING_RESPONSES, any_tools=7), margin=_EXACT_REASONING,
           rows=22, source="tools: 7 over the TypeScript text"),
    Family(models=("gpt-5-codex", "gpt-5.1-codex", "gpt-5.2-codex", "gpt-5.3-codex"), api="responses",
           framing=replace(_REASONING_RESPONSES, per_call=7, any_tools=12), margin=_EXACT_REASONING, rows=21,
           source="tools: 12 over the TypeScript text"),
)  # fmt: skip

# --- Open models: exact text, the template's frame, tools as the template's JSON ---------------------------------

_OPEN: Final = Framing(
    per_request=5, per_message=5, per_call=12, recipient="", name_with_result=False, tools="json", any_tools=85,
    tools_in_system=False, forced_tool=0, forced_prefix=None, per_schema=0, per_schema_token=0,
    images=ImagePrice(kind="patches", unit=1.0),
)  # fmt: skip
_HOSTED: Final = Margin(tools=1.1, any_tools=40, per_call=10, per_request=5, media=1.5)
_LLAMA_3_1: Final = replace(_OPEN, per_request=30, per_system=0, any_tools=75)
_QWEN: Final = replace(_OPEN, per_request=3, any_tools=82, per_call=28, per_call_token=0.5, reasoning="none")
_DEEPSEEK: Final = replace(
    _OPEN, per_request=2, per_message=3, per_system=0, per_assistant=-2, per_call=21, per_call_token=2.0
)
_MISTRAL: Final = replace(
    _OPEN, per_request=1, per_message=2, per_assistant=-1, any_tools=15, per_call=3, per_call_token=1.15
)
_GLM: Final = replace(
    _OPEN, per_request=3, per_message=2, any_tools=97, per_tool_token=0.93, per_call=0, per_call_token=2.7
)

_OPEN_MODELS: Final = (
    Family(models=("gpt-oss",), vocabulary="o200k_harmony", framing=replace(
               _OPEN, per_request=63, per_message=4, per_system=7, per_assistant=2, tools="typescript", any_tools=24,
               per_call=7, per_call_token=1.1, recipient=" to=functions.", name_with_result=True, reasoning="turn"),
           margin=_HOSTED, rows=176, source="published format; its own system message with a date is 59 tokens"),
    Family(models=("llama3", "llama-3", "meta-llama-3", "llama-4"), vocabulary="llama3", framing=_OPEN,
           margin=_HOSTED, rows=40, source="template"),
    Family(models=("llama3.1", "llama-3.1", "llama-3.3", "llama3-1", "llama3-3", "llama-3-3", "llama-3-1",
                   "meta-llama-3.1", "llama3.3"),
           vocabulary="llama3", framing=_LLAMA_3_1, margin=_HOSTED, rows=90,
           source="template: a system message with dates, 25 tokens, is always there"),
    Family(models=("llama-3.1", "llama-3.3"), host="groq", vocabulary="llama3",
           framing=replace(_LLAMA_3_1, any_tools=140, per_tool_token=0.83), margin=_HOSTED, rows=20, source="bills"),
    Family(models=("llama-3-3",), host="watsonx", vocabulary="llama3", framing=replace(_LLAMA_3_1, any_tools=150),
           margin=_HOSTED, rows=53, source="bills"),
    Family(models=("llama3.2", "llama-3.2"), vocabulary="llama3",
           framing=replace(_LLAMA_3_1, per_request=20, any_tools=75, per_tool_token=0.9), margin=_HOSTED, rows=70,
           source="template without today's date"),
    Family(models=("llama-guard",), vocabulary="llama3", framing=replace(_OPEN, per_request=200), margin=_HOSTED,
           rows=4, source="template: the list of hazards"),
    Family(models=("llama-guard3",), vocabulary="llama3", framing=replace(_OPEN, per_request=188), margin=_HOSTED,
           rows=782, source="template: the list of hazards"),
    Family(models=("hermes",), vocabulary="llama3", framing=replace(_OPEN, per_request=77), margin=_HOSTED, rows=23,
           source="bills: a hidden prompt of 72 tokens"),
    Family(models=("deephermes",), vocabulary="llama3", framing=_OPEN, margin=_HOSTED, rows=6, source="template"),
    Family(models=("deepseek-r1-distill-llama",), vocabulary="llama3",
           framing=replace(_OPEN, per_request=1, per_message=2, per_system=0), margin=_HOSTED, rows=20, source="template"),
    Family(models=("sonar",), vocabulary="llama3", framing=replace(_OPEN, per_request=1, per_message=0),
           margin=_HOSTED, rows=6, source="bills"),
    Family(models=("qwen", "qwq"), vocabulary="qwen3", framing=_QWEN, margin=Margin(
               tools=1.15, any_tools=60, per_call=30, per_request=5, media=1.5), rows=190,
           source="template; thoughts of earlier answers are left out"),
    Family(models=("qwen3-coder", "qwen-3-coder", "qwen3.5", "qwen3.6"), vocabulary="qwen3",
           framing=replace(_QWEN, any_tools=215), margin=_HOSTED, rows=40, source="template: longer advice on tools"),
    Family(models=("qwen3-235b-a22b-thinking", "qwen-3-235b-a22b-thinking", "qwen3-30b-a3b-thinking",
                   "qwen3-next-80b-a3b-thinking"), vocabulary="qwen3", framing=replace(_QWEN, per_request=5), margin=_HOSTED,
           rows=45, source="template: the answer begins with the mark of a thought"),
    Family(models=("qwen3", "qwen3.6"), host="ollama", vocabulary="qwen3", framing=replace(
               _QWEN, per_request=5, any_tools=50, reasoning="turn"),
           margin=Margin(tools=1.2, any_tools=60, per_call=100, per_request=5, media=1.5), rows=50, source="bills"),
    Family(models=("qwen2.5", "qwen-2.5"), vocabulary="qwen3", framing=replace(_QWEN, default_system=15), margin=_HOSTED,
           rows=10, source="template: a system message of its own where there is none"),
    Family(models=("deepseek-r1-distill-qwen",), vocabulary="qwen3",
           framing=replace(_QWEN, per_request=3, per_message=3, per_system=0), margin=_HOSTED, rows=6, source="template"),
    Family(models=("deepseek", "mai-ds"), vocabulary="deepseek_v3", framing=_DEEPSEEK, margin=_HOSTED, rows=120,
           source="template"),
    Family(models=("deepseek",), host="deepseek", vocabulary="deepseek_v3", framing=replace(
               _DEEPSEEK, per_request=1, any_tools=227, per_tool_token=0.86, per_call=25, per_call_token=1.5, per_result=15),
           margin=_HOSTED, rows=48, source="bills: the provider's own advice on tools"),
    Family(models=("deepseek-v4",), vocabulary="deepseek_v3", framing=replace(
               _DEEPSEEK, per_request=1, any_tools=0, per_tool_token=1.03, per_call=25, per_call_token=1.5, per_result=4),
           margin=_HOSTED, rows=50, source="bills"),
    Family(models=("deepseek-chat-v3-0324", "deepseek-r1t2"), vocabulary="deepseek_v3", framing=replace(_DEEPSEEK, per_request=0),
           margin=_HOSTED, rows=12, source="template"),
    Family(models=("deepseek-v3.1",), host="azure", vocabulary="deepseek_v3", framing=replace(_DEEPSEEK, per_request=4),
           margin=_HOSTED, rows=13, source="bills"),
    Family(models=("deepseek-v4",), host="charm", vocabulary="deepseek_v3", framing=replace(
               _DEEPSEEK, per_request=-1, any_tools=0, per_tool_token=1.03, per_call=25, per_call_token=1.5, per_result=4),
           margin=_HOSTED, rows=48, source="bills"),
    Family(models=("glm-4.5v",), vocabulary="glm4", framing=replace(_GLM, per_request=5), margin=_HOSTED, rows=28,
           source="template"),
    Family(models=("glm",), vocabulary="glm4", framing=_GLM, margin=_HOSTED, rows=157, source="template"),
    Family(models=("kimi",), vocabulary="kimi_k2", framing=replace(
               _OPEN, per_request=3, per_message=4, default_system=18, any_tools=6, per_call=30, per_call_token=0.2),
           margin=_HOSTED, rows=76, source="template: a system message of its own where there is none"),
    Family(models=("mistral", "codestral", "devstral", "magistral", "open-mistral", "pixtral", "ministral"),
           vocabulary="mistral_v3", framing=_MISTRAL, margin=replace(_HOSTED, per_request=16), rows=110, source="template"),
    Family(models=("mistral-small-latest",), vocabulary="mistral_v3", framing=replace(_MISTRAL, per_request=13, any_tools=3),
           margin=replace(_HOSTED, per_request=6), rows=49, source="bills: 12 tokens more than the template's"),
    Family(models=("devstral-small-2505",), vocabulary="mistral_v3", framing=replace(_MISTRAL, default_system=1_222),
           margin=_HOSTED, rows=8, source="template: a long system message of its own where there is none"),
    Family(models=("mistral-small-3.1",), vocabulary="mistral_v3", framing=replace(_MISTRAL, default_system=175),
           margin=_HOSTED, rows=8, source="template: a system message of its own where there is none"),
    Family(models=("mistral-small-3.2",), vocabulary="mistral_v3", framing=replace(_MISTRAL, default_system=555),
           margin=_HOSTED, rows=9, source="template: a system message of its own where there is none"),
    Family(models=("gemma",), vocabulary="gemma3", framing=replace(_OPEN, per_request=4, per_system=1),
           margin=_HOSTED, rows=25, source="template: the system text goes into the first user message"),
    Family(models=("gemma-2", "gemma2"), vocabulary="gemma2", framing=replace(_OPEN, per_request=4, per_system=1),
           margin=_HOSTED, rows=3, source="template"),
)  # fmt: skip

# --- Gemini: Gemma's vocabulary counts its texts to the token ------------------------------------------------------

_GEMINI: Final = replace(
    _OPEN, per_request=0, per_message=1, per_call=3, per_result=15, tools="strings", per_tool=17, per_property=9,
    any_tools=0, images=ImagePrice(kind="flat", unit=258), audio=300, video=1_400, file=520, file_base=258, file_bytes=4_000,
)  # fmt: skip
_GEMINI_PLAIN: Final = replace(_GEMINI, per_message=0, per_call=0, per_result=0, per_tool=0, per_property=0)
_GEMINI_2: Final = replace(_GEMINI_PLAIN, images=ImagePrice(kind="gemini", base=258))
_GEMINI_MARGIN: Final = Margin(text=1.02, tools=1.15, any_tools=30, per_call=60, per_request=6, media=2.0)
_GEMINI_STAND_IN: Final = StandIn(
    per_token=1.07, margin=Margin(text=1.5, tools=1.5, any_tools=40, per_call=60, per_request=10, media=2.0)
)
_GEMINI_3_MARGIN: Final = replace(_GEMINI_MARGIN, per_call=130, any_tools=150, per_request=10)
_GEMINI_3: Final = replace(_GEMINI, per_call=10, signature_characters=6, images=ImagePrice(kind="flat", unit=1_100))

_GEMINIS: Final = (
    Family(models=("gemini",), vocabulary="gemma3", framing=_GEMINI, margin=_GEMINI_MARGIN, stand_in=_GEMINI_STAND_IN,
           rows=420, source="bills: exact on text; signatures of thoughts are billed with calls"),
    Family(models=("gemini-1", "gemini-2.0"), vocabulary="gemma3", framing=_GEMINI_2, margin=_GEMINI_MARGIN,
           stand_in=_GEMINI_STAND_IN, rows=170, source="bills: only the strings of tools and calls count"),
    Family(models=("gemini",), host="vertex", vocabulary="gemma3", framing=replace(
               _GEMINI_PLAIN, signature_characters=10, per_call=5, file_base=1_290),
           margin=_GEMINI_MARGIN, stand_in=_GEMINI_STAND_IN, rows=170, source="bills: only the strings of tools count"),
    Family(models=("gemini",), host="openrouter", vocabulary="gemma3", framing=replace(
               _GEMINI_PLAIN, file_base=1_290), margin=_GEMINI_MARGIN,
           stand_in=_GEMINI_STAND_IN, rows=138, source="as vertex"),
    Family(models=("gemini-3",), vocabulary="gemma3", framing=_GEMINI_3, margin=_GEMINI_3_MARGIN,
           stand_in=_GEMINI_STAND_IN, rows=70, source="as gemini, with longer signatures"),
)  # fmt: skip

# --- No public vocabulary: o200k_base stands in ---------------------------------------------------------------------

_CLAUDE_3: Final = replace(
    _OPEN, per_request=7, per_message=0, per_token=1.16, per_tool_token=1.02, per_tool=4, any_tools=295, per_call=12,
    per_call_token=1.5, per_result=42, forced_tool=22, required_tool=22, thinking=28, thinking_with_tools=30,
    reasoning="turn", citations=560, per_schema=90, per_schema_token=1.7, images=ImagePrice(kind="area", base=4, unit=750, most=1_600),
    file_base=1_580,
)  # fmt: skip
_CLAUDE_4_5: Final = replace(
    _CLAUDE_3, per_token=1.19, any_tools=485, per_tool_token=1.03, per_call=2, per_call_token=2.5, per_result=46,
    forced_tool=98, required_tool=98,
)  # fmt: skip
_CLAUDE_4_7: Final = replace(
    _CLAUDE_3, per_request=5, per_message=3, per_token=1.27, any_tools=350, per_tool_token=1.3, forced_tool=120,
    required_tool=120, thinking=3,
)  # fmt: skip
_CLAUDE_MARGIN: Final = Margin(text=1.2, tools=1.2, any_tools=40, per_call=15, per_request=14, media=1.5)
_GROK: Final = replace(
    _OPEN, per_request=2, per_message=4, any_tools=200, per_tool_token=0.7, per_call=0, per_call_token=3.8,
    per_schema=10, per_schema_token=1.3,
)  # fmt: skip
_GROK_4_FAST: Final = replace(_GROK, per_request=152, per_system=0, any_tools=150, per_call_token=5.0)
_GROK_MARGIN: Final = Margin(text=1.1, tools=1.2, any_tools=40, per_call=90, per_request=10, media=1.5)
_HIDDEN: Final = Margin(text=1.2, tools=1.15, any_tools=40, per_call=30, per_request=40, media=2.0)

_ESTIMATED: Final = (
    Family(models=("claude",), framing=_CLAUDE_3, margin=_CLAUDE_MARGIN, rows=438,
           source="bills; text 1.16 times o200k_base in the median, 2.4 times at most (Latin filler)"),
    Family(models=("claude-3-haiku", "claude-3-5-haiku", "claude-3.5-haiku"), framing=replace(
               _CLAUDE_3, any_tools=256, forced_tool=95, required_tool=95), margin=_CLAUDE_MARGIN, rows=120,
           source="bills, and the provider's table of tool prompts (264, forced 340)"),
    Family(models=("claude-3-sonnet",), framing=replace(_CLAUDE_3, any_tools=151, forced_tool=80, required_tool=80),
           margin=_CLAUDE_MARGIN, rows=10, source="bills, and the provider's table (159, forced 235)"),
    Family(models=("claude-3-opus",), framing=replace(_CLAUDE_3, any_tools=525, forced_tool=-231, required_tool=-231),
           margin=_CLAUDE_MARGIN, rows=34, source="bills, and the provider's table (530, forced 281)"),
    Family(models=("claude-haiku-4-5", "claude-sonnet-4-5", "claude-opus-4-5", "claude-haiku-4-6", "claude-sonnet-4-6",
                   "claude-opus-4-6", "claude-haiku-4.5", "claude-sonnet-4.5", "claude-opus-4.5", "claude-haiku-4.6",
                   "claude-sonnet-4.6", "claude-opus-4.6"),
           framing=_CLAUDE_4_5, margin=_CLAUDE_MARGIN, rows=416, source="bills"),
    Family(models=("claude-opus-4-7", "claude-opus-4.7", "claude-opus-4-8", "claude-opus-4.8", "claude-sonnet-5",
                   "claude-opus-5", "claude-haiku-5"),
           framing=_CLAUDE_4_7, margin=_CLAUDE_MARGIN, rows=29, source="bills"),
    Family(models=("grok",), framing=_GROK, margin=_GROK_MARGIN, rows=100, source="bills; exact on short English"),
    Family(models=("grok-2",), framing=replace(_GROK, any_tools=71, per_tool_token=0.66), margin=_GROK_MARGIN, rows=50,
           source="bills"),
    Family(models=("grok-3-mini",), framing=replace(_GROK, per_request=3, any_tools=210, reasoning="none"),
           margin=_GROK_MARGIN, rows=66, source="bills"),
    Family(models=("grok-4",), framing=replace(_GROK, per_request=680, per_system=1), margin=_GROK_MARGIN, rows=17,
           source="bills: a hidden prompt of 680 tokens"),
    Family(models=("grok-4-fast", "grok-4.1-fast", "grok-4-1-fast"), framing=_GROK_4_FAST,
           margin=replace(_GROK_MARGIN, per_call=150), rows=60,
           source="bills: a hidden prompt of 150 tokens; unseen thoughts are billed with calls"),
    Family(models=("grok-4-1-fast", "grok-4-fast"), host="azure",
           framing=replace(_GROK_4_FAST, per_request=0, any_tools=146, per_tool_token=0.64, per_call=5, per_call_token=2.6),
           margin=_GROK_MARGIN, rows=37, source="bills: no hidden prompt"),
    Family(models=("grok-4.3",), framing=replace(_GROK, per_request=188, per_system=2, any_tools=23, per_tool_token=1.0),
           margin=_GROK_MARGIN, rows=24, source="bills: a hidden prompt of 188 tokens"),
    Family(models=("grok-code",), framing=replace(_GROK_4_FAST, per_request=200), margin=replace(_GROK_MARGIN, per_call=150),
           rows=27, source="bills: a hidden prompt of 200 tokens; unseen thoughts are billed with calls"),
    Family(models=("command",), framing=replace(_OPEN, per_request=60, per_message=4, any_tools=900), margin=replace(
               _HIDDEN, per_request=140), rows=40, source="bills: hidden prompts of 60 to 200 tokens"),
    Family(models=("command",), host="bedrock", framing=replace(_OPEN, per_request=0, per_message=0, any_tools=0, per_tool_token=0.2),
           margin=_HIDDEN, rows=18, source="bills: no hidden prompt"),
    Family(models=("command-a",), framing=replace(_OPEN, per_request=490, any_tools=880, per_call=50, per_call_token=3.0),
           margin=replace(_HIDDEN, per_request=110), rows=45, source="bills: a hidden prompt of 490 tokens"),
    Family(models=("command-a-reasoning",), framing=replace(_OPEN, per_request=1_390, any_tools=880), margin=_HIDDEN, rows=2,
           source="bills: a hidden prompt of 1,390 tokens"),
    Family(models=("nova", "amazon.nova"), framing=replace(
               _OPEN, per_request=42, per_message=4, any_tools=827, per_tool_token=0.8, per_call_token=3.5), margin=_HIDDEN,
           rows=30, source="bills: a hidden prompt of 42 tokens, of 827 more with tools"),
    Family(models=("minimax",), framing=replace(_OPEN, per_request=15, default_system=25, per_message=5), margin=replace(
               _HIDDEN, per_request=450), rows=26, source="bills: hidden prompts of 25 to 700 tokens"),
)  # fmt: skip

FAMILIES: Final[tuple[Family, ...]] = (*_OPENAI, *_OPEN_MODELS, *_GEMINIS, *_ESTIMATED)
"""All rows. For a model, the row with the longest fitting prefix counts; of these the one for its API and host."""

FALLBACK: Final = Family(
    models=("",),
    framing=replace(_CLAUDE_4_5, per_token=1.2),
    margin=Margin(text=1.25, tools=1.25, any_tools=60, per_call=60, per_request=25, media=1.5),
    source="Claude's, whose bills are the highest for their texts",
)
"""For models of no known family."""
