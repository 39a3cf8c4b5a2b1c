"""What providers ask of a request: one vocabulary for all of them, and a rule as data."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from ctx_core.providers.models import Models


class Kind(StrEnum):
    """What a rule is about. Those up to `CALLS_KEEP_REASONING` a request can be changed to meet."""

    SYSTEM_LEADS = "system_leads"
    """System messages stand only at the head of the list, at most `Rule.most` of them."""
    SYSTEM_APART = "system_apart"
    """System text is no message of the list; clients take it out of the head of theirs."""
    SYSTEM_PLACED = "system_placed"
    """Within the list, a system message stands behind a user turn, and before an assistant turn or at the end."""
    SYSTEM_NOT_AFTER_ANSWER = "system_not_after_answer"
    """A system message follows no assistant message and no tool message."""
    TAKES_NO_SYSTEM = "takes_no_system"
    """There are no system messages at all."""
    USER_BEGINS = "user_begins"
    """The first message, but for system messages, is the user's."""
    ALONE_IS_USER = "alone_is_user"
    """The only message of a list is the user's, or the system's."""
    CALL_AFTER_USER = "call_after_user"
    """A turn with calls comes right behind a user turn or a turn of results."""
    USER_ENDS = "user_ends"
    """The last message is not the assistant's: `Rule.last` names who may be last."""
    ALTERNATES = "alternates"
    """User and assistant take turns: no two messages of one role in a row."""
    NOT_USER_AFTER_TOOL = "not_user_after_tool"
    """A user message does not follow a tool's: an assistant message stands between them."""
    CONTENT_PRESENT = "content_present"
    """A message that has no calls has content, though it may be empty: null is none."""
    NOT_EMPTY = "not_empty"
    """A message has content; `Rule.last_may` says whether the last of the assistant's needs none."""
    NOT_BLANK = "not_blank"
    """A text has more than blanks."""
    NO_TRAILING_BLANKS = "no_trailing_blanks"
    """An assistant message at the end does not end in blanks."""
    ARGUMENTS_ARE_OBJECTS = "arguments_are_objects"
    """Arguments of a call are a JSON object."""
    IDS_PRESENT = "ids_present"
    """Calls and results have ids."""
    IDS_PLAIN = "ids_plain"
    """Ids are of certain characters: `Rule.pattern`."""
    IDS_SHORT = "ids_short"
    """Ids have at most so many characters: `Rule.most`."""
    IDS_UNIQUE = "ids_unique"
    """No two calls have one id, within `Rule.within`."""
    NAMES_PLAIN = "names_plain"
    """Names of tools are of certain characters and not too long: `Rule.pattern`."""
    RESULTS_NAMED = "results_named"
    """A result has the name of the tool that was called."""
    RESULTS_ARE_OBJECTS = "results_are_objects"
    """A result that is given as JSON is an object."""
    CALLS_ANSWERED = "calls_answered"
    """Every call has a result."""
    RESULTS_CALLED = "results_called"
    """Every result has a call."""
    ANSWERS_ADJACENT = "answers_adjacent"
    """Results stand right behind the turn that called."""
    ONE_RESULT_A_CALL = "one_result_a_call"
    """No call has two results."""
    PROVIDER_TOOLS_PAIRED = "provider_tools_paired"
    """What the provider's own tool was asked has its result in the same answer, and the other way round."""
    RESULTS_TOGETHER = "results_together"
    """The results of parallel calls stand in one turn."""
    RESULTS_BEFORE_TEXT = "results_before_text"
    """In a turn with results, nothing stands before them."""
    RESULTS_ALONE = "results_alone"
    """A turn with calls or results has nothing else in it."""
    CALLS_LAST = "calls_last"
    """In an assistant turn with calls, no text stands behind them."""
    CALLS_NOT_EMPTY_LIST = "calls_not_empty_list"
    """A list of calls has calls."""
    PREFIX_IS_LAST = "prefix_is_last"
    """An assistant message that is to be gone on with is the last."""
    CALLS_OR_TEXT = "calls_or_text"
    """An assistant message has a text or calls, not both."""
    CACHE_MARKS = "cache_marks"
    """A request has at most so many cache marks: `Rule.most`."""
    TOOLS_DEFINED = "tools_defined"
    """A request whose history has calls or results defines tools."""
    DOCUMENT_WITH_TEXT = "document_with_text"
    """A message with a document has a text too."""
    THINKING_BOUND = "thinking_bound"
    """A thinking block is valid only behind exactly what it was written behind."""
    THINKING_UNMODIFIED = "thinking_unmodified"
    """Thinking blocks go back whole and unaltered, as they came."""
    LOOP_KEEPS_THINKING = "loop_keeps_thinking"
    """With thinking enabled, the assistant turn of a running tool loop starts with its thinking."""
    THINKING_SIGNED = "thinking_signed"
    """A thinking block has a signature, or is sealed."""
    NO_LAST_THINKING = "no_last_thinking"
    """With thinking disabled, an assistant message at the end has no thinking."""
    REASONING_FOLLOWED = "reasoning_followed"
    """A stored reasoning item and the item generated behind it go together."""
    CALLS_SIGNED = "calls_signed"
    """In the current turn, the first call of each step has its signature."""
    CALLS_KEEP_REASONING = "calls_keep_reasoning"
    """An assistant message with calls has its reasoning beside it."""

    SOMETHING_SAID = "something_said"
    """A request has messages."""
    ROLES_KNOWN = "roles_known"
    """Roles are among `Rule.values`."""
    PARAMETERS_KNOWN = "parameters_known"
    """A request has no keys but those that are documented."""
    PARAMETERS_PRESENT = "parameters_present"
    """What is required is there: `Rule.values`."""
    PARAMETERS_FIT_MODEL = "parameters_fit_model"
    """Parameters are those that the model takes."""
    TOOLS_FEW = "tools_few"
    """At most so many tools are defined: `Rule.most`."""
    TOOL_CHOICE_FREE = "tool_choice_free"
    """The model is not made to call a tool."""
    TOOLS_WITHOUT_EFFORT = "tools_without_effort"
    """Function tools go with no reasoning effort; `Rule.values` has `unset` where that counts for one too."""
    THINKING_SETTING = "thinking_setting"
    """How thinking is asked for is what the model takes: `Rule.values` are those that it refuses."""
    PREFILL_WITHOUT_THINKING = "prefill_without_thinking"
    """With thinking enabled, no assistant message at the end is gone on with."""
    TOOL_CHOICE_WITHOUT_THINKING = "tool_choice_without_thinking"
    """With a budget of thinking, the model is not made to call a tool."""
    THINKING_BUDGET = "thinking_budget"
    """A budget of thinking is at least `Rule.least` tokens, and less than the answer's."""
    HEADERS_PRESENT = "headers_present"
    """What a header has to allow is not asked for without it."""
    ITEMS_KNOWN = "items_known"
    """Items and blocks are of a known type."""
    CONTENT_OF_ROLE = "content_of_role"
    """Blocks are those that the role may have."""
    ITEMS_UNIQUE = "items_unique"
    """No item comes twice."""
    ITEMS_STORED = "items_stored"
    """An item that is named by its id alone is one that the server keeps."""
    RESPONSE_KNOWN = "response_known"
    """The response that the request goes on from is one that the server keeps."""
    SIGNATURES_VALID = "signatures_valid"
    """Signatures and sealed contents are as they were given."""
    FITS_WINDOW = "fits_window"
    """Input and answer fit the model's context window."""
    ANSWER_FITS_MODEL = "answer_fits_model"
    """The answer that is asked for is no longer than the model's longest."""


class Confidence(StrEnum):
    """How it is known."""

    DOCUMENTED = "documented"
    """The provider's own documentation says so."""
    PROBE = "probe"
    """Somebody asked the live API and published what it said."""
    RECORDED = "recorded"
    """A recording of HTTP traffic in a public repository."""
    SOURCE = "source"
    """The provider's own validator, or a client's code."""
    REPORTS = "reports"
    """Independent public reports of the error."""
    INFERRED = "inferred"
    """No direct evidence: the most likely behavior."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ByClient:
    """What a client library does itself about a rule, before it sends a request."""

    client: str
    """Its package, as `langchain-anthropic`."""
    does: Literal["meets", "moves", "drops", "raises"]
    """`meets`: it reshapes the messages so that the rule holds, and nothing is left to do. `moves`: so does this, but
    what is said gets to another place. `drops`: it leaves out what would be refused. `raises`: it refuses it itself."""
    how: str
    """What it does, in one sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One thing that a provider asks, and how that is known."""

    kind: Kind
    """What it is about."""
    refused: str
    """What the provider refuses, in one sentence."""
    source: str
    """Where it is known from, in short."""
    confidence: Confidence
    """How it is known."""
    models: tuple[Models, ...] = ()
    """The models that it holds for; empty: all."""
    but: tuple[Models, ...] = ()
    """Models that it does not hold for, though `models` has them."""
    clients: tuple[str, ...] = ()
    """The client libraries that ask it of the messages that they are given, where the API does not; empty: whoever
    sends the request."""
    where_unknown: bool = True
    """Whether it holds where nothing says which model it is."""
    since: str | None = None
    """The date from which it is known to hold, as `2026-08-31`."""
    until: str | None = None
    """The date up to which it is known to hold; None: it holds."""
    unsure: str | None = None
    """What is not settled about it; the rule is then the stricter reading."""
    disputed: bool = False
    """Whether newer evidence says that it is taken: a build meets the rule, `validate` doubts and does not refuse."""
    by_client: tuple[ByClient, ...] = ()
    """Client libraries that do something about it themselves."""
    most: int | None = None
    """A largest number: of characters, marks or tools."""
    least: int | None = None
    """A smallest number."""
    pattern: str | None = None
    """A regular expression that the whole of an id or a name matches."""
    within: Literal["request", "turn"] = "request"
    """Where ids are unique."""
    or_name: bool = False
    """Whether an id that is the name of its tool says nothing, and is free of it."""
    last: tuple[Literal["user", "tool", "system"], ...] = ("user", "tool", "system")
    """Whose message may be the last."""
    last_may: bool = False
    """Whether an assistant message at the end that is empty is free of it."""
    values: tuple[str, ...] = ()
    """Roles, keys or settings that it speaks of."""

    def holds_for(self, model: str | None) -> bool:
        """Whether it holds for a model of this provider; None where nothing says which."""
        if model is None:
            return self.where_unknown or not self.models
        if any(one.has(model) for one in self.but):
            return False
        return not self.models or any(one.has(model) for one in self.models)

    def is_of(self, client: str | None) -> bool:
        """Whether it is asked of messages that a client is given; None where it is not known, or there is none."""
        return not self.clients or client in self.clients

    def by(self, client: str | None) -> ByClient | None:
        """Give what a client does about it itself; None where it does nothing."""
        return next((one for one in self.by_client if one.client == client), None)
