"""Google's Gemini, on its own API and on Vertex."""

from __future__ import annotations

from typing import Final

from ctx_core.providers.models import Models
from ctx_core.providers.provider import Provider
from ctx_core.providers.rows.clients import LANGCHAIN_GOOGLE, LLAMAINDEX_GOOGLE, drops, meets, moves, raises
from ctx_core.providers.rules import Confidence, Kind, Rule

_ISSUES: Final = "google-gemini/gemini-cli"
_PAIRS: Final = "langchain-google-genai 4.4.3, _get_ai_message_tool_messages_parts"
_NAMES: Final = "llama-index-llms-google-genai 0.11.3, prepare_chat_params"
_NEWEST: Final = (Models(names=("gemini",), since=(3, 6)), Models(names=("gemini-3.5-flash-lite",)))
_SIGNS: Final = (Models(names=("gemini",), since=(3,)),)

GEMINI: Final = Provider(
    name="gemini",
    title="Google Gemini",
    apis=("generateContent", "generate_content", "generate-content"),
    hosts=("generativelanguage.googleapis.com", "aiplatform.googleapis.com"),
    format="gemini",
    models=("gemini",),
    rules=(
        Rule(
            kind=Kind.SOMETHING_SAID,
            refused="A list without contents.",
            source="public reports of the error",
            confidence=Confidence.REPORTS,
        ),
        Rule(
            kind=Kind.ROLES_KNOWN,
            refused="Roles other than these; a content may have none.",
            source="public reports of the error",
            confidence=Confidence.REPORTS,
            values=("user", "model", "function"),
            by_client=(
                raises(
                    LANGCHAIN_GOOGLE,
                    "A call of a function with arguments that are no JSON ends in an error, and a tool's message that "
                    "answers one is left out.",
                ),
                raises(LLAMAINDEX_GOOGLE, "A developer's message ends in a KeyError."),
            ),
        ),
        Rule(
            kind=Kind.SYSTEM_APART,
            refused="System text in the list: it is the request's `systemInstruction`.",
            source="ai.google.dev, generateContent",
            confidence=Confidence.DOCUMENTED,
            by_client=(
                moves(LANGCHAIN_GOOGLE, "System messages go into `systemInstruction` from wherever they stand."),
                meets(LLAMAINDEX_GOOGLE, "A leading one goes into `systemInstruction`, others become user text."),
            ),
        ),
        Rule(
            kind=Kind.CALL_AFTER_USER,
            refused="A turn with calls that does not come right behind a user turn or a turn of results.",
            source=f"{_ISSUES}#26486, #11814, #26956 and others",
            confidence=Confidence.REPORTS,
        ),
        Rule(
            kind=Kind.USER_ENDS,
            refused="A model turn at the end.",
            source="LibreChat agents, pull request 323; anomalyco/opencode#45359, #47034",
            confidence=Confidence.PROBE,
            models=_NEWEST,
            last=("user", "tool"),
        ),
        Rule(
            kind=Kind.NOT_EMPTY,
            refused="A content without parts, and a part without data, in `systemInstruction` too.",
            source="six or more public reports of the error",
            confidence=Confidence.REPORTS,
            by_client=(drops(LANGCHAIN_GOOGLE, "Empty user messages; an empty answer becomes an empty text."),),
        ),
        Rule(
            kind=Kind.NOT_BLANK,
            refused="An empty text as a part.",
            source="public reports, of Vertex",
            confidence=Confidence.REPORTS,
            unsure="Google's own API takes an empty text for data; some models on Vertex refuse it.",
            disputed=True,
        ),
        Rule(
            kind=Kind.ARGUMENTS_ARE_OBJECTS,
            refused="Arguments of a call that are no object.",
            source="ai.google.dev, FunctionCall",
            confidence=Confidence.DOCUMENTED,
        ),
        Rule(
            kind=Kind.IDS_PRESENT,
            refused="Calls or tool messages without an id, which it pairs by it: it sends no response.",
            source=_PAIRS,
            confidence=Confidence.SOURCE,
            clients=(LANGCHAIN_GOOGLE,),
        ),
        Rule(
            kind=Kind.IDS_UNIQUE,
            refused="Two calls of one id: it gives the second the first one's response, or one response to both.",
            source=_PAIRS,
            confidence=Confidence.SOURCE,
            clients=(LANGCHAIN_GOOGLE,),
        ),
        Rule(
            kind=Kind.IDS_PRESENT,
            refused="Calls or tool messages without an id: it sends the response as a text.",
            source=_NAMES,
            confidence=Confidence.SOURCE,
            clients=(LLAMAINDEX_GOOGLE,),
        ),
        Rule(
            kind=Kind.IDS_UNIQUE,
            refused="Two calls of one id, but for the tool's name, which it has for one on Vertex: it names every "
            "response after the last call of its id.",
            source=_NAMES,
            confidence=Confidence.SOURCE,
            clients=(LLAMAINDEX_GOOGLE,),
            or_name=True,
        ),
        Rule(
            kind=Kind.RESULTS_NAMED,
            by_client=(
                meets(LANGCHAIN_GOOGLE, "It takes the name from the call."),
                meets(LLAMAINDEX_GOOGLE, "It takes the name from the call."),
            ),
            refused="A response without the function's name.",
            source="ai.google.dev, FunctionResponse",
            confidence=Confidence.DOCUMENTED,
            unsure="Whether a name that is not the call's is refused is not known.",
        ),
        Rule(
            kind=Kind.RESULTS_ARE_OBJECTS,
            refused="A response that is no object.",
            source="ai.google.dev, FunctionResponse",
            confidence=Confidence.DOCUMENTED,
            by_client=(
                meets(LANGCHAIN_GOOGLE, "A text is put into an object."),
                meets(LLAMAINDEX_GOOGLE, "A text is put into an object."),
            ),
        ),
        Rule(
            kind=Kind.CALLS_ANSWERED,
            refused="A call without a response in the next content.",
            source=f"{_ISSUES}#4217, #5443, #16415 and others",
            confidence=Confidence.REPORTS,
        ),
        Rule(
            kind=Kind.RESULTS_CALLED,
            refused="A response that does not come right behind the content with its call.",
            source="langchain-ai/langchain#27799 and others",
            confidence=Confidence.REPORTS,
            by_client=(drops(LANGCHAIN_GOOGLE, "It leaves such a response out without a word."),),
        ),
        Rule(
            kind=Kind.ANSWERS_ADJACENT,
            refused="A content between a call and its response.",
            source=f"{_ISSUES}#16984 and others",
            confidence=Confidence.REPORTS,
        ),
        Rule(
            kind=Kind.ONE_RESULT_A_CALL,
            refused="More responses than calls.",
            source=f"{_ISSUES}#4217 and others",
            confidence=Confidence.REPORTS,
        ),
        Rule(
            kind=Kind.RESULTS_TOGETHER,
            refused="Responses to the calls of one content in several contents.",
            source=f"{_ISSUES}#4217 and others",
            confidence=Confidence.REPORTS,
            by_client=(
                meets(LANGCHAIN_GOOGLE, "Tool messages in a row are one content."),
                meets(LLAMAINDEX_GOOGLE, "Messages of one role in a row are one content."),
            ),
        ),
        Rule(
            kind=Kind.RESULTS_ALONE,
            refused="A response and a text in one content.",
            source="one public report",
            confidence=Confidence.REPORTS,
            models=_NEWEST,
            where_unknown=False,
            unsure="One report only.",
            disputed=True,
            by_client=(meets(LANGCHAIN_GOOGLE, "A user message is a content of its own."),),
        ),
        Rule(
            kind=Kind.CALLS_SIGNED,
            refused="In the current turn, a first call of a step that has no signature of its thought.",
            source="ai.google.dev, thought signatures",
            confidence=Confidence.DOCUMENTED,
            models=_SIGNS,
            by_client=(
                meets(
                    LANGCHAIN_GOOGLE,
                    "It signs the first unsigned call of the current loop with the value that skips the check.",
                ),
            ),
        ),
        Rule(
            kind=Kind.SIGNATURES_VALID,
            refused="A signature that is not as it was given.",
            source="four or more public reports of the error",
            confidence=Confidence.REPORTS,
            models=_SIGNS,
            where_unknown=False,
        ),
        Rule(
            kind=Kind.FITS_WINDOW,
            refused="More input tokens than the model takes.",
            source=f"{_ISSUES}#4231 and others",
            confidence=Confidence.REPORTS,
        ),
    ),
)
