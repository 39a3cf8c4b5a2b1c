"""Amazon's Bedrock, its Converse API."""

from __future__ import annotations

from typing import Final

from ctx_core.providers.models import Models
from ctx_core.providers.provider import Provider
from ctx_core.providers.rows.claude import BINDS_THINKING, NO_PREFILL, THINKS_IN_LOOP
from ctx_core.providers.rows.clients import LANGCHAIN_AWS, LLAMAINDEX_BEDROCK, drops, meets, moves, raises
from ctx_core.providers.rules import Confidence, Kind, Rule

_CLAUDE: Final = (Models(names=("claude",)),)
_NOT_MIXED: Final = (Models(names=("mistral", "mixtral")), Models(names=("llama",), before=(3, 2)))
_PASSED_ON: Final = "Anthropic's own check, which Bedrock passes on"
_API: Final = "docs.aws.amazon.com/bedrock/latest/APIReference"
_MERGED: Final = meets(LANGCHAIN_AWS, "Messages of one role in a row are one message.")

BEDROCK: Final = Provider(
    name="bedrock",
    title="Amazon Bedrock Converse",
    apis=("converse", "bedrock_converse", "bedrock-converse", "converse-stream"),
    hosts=("amazonaws.com",),
    format="bedrock",
    models=(
        "claude",
        "nova",
        "titan",
        "llama",
        "mistral",
        "mixtral",
        "command",
        "jamba",
        "deepseek",
        "gpt-oss",
        "qwen",
    ),
    rules=(
        Rule(
            kind=Kind.SOMETHING_SAID,
            refused="A list without messages.",
            source=f"{_API}, Converse",
            confidence=Confidence.INFERRED,
        ),
        Rule(
            kind=Kind.ROLES_KNOWN,
            refused="Roles other than these.",
            source=f"{_API}, Message",
            confidence=Confidence.DOCUMENTED,
            values=("user", "assistant"),
            by_client=(
                raises(LANGCHAIN_AWS, "A FunctionMessage ends in a ValueError."),
                raises(
                    LLAMAINDEX_BEDROCK,
                    "A function's result ends in a KeyError; a developer's message is sent as it is.",
                ),
            ),
        ),
        Rule(
            kind=Kind.SYSTEM_APART,
            refused="System messages in the list: they are the request's `system`.",
            source=f"{_API}, Converse",
            confidence=Confidence.DOCUMENTED,
            by_client=(
                moves(LANGCHAIN_AWS, "System messages go into `system` from wherever they stand."),
                moves(LLAMAINDEX_BEDROCK, "System messages go into `system` from wherever they stand."),
            ),
        ),
        Rule(
            kind=Kind.USER_BEGINS,
            refused="A conversation that does not start with a user message.",
            source="langgenius/dify#12340 and others",
            confidence=Confidence.REPORTS,
        ),
        Rule(
            kind=Kind.USER_ENDS,
            refused="An assistant message at the end, for models that do not go on with one.",
            source=_PASSED_ON,
            confidence=Confidence.INFERRED,
            models=NO_PREFILL,
        ),
        Rule(
            kind=Kind.ALTERNATES,
            refused="Two messages of one role in a row.",
            source="langgenius/dify#9294, langchain-ai/langchain-aws#130, semantic-kernel#10281",
            confidence=Confidence.REPORTS,
            unsure="The reports are of 2024 and 2025; whether Claude's models still refuse is not known.",
            by_client=(_MERGED,),
        ),
        Rule(
            kind=Kind.NOT_EMPTY,
            refused="A message without content blocks.",
            source="three or more public reports of the error",
            confidence=Confidence.REPORTS,
            by_client=(meets(LANGCHAIN_AWS, "An empty text becomes a point."),),
        ),
        Rule(
            kind=Kind.NOT_BLANK,
            refused="Empty texts, and for Claude's models blank ones.",
            source="OpenHands/OpenHands#5722 and others",
            confidence=Confidence.REPORTS,
            by_client=(meets(LANGCHAIN_AWS, "An empty text becomes a point."),),
        ),
        Rule(
            kind=Kind.NO_TRAILING_BLANKS,
            refused="An assistant message at the end whose text ends in blanks.",
            source=_PASSED_ON,
            confidence=Confidence.REPORTS,
            models=_CLAUDE,
            by_client=(meets(LANGCHAIN_AWS, "It takes them off."),),
        ),
        Rule(
            kind=Kind.ARGUMENTS_ARE_OBJECTS,
            refused="The input of a call that is no object.",
            source=f"{_API}, ToolUseBlock",
            confidence=Confidence.DOCUMENTED,
        ),
        Rule(
            kind=Kind.IDS_PRESENT,
            refused="Calls or results without an id.",
            source=f"{_API}, ToolUseBlock",
            confidence=Confidence.DOCUMENTED,
        ),
        Rule(
            kind=Kind.IDS_PLAIN,
            refused="Ids of other characters than letters, digits, `_` and `-`.",
            source=f"{_API}, ToolUseBlock; run-llama/llama_index#22775",
            confidence=Confidence.DOCUMENTED,
            pattern=r"[a-zA-Z0-9_-]+",
            unsure="The documentation has come to allow `.` and `:` too, which Claude's models refuse.",
        ),
        Rule(
            kind=Kind.IDS_SHORT,
            refused="Ids of more characters than this.",
            source=f"{_API}, ToolUseBlock; RooCodeInc/Roo-Code#10902",
            confidence=Confidence.DOCUMENTED,
            most=64,
        ),
        Rule(
            kind=Kind.IDS_UNIQUE,
            refused="Two calls of one id.",
            source=_PASSED_ON,
            confidence=Confidence.REPORTS,
            unsure="It is known of Claude's models.",
        ),
        Rule(
            kind=Kind.NAMES_PLAIN,
            refused="Names of tools of other characters, or of more than 64.",
            source=f"{_API}, ToolSpecification; public reports",
            confidence=Confidence.REPORTS,
            pattern=r"[a-zA-Z0-9_-]{1,64}",
        ),
        Rule(
            kind=Kind.RESULTS_ARE_OBJECTS,
            refused="A result that is given as JSON and is no object.",
            source="public reports of the error",
            confidence=Confidence.REPORTS,
        ),
        Rule(
            kind=Kind.CALLS_ANSWERED,
            refused="A call without its result in the next user message.",
            source="agno-agi/agno#6698 and others",
            confidence=Confidence.REPORTS,
        ),
        Rule(
            kind=Kind.RESULTS_CALLED,
            refused="A result without its call in the message before.",
            source="Curie#16, pydantic/pydantic-ai#2327 and others",
            confidence=Confidence.REPORTS,
        ),
        Rule(
            kind=Kind.ANSWERS_ADJACENT,
            refused="A message between a call and its result.",
            source="agno-agi/agno#6698 and others",
            confidence=Confidence.REPORTS,
        ),
        Rule(
            kind=Kind.ONE_RESULT_A_CALL,
            refused="More results than calls.",
            source="pydantic/pydantic-ai#2327 and others",
            confidence=Confidence.REPORTS,
        ),
        Rule(
            kind=Kind.RESULTS_TOGETHER,
            refused="Results of the calls of one message in several messages.",
            source="agno-agi/agno#6698 and others",
            confidence=Confidence.REPORTS,
            by_client=(_MERGED,),
        ),
        Rule(
            kind=Kind.RESULTS_BEFORE_TEXT,
            refused="A text before a result in one user message.",
            source=_PASSED_ON,
            confidence=Confidence.DOCUMENTED,
            models=_CLAUDE,
        ),
        Rule(
            kind=Kind.CALLS_LAST,
            refused="A text behind a call in one assistant message.",
            source=_PASSED_ON,
            confidence=Confidence.RECORDED,
            models=_CLAUDE,
        ),
        Rule(
            kind=Kind.RESULTS_ALONE,
            refused="A text beside calls or results in one message.",
            source="langchain-ai/langchain-aws#141, quarkus-langchain4j#1983",
            confidence=Confidence.REPORTS,
            models=_NOT_MIXED,
            where_unknown=False,
        ),
        Rule(
            kind=Kind.TOOLS_DEFINED,
            refused="Calls or results in a request without tools.",
            source="langgenius/dify#17545, langchain-ai/langchain-aws#591 and others",
            confidence=Confidence.REPORTS,
            by_client=(meets(LANGCHAIN_AWS, "Without tools it writes calls and results as texts."),),
        ),
        Rule(
            kind=Kind.DOCUMENT_WITH_TEXT,
            refused="A document in a message without a text.",
            source="public reports of the error",
            confidence=Confidence.REPORTS,
        ),
        Rule(
            kind=Kind.CACHE_MARKS,
            refused="More cache points than this, in tools, system and messages.",
            source="docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html",
            confidence=Confidence.DOCUMENTED,
            most=4,
        ),
        Rule(
            kind=Kind.THINKING_BOUND,
            refused="Thinking behind anything but what it was written behind.",
            source=_PASSED_ON,
            confidence=Confidence.DOCUMENTED,
            models=BINDS_THINKING,
            since="2026-08-31",
        ),
        Rule(
            kind=Kind.THINKING_UNMODIFIED,
            refused="Thinking that is not as it was: altered, moved, or with some of its blocks left out.",
            source=_PASSED_ON,
            confidence=Confidence.REPORTS,
            models=_CLAUDE,
        ),
        Rule(
            kind=Kind.LOOP_KEEPS_THINKING,
            refused="With a budget of thinking, a running tool loop whose assistant turn does not begin with thinking.",
            source=_PASSED_ON,
            confidence=Confidence.REPORTS,
            models=THINKS_IN_LOOP,
        ),
        Rule(
            kind=Kind.NO_LAST_THINKING,
            refused="Thinking in an assistant message at the end, where thinking is disabled.",
            source=_PASSED_ON,
            confidence=Confidence.INFERRED,
            models=_CLAUDE,
        ),
        Rule(
            kind=Kind.THINKING_SIGNED,
            refused="Thinking of Claude's without a signature, or with an empty one.",
            source="maximhq/bifrost#6942, UKGovernmentBEIS/inspect_ai#5300",
            confidence=Confidence.REPORTS,
            models=_CLAUDE,
            by_client=(
                drops(LANGCHAIN_AWS, "It sends such thinking to those models alone that are known to take it."),
            ),
        ),
        Rule(
            kind=Kind.SIGNATURES_VALID,
            refused="A signature that does not fit its thinking.",
            source=_PASSED_ON,
            confidence=Confidence.REPORTS,
            models=_CLAUDE,
        ),
        Rule(
            kind=Kind.FITS_WINDOW,
            refused="More tokens than the context window has.",
            source="five or more public reports of the error",
            confidence=Confidence.REPORTS,
        ),
    ),
)
