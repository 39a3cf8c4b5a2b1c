"""The open models' rows of the table of families: exact text, the frame and the tools of their chat templates."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ctx_core.counting.family import Family
from ctx_core.counting.framing import Framing, Margin
from ctx_core.counting.image_prices import ImagePrice

OPEN: Final = Framing(
    image=None, per_request=5, per_message=5, per_call=12, recipient="", per_tool=0, tools="json", any_tools=85,
    tools_in_system=False, forced_tool=0, forced_prefix=None, per_schema=0, per_schema_token=0,
    images=ImagePrice(kind="patches", unit=1.0),
)  # fmt: skip
_HOSTED: Final = Margin(tools=1.1, any_tools=40, per_call=10, per_request=5, media=1.5)
_LLAMA_3_1: Final = replace(OPEN, per_request=30, per_system=0, any_tools=75)
_QWEN: Final = replace(OPEN, per_request=3, any_tools=82, per_call=28, per_call_token=0.5, reasoning="none")
_DEEPSEEK: Final = replace(
    OPEN, per_request=2, per_message=3, per_system=0, per_assistant=-2, per_call=21, per_call_token=2.0
)
_MISTRAL: Final = replace(
    OPEN, per_request=1, per_message=2, per_assistant=-1, any_tools=15, per_call=3, per_call_token=1.15
)
_GLM: Final = replace(
    OPEN, per_request=3, per_message=2, any_tools=97, per_tool_token=0.93, per_call=0, per_call_token=2.7
)

OPEN_MODELS: Final[tuple[Family, ...]] = (
    Family(models=("gpt-oss",), vocabulary="o200k_harmony", framing=replace(
               OPEN, per_request=63, per_message=4, per_system=7, per_assistant=2, tools="typescript", any_tools=24,
               per_call=7, per_call_token=1.1, recipient=" to=functions.", sender="", reasoning="turn"),
           margin=_HOSTED, rows=176, source="published format; its own system message with a date is 59 tokens"),
    Family(models=("llama3", "llama-3", "meta-llama-3"), vocabulary="llama3", framing=OPEN,
           margin=_HOSTED, rows=10, source="template"),
    Family(models=("llama3.1", "llama-3.1", "llama-3.3", "llama3-1", "llama3-3", "llama-3-3", "llama-3-1",
                   "meta-llama-3.1", "llama3.3", "llama-v3p1", "llama-v3p3"),
           vocabulary="llama3", framing=_LLAMA_3_1, margin=_HOSTED, rows=21,
           source="template: a system message with dates, 25 tokens, is always there"),
    Family(models=("llama-3.1", "llama-3.3"), host="groq", vocabulary="llama3",
           framing=replace(_LLAMA_3_1, any_tools=140, per_tool_token=0.83), margin=_HOSTED, rows=20, source="bills"),
    Family(models=("llama-3-3",), host="watsonx", vocabulary="llama3", framing=replace(_LLAMA_3_1, any_tools=150),
           margin=_HOSTED, rows=53, source="bills"),
    Family(models=("llama3.2", "llama-3.2"), vocabulary="llama3",
           framing=replace(_LLAMA_3_1, per_request=20, any_tools=75, per_tool_token=0.9), margin=_HOSTED, rows=66,
           source="template without today's date"),
    Family(models=("llama-4", "llama4"), vocabulary="llama3", framing=replace(OPEN, any_tools=530, per_tool_token=0.6, per_call=37),
           margin=_HOSTED, rows=7, source="template; bills: a long system message of the host's where there are tools"),
    Family(models=("llama-4", "llama4"), host="groq", vocabulary="llama3",
           framing=replace(OPEN, any_tools=660, per_tool_token=0.6, per_call=37), margin=_HOSTED, rows=18, source="bills"),
    Family(models=("llama-guard",), vocabulary="llama3", framing=replace(OPEN, per_request=200), margin=_HOSTED,
           rows=4, source="template: the list of hazards"),
    Family(models=("llama-guard3",), vocabulary="llama3", framing=replace(OPEN, per_request=188), margin=_HOSTED,
           rows=782, source="template: the list of hazards"),
    Family(models=("hermes",), vocabulary="llama3", framing=replace(OPEN, per_request=77), margin=_HOSTED, rows=23,
           source="bills: a hidden prompt of 72 tokens"),
    Family(models=("deephermes",), vocabulary="llama3", framing=OPEN, margin=_HOSTED, rows=6, source="template"),
    Family(models=("deepseek-r1-distill-llama",), vocabulary="llama3",
           framing=replace(OPEN, per_request=1, per_message=2, per_system=0), margin=_HOSTED, rows=14, source="template"),
    Family(models=("sonar",), vocabulary="llama3", framing=replace(OPEN, per_request=1, per_message=0),
           margin=_HOSTED, rows=7, source="bills"),
    Family(models=("qwen", "qwq"), vocabulary="qwen3", framing=_QWEN, margin=Margin(
               tools=1.15, any_tools=60, per_call=30, per_request=5, media=1.5), rows=88,
           source="template; thoughts of earlier answers are left out"),
    Family(models=("qwen3-coder", "qwen-3-coder", "qwen3.5", "qwen3.6"), vocabulary="qwen3",
           framing=replace(_QWEN, any_tools=215), margin=_HOSTED, rows=29, source="template: longer advice on tools"),
    Family(models=("qwen3-235b-a22b-thinking", "qwen-3-235b-a22b-thinking", "qwen3-30b-a3b-thinking",
                   "qwen3-next-80b-a3b-thinking"), vocabulary="qwen3", framing=replace(_QWEN, per_request=5), margin=_HOSTED,
           rows=40, source="template: the answer begins with the mark of a thought"),
    Family(models=("qwen3-max",), vocabulary="qwen3", framing=replace(_QWEN, any_tools=189), margin=_HOSTED, rows=11,
           source="bills: longer advice on tools"),
    Family(models=("qwen3.6",), host="ollama", vocabulary="qwen3", framing=replace(
               _QWEN, per_request=5, any_tools=200, reasoning="turn"), margin=_HOSTED, rows=5,
           source="bills: longer advice on tools"),
    Family(models=("qwen3",), host="ollama", vocabulary="qwen3", framing=replace(
               _QWEN, per_request=5, any_tools=50, reasoning="turn"),
           margin=Margin(tools=1.2, any_tools=60, per_call=100, per_request=5, media=1.5), rows=45, source="bills"),
    Family(models=("qwen2.5", "qwen-2.5"), vocabulary="qwen3", framing=replace(_QWEN, default_system=15), margin=_HOSTED,
           rows=9, source="template: a system message of its own where there is none"),
    Family(models=("deepseek-r1-distill-qwen",), vocabulary="qwen3",
           framing=replace(_QWEN, per_request=3, per_message=3, per_system=0), margin=_HOSTED, rows=6, source="template"),
    Family(models=("deepseek", "mai-ds"), vocabulary="deepseek_v3", framing=_DEEPSEEK, margin=_HOSTED, rows=90,
           source="template"),
    Family(models=("deepseek",), host="deepseek", vocabulary="deepseek_v3", framing=replace(
               _DEEPSEEK, per_request=1, any_tools=227, per_tool_token=0.86, per_call=25, per_call_token=1.5, per_result=15),
           margin=replace(_HOSTED, per_request=10), rows=44, source="bills: the provider's own advice on tools"),
    Family(models=("deepseek-v4",), vocabulary="deepseek_v3", framing=replace(
               _DEEPSEEK, per_request=1, any_tools=0, per_tool_token=1.03, per_call=25, per_call_token=1.5, per_result=4),
           margin=_HOSTED, rows=4, source="bills"),
    Family(models=("deepseek-chat-v3-0324", "deepseek-r1t2"), vocabulary="deepseek_v3", framing=replace(_DEEPSEEK, per_request=0),
           margin=_HOSTED, rows=10, source="template"),
    Family(models=("deepseek-v3.1",), host="azure", vocabulary="deepseek_v3", framing=replace(_DEEPSEEK, per_request=4),
           margin=_HOSTED, rows=13, source="bills"),
    Family(models=("deepseek-v4",), host="charm", vocabulary="deepseek_v3", framing=replace(
               _DEEPSEEK, per_request=-1, any_tools=0, per_tool_token=1.03, per_call=25, per_call_token=1.5, per_result=4),
           margin=_HOSTED, rows=48, source="bills"),
    Family(models=("glm-4.5v",), vocabulary="glm4", framing=replace(_GLM, per_request=5), margin=_HOSTED, rows=26,
           source="template"),
    Family(models=("glm",), vocabulary="glm4", framing=_GLM, margin=_HOSTED, rows=131, source="template"),
    Family(models=("kimi",), vocabulary="kimi_k2", framing=replace(
               OPEN, per_request=3, per_message=4, default_system=18, any_tools=6, per_call=30, per_call_token=0.2),
           margin=_HOSTED, rows=76, source="template: a system message of its own where there is none"),
    Family(models=("mistral", "codestral", "devstral", "magistral", "open-mistral", "pixtral", "ministral"),
           vocabulary="mistral_v3", framing=_MISTRAL, margin=replace(_HOSTED, per_request=16), rows=60, source="template"),
    Family(models=("mistral-small-latest",), vocabulary="mistral_v3", framing=replace(_MISTRAL, per_request=13, any_tools=3),
           margin=replace(_HOSTED, per_request=6), rows=49, source="bills: 12 tokens more than the template's"),
    Family(models=("mistral-nemo", "open-mistral-nemo"), vocabulary="mistral_v3", framing=replace(_MISTRAL, per_system=0),
           margin=_HOSTED, rows=1, source="template: the system text goes into the user message"),
    Family(models=("mistral-nemo",), host="openrouter", vocabulary="mistral_v3", framing=replace(_MISTRAL, per_request=3, per_system=0),
           margin=_HOSTED, rows=13, source="bills: mostly 2 tokens more than the template's"),
    Family(models=("mixtral-",), vocabulary="mistral_v1", framing=replace(_MISTRAL, per_message=8), margin=_HOSTED, rows=1,
           source="template: marks of an instruction that are text in this vocabulary"),
    Family(models=("phi-4", "phi4"), vocabulary="phi4", framing=replace(OPEN, per_request=3, per_message=4), margin=_HOSTED, rows=0,
           source="template"),
    Family(models=("dolphin3.0-mistral",), vocabulary="mistral_v3", framing=replace(OPEN, per_request=4, default_system=21),
           margin=_HOSTED, rows=4, source="template: ChatML, and a system message of its own where there is none"),
    Family(models=("devstral-small-2505",), vocabulary="mistral_v3", framing=replace(_MISTRAL, default_system=1_222),
           margin=_HOSTED, rows=9, source="template: a long system message of its own where there is none"),
    Family(models=("mistral-small-3.1",), vocabulary="mistral_v3", framing=replace(_MISTRAL, default_system=175),
           margin=_HOSTED, rows=8, source="template: a system message of its own where there is none"),
    Family(models=("mistral-small-3.2",), vocabulary="mistral_v3", framing=replace(_MISTRAL, default_system=555),
           margin=_HOSTED, rows=9, source="template: a system message of its own where there is none"),
    Family(models=("gemma",), vocabulary="gemma3", framing=replace(OPEN, per_request=4, per_system=1),
           margin=_HOSTED, rows=17, source="template: the system text goes into the first user message"),
    Family(models=("gemma-3n",), vocabulary="gemma3", framing=replace(OPEN, per_request=4, per_system=1, default_system=7),
           margin=_HOSTED, rows=7, source="bills: 7 tokens more where there is no system message"),
    Family(models=("gemma-2", "gemma2"), vocabulary="gemma2", framing=replace(OPEN, per_request=4, per_system=1),
           margin=_HOSTED, rows=3, source="template"),
)  # fmt: skip
