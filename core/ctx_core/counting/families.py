"""How the models of each family are counted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from ctx_core.counting.framing import Framing, Margin
from ctx_core.counting.image_prices import ImagePrice

@dataclass(frozen=True, slots=True, kw_only=True)
class StandIn:
    """How a family is counted with o200k_base where its own vocabulary is not installed."""

    per_token: float = 1.0
    per_tool_token: float = 1.0
    margin: Margin = Margin(text=1.2, tools=1.2, per_request=8)


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """A row of the table."""

    prefix: str
    api: str | None = None
    host: str | None = None
    vocabulary: str = "o200k_base"
    framing: Framing
    margin: Margin
    stand_in: StandIn = StandIn()
    source: str
    rows: int = 0


T32 = lambda f: ImagePrice(kind="patches", unit=f)
EXACT = Margin(tools=1.03, any_tools=8, per_request=2)
TOOLS={}
def fam(prefixes, framing, *, vocabulary="o200k_base", margin=EXACT, api=None, host=None, stand_in=StandIn(), source="recorded bills", rows=0):
    return [Family(prefix=p, api=api, host=host, vocabulary=vocabulary, framing=framing, margin=margin, stand_in=stand_in, source=source, rows=rows) for p in prefixes.split()]

CHAT = Framing()
RESP = replace(CHAT, any_tools=3, tools_in_system=False, per_schema=1, required_tool=9)
REAS = Framing(per_request=2, per_assistant=2, per_call=7, recipient="", any_tools=10, tools_in_system=False, forced_tool=0, forced_prefix=None, per_schema=4)
RRESP = replace(REAS, any_tools=6, per_schema=0, per_call=6)
def open_(**k):
    d = dict(recipient="", name_with_result=False, per_schema=0, tools="json", tools_in_system=False, forced_tool=0, forced_prefix=None, per_call=12, per_result=0, any_tools=85, images=ImagePrice(kind="flat", unit=1000))
    d.update(k)
    return Framing(**d)
OPEN = Margin(text=1.0, tools=1.1, any_tools=20, per_request=5)
CLMARGIN = Margin(text=1.15, tools=1.12, any_tools=15, per_request=12)
C3 = open_(per_request=7, per_message=0, per_token=1.16, per_tool_token=1.02, per_tool=4, any_tools=295, per_call=12, per_call_token=1.5, per_result=42, forced_tool=22, required_tool=22, thinking=28, thinking_with_tools=30, reasoning="turn", images=ImagePrice(kind="area", unit=750, most=1600))
C45 = replace(C3, per_token=1.19, any_tools=485, per_tool_token=1.03, per_call=2, per_call_token=2.5, per_result=46, forced_tool=98, required_tool=98)
C47 = replace(C3, per_request=5, per_message=3, per_token=1.27, any_tools=350, per_tool_token=1.3, forced_tool=120, required_tool=120, thinking=3)
ROWS = [
 *fam("gpt-3.5 gpt-35 gpt-4 gpt-4-turbo", CHAT, vocabulary="cl100k_base"),
 *fam("gpt-3.5 gpt-35 gpt-4 gpt-4-turbo", RESP, vocabulary="cl100k_base", api="responses"),
 *fam("gpt-4o gpt-4.1 gpt-4.5 chatgpt-4o gpt-5-chat gpt-audio", CHAT),
 *fam("gpt-4o gpt-4.1 gpt-4.5 chatgpt-4o gpt-5-chat gpt-audio", RESP, api="responses"),
 *fam("o1 o3 o4", REAS), *fam("gpt-5 codex", replace(REAS, any_tools=91, per_call=7)),
 *fam("o1 o3 o4", RRESP, api="responses"), *fam("gpt-5", replace(RRESP, any_tools=9, per_call=7), api="responses"),
 *fam("codex", replace(RRESP, any_tools=7), api="responses"), *fam("gpt-5-codex gpt-5.1-codex gpt-5.2-codex", replace(RRESP, any_tools=12, per_call=7), api="responses"),
 *fam("gpt-oss", open_(per_request=63, per_message=4, per_system=7, per_assistant=2, tools="typescript", any_tools=24, per_call=7, per_call_token=1.1, recipient=" to=functions.", name_with_result=True, reasoning="turn"), vocabulary="o200k_harmony", margin=OPEN),
 *fam("llama3 llama-3 meta-llama-3 llama-4", open_(per_request=5, per_message=5), vocabulary="llama3", margin=OPEN),
 *fam("llama3.1 llama-3.1 llama-3.3 llama3-3 llama-3-3 meta-llama-3.1", open_(per_request=30, per_message=5, per_system=0,any_tools=75), vocabulary="llama3", margin=OPEN),
 *fam("llama-3.1 llama-3.3 llama-3", open_(per_request=30, per_message=5, per_system=0,any_tools=140, per_tool_token=.83), vocabulary="llama3", margin=OPEN, host="groq"),
 *fam("llama3.2 llama-3.2", open_(per_request=20, per_message=5, per_system=0,any_tools=75, per_tool_token=.9), vocabulary="llama3", margin=OPEN),
 *fam("llama-guard llama-guard3", open_(per_request=188, per_message=5), vocabulary="llama3", margin=OPEN),
 *fam("hermes", open_(per_request=77, per_message=5), vocabulary="llama3", margin=OPEN),
 *fam("deephermes", open_(per_request=5, per_message=5), vocabulary="llama3", margin=OPEN),
 *fam("deepseek-r1-distill-llama", open_(per_request=1, per_message=2,per_system=0), vocabulary="llama3", margin=OPEN),
 *fam("sonar", open_(per_request=1, per_message=0), vocabulary="llama3", margin=OPEN),
 *fam("qwen deepseek-r1-distill-qwen", open_(per_request=3, per_message=5, any_tools=82, reasoning="none"), vocabulary="qwen3", margin=OPEN),
 *fam("deepseek mai-ds deepseek-r1t2", open_(per_request=2, per_message=3, per_system=0, per_assistant=-2), vocabulary="deepseek_v3", margin=OPEN),
 *fam("deepseek", open_(per_request=1, per_message=3, per_system=0, per_assistant=-2, any_tools=227,per_tool_token=.86, per_call=25, per_call_token=1.5, per_result=15), vocabulary="deepseek_v3", margin=OPEN, host="deepseek"),
 *fam("deepseek-v4", open_(per_request=1, per_message=3, per_system=0, per_assistant=-2, any_tools=0,per_tool_token=1.03, per_call=25, per_call_token=1.5, per_result=4), vocabulary="deepseek_v3", margin=OPEN),
 *fam("glm", open_(per_request=3, per_message=2, any_tools=97, per_tool_token=.93, per_call=3, per_call_token=1.6), vocabulary="glm4", margin=OPEN),
 *fam("kimi", open_(per_request=3, per_message=4, default_system=18,any_tools=6, per_call=20, per_call_token=1.5), vocabulary="kimi_k2", margin=OPEN),
 *fam("mistral codestral devstral magistral open-mistral pixtral ministral", open_(per_request=1, per_message=2, per_assistant=-1, any_tools=15, per_call=2, per_call_token=1.17), vocabulary="mistral_v3", margin=OPEN),
 *fam("gemma", open_(per_request=4, per_message=5, per_system=1), vocabulary="gemma3", margin=OPEN),
 *fam("gemma-2 gemma2", open_(per_request=4, per_message=5, per_system=1), vocabulary="gemma2", margin=OPEN),
 *fam("gemini", open_(per_request=0, per_message=1, tools="strings", per_tool=17, per_property=9, any_tools=0, images=ImagePrice(kind="gemini", base=258)), vocabulary="gemma3", margin=OPEN),
 *fam("gemini", open_(per_request=0, per_message=0, tools="strings", per_tool=0, per_property=0, any_tools=0, images=ImagePrice(kind="gemini", base=258)), vocabulary="gemma3", margin=OPEN, host="vertex"),
 *fam("grok", open_(per_request=2, per_message=4, any_tools=150, per_tool_token=.7)),
 *fam("grok-2", open_(per_request=2, per_message=4, any_tools=71, per_tool_token=.66)),
 *fam("grok-3-mini", open_(per_request=3, per_message=4, any_tools=150, per_tool_token=.77,reasoning="none")),
 *fam("grok-4", open_(per_request=680, per_message=4, per_system=1)),
 *fam("grok-4-fast grok-4.1-fast grok-4-1-fast", open_(per_request=152, per_message=4, per_system=0, any_tools=128, per_tool_token=.7)),
 *fam("grok-4", open_(per_request=0, per_message=4, per_system=0, any_tools=130, per_tool_token=.64,per_call_token=2.6), host="azure"),
 *fam("grok-4.3", open_(per_request=188, per_message=4, per_system=2, any_tools=23)),
 *fam("grok-code", open_(per_request=200, per_message=4, per_system=0, any_tools=128, per_tool_token=.7)),
 *fam("command command-r", open_(per_request=70, per_message=4)),
 *fam("command-a", open_(per_request=490, per_message=5, any_tools=880, per_call=50, per_call_token=3)),
 *fam("nova amazon.nova", open_(per_request=42, per_message=4, any_tools=827, per_tool_token=.8, per_call_token=3.5)),
 *fam("claude", C3, margin=CLMARGIN),
 *fam("claude-haiku-4-5 claude-sonnet-4-5 claude-opus-4-5 claude-haiku-4-6 claude-sonnet-4-6 claude-opus-4-6 claude-haiku-4.5 claude-sonnet-4.5 claude-opus-4.5 claude-sonnet-4.6 claude-opus-4.6", C45, margin=CLMARGIN),
 *fam("claude-opus-4-7 claude-opus-4-8 claude-sonnet-5 claude-opus-5 claude-haiku-5 claude-opus-4.7 claude-opus-4.8", C47, margin=CLMARGIN),
]
FAMILIES = tuple(ROWS)
FALLBACK = Family(prefix="", framing=open_(per_request=7, per_message=6, any_tools=300), margin=Margin(text=1.5, tools=1.5, any_tools=300, per_request=20), source="x")
