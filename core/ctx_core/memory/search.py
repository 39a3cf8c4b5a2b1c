"""What an agent's tool finds again of its own conversation: results that were cleared, steps that were cut.

Nothing is kept for it: it reads the conversation as its store has it, so what the store has lost is not found, and
nothing of any other conversation ever is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from ctx_core.clean import told
from ctx_core.conversation.codecs import transcript_of
from ctx_core.conversation.message_types import Codec
from ctx_core.conversation.messages import Message, Role
from ctx_core.counting.counter import CounterLike, TokenCounter, as_counter
from ctx_core.errors import BudgetError
from ctx_core.history.call_policy import ToolCallPolicy
from ctx_core.history.keys import content_name
from ctx_core.history.policy import GAP_MARKER, HistoryPolicy, ToolResultPolicy
from ctx_core.history.remembered import matching
from ctx_core.history.state import WindowState
from ctx_core.memory.combine import relevance
from ctx_core.memory.item import MemoryItem
from ctx_core.memory.recall import recall
from ctx_core.session.summary_prompts import spoken
from ctx_core.sizes import is_count
from ctx_core.truncation import cut_end

if TYPE_CHECKING:
    from ctx_core.conversation.transcript import Transcript

SEARCH_TOOL: Final = "search_context"
"""Name of the tool."""
SEARCH_DESCRIPTION: Final = (
    "Finds again what is no longer shown of this conversation: earlier messages that were left out, and results of "
    "tools that were cleared or shortened. With `id`, as a placeholder names it, it gives that result whole, in "
    "pages if it is long. With `query` it searches all that is not shown, and gives passages with the id of each."
)
"""What a model is told of it."""
SEARCH_PARAMETERS: Final[Mapping[str, str]] = {
    "query": "Words to search for.",
    "id": "Id of a result or message, from a placeholder or from a search.",
    "page": "Which page of a long answer, from 1.",
}
"""What a model is told of its arguments."""

_PLACEHOLDER: Final = f'[cleared {{age}} steps ago, {{tokens}} tokens: {SEARCH_TOOL}(id="{{id}}") gives it back]'
_CUT_MARKER: Final = f'\n[… {{tokens}} tokens left out: {SEARCH_TOOL}(id="{{id}}") gives the whole …]\n'
_OMISSION: Final = f"[{{count}} earlier messages are not shown: {SEARCH_TOOL}(query=…) searches them]"
_CLEARED_AFTER: Final = 5
"""Steps after which results are cleared on overflow, where nobody said how they are cut; that of rolling contexts."""
_CAP: Final = 2_000
_LEAST: Final = 100
"""Tokens of a page; less holds no heading and no text."""
_PART_OF_WINDOW: Final = 8
"""A page is at most one part in so many of what the budget grants, so that it is not cut itself."""
_PASSAGE: Final = 1_200
"""Characters of a passage that is ranked and shown as one."""
_MOST_PASSAGES: Final = 20
_CHARACTERS: Final = 8
"""More characters than a token has on average in any text that is not made of blanks."""


def recalling(policy: HistoryPolicy | None) -> HistoryPolicy:
    """Give a policy whose placeholders and markers name what they stand for, as the tool takes it.

    Texts of the caller's own stay. Without a policy results are cleared before steps are left out: a placeholder costs
    a few tokens, and says what can be had again.
    """
    if policy is None:
        policy = HistoryPolicy(results=ToolResultPolicy(clear_after_steps=_CLEARED_AFTER, clear_rest=True))
    results, plain, calls = policy.results, ToolResultPolicy(), policy.calls
    own = ToolCallPolicy()
    calls = replace(
        calls,
        placeholder=_PLACEHOLDER if calls.placeholder == own.placeholder else calls.placeholder,
        cut_marker=_CUT_MARKER if calls.cut_marker == own.cut_marker else calls.cut_marker,
    )
    results = replace(
        results,
        placeholder=_PLACEHOLDER if results.placeholder == plain.placeholder else results.placeholder,
        cut_marker=_CUT_MARKER if results.cut_marker == plain.cut_marker else results.cut_marker,
    )
    if policy.omission_marker != GAP_MARKER:
        return replace(policy, results=results, calls=calls)
    return replace(policy, results=results, calls=calls, omission_marker=_OMISSION, marker_role=Role.USER)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextSearch:
    """Answers the calls of the tool `search_context`: `search.answer(history, state, query=…)`.

    The face gives it the conversation as its store has it and the state of its window; the answer is a text for the
    model, and never an error. Instructions are not searched, and neither are answers of the tool itself.
    """

    codec: Codec[Any] | None = None
    """The door of the message type; found from the messages by default."""
    counter: TokenCounter = field(default_factory=lambda: as_counter(None))
    """Counts what it answers; by default the safe estimate."""
    cap: int = _CAP
    """Tokens of an answer at most, and an eighth of what the budget granted at the last cut."""

    def __post_init__(self) -> None:
        """Refuse a cap that holds nothing."""
        if not is_count(self.cap) or self.cap < _LEAST:
            msg = f"cap must be {_LEAST} tokens or more, found {told(self.cap)}"
            raise BudgetError(msg)

    @classmethod
    def counted_by(
        cls, counter: CounterLike | None, *, codec: Codec[Any] | None = None, cap: int | None = None
    ) -> ContextSearch:
        """Make one of what a surface was given; None: the default."""
        return cls(codec=codec, counter=as_counter(counter), cap=_CAP if cap is None else cap)

    def answer(
        self,
        history: Sequence[Any],
        state: WindowState | Mapping[str, Any] | None = None,
        *,
        query: str = "",
        id: str = "",  # noqa: A002 - the word that the model is told
        page: int = 1,
    ) -> str:
        """Give what the tool answers.

        Args:
            history: the conversation, whole, as the store has it.
            state: that of the conversation's window, or its JSON; it tells what is not shown.
            query: words to search for in what is not shown.
            id: in its place the name of one message, or the id of a tool's call.
            page: which page of the answer.

        Raises:
            MessageError: for a message that cannot be read.
        """
        known = WindowState.from_dict(state) if isinstance(state, Mapping) else state
        transcript = transcript_of(history, None, self.codec)
        granted = None if known is None else known.limit
        cap = self.cap if granted is None else max(_LEAST, min(self.cap, granted // _PART_OF_WINDOW))
        if id.strip():
            return self._by_name(transcript, id.strip().strip("[]'\""), page, cap)
        if query.strip():
            return self._searched(transcript, matching(known, transcript), query, page, cap)
        return f"Give {SEARCH_TOOL} a query, or the id of a result."

    def _by_name(self, transcript: Transcript[Any], name: str, page: int, cap: int) -> str:
        spoken_ones = [transcript[at] for at in range(len(transcript)) if not transcript.role(at).instructs]
        found = [one for one in spoken_ones if content_name(one) == name]
        if not found:  # a model may give the id of the call in its place; of several with one id the newest is meant
            found = [one for one in spoken_ones if name in (one.tool_call_id, one.id)][-1:]
        if not found:
            return "Nothing in this conversation has that id: it may be misspelt, or no longer stored. Search by query."
        texts = dict.fromkeys(map(_said, found))
        return self._page(_split("\n\n".join(texts), cap, self.counter), page, content_name(found[0]))

    def _searched(self, transcript: Transcript[Any], state: WindowState, query: str, page: int, cap: int) -> str:
        altered = (state.cleared, state.shortened, state.cleared_calls, state.shortened_calls)
        hidden = sorted({*state.gone(), *(at for places in altered for at in places)})
        own = _own_answers(transcript)
        passages = [one for at in hidden if at not in own for one in _passages(transcript[at])]
        if not passages:
            return "Nothing of this conversation has been left out: all of it is shown."
        found = recall(query, passages, ranker=relevance(), max_items=_MOST_PASSAGES, only_relevant=True)
        if not found:
            return "Nothing that is not shown fits these words. Other words may find it."
        pages: list[str] = []
        for item in found:
            shown = cut_end(f"[{item.source}] {item.text}", cap, self.counter)
            joined = f"{pages[-1]}\n\n{shown}" if pages else shown
            if pages and self.counter.count_text(joined) <= cap:
                pages[-1] = joined
            else:
                pages.append(shown)
        return self._page(pages, page, "found")

    def _page(self, pages: Sequence[str], page: int, what: str) -> str:
        if not 1 <= page <= len(pages):
            return f"There is no page {page}: the last one is {len(pages)}."
        if len(pages) == 1:
            return pages[0]
        return f"[{what}, page {page} of {len(pages)}]\n{pages[page - 1]}"


def _own_answers(transcript: Transcript[Any]) -> set[int]:
    """Give the positions of the tool's calls and of its answers: copies of what is found where it stands."""
    own, asked = set[int](), set[str | None]()
    for at in range(len(transcript)):
        role = transcript.role(at)
        if role is Role.ASSISTANT:
            calls = transcript[at].tool_calls
            asked = {call.id for call in calls if call.name == SEARCH_TOOL}
            if asked and len(asked) == len(calls):
                own.add(at)
        elif role is Role.TOOL and asked and transcript[at].tool_call_id in asked:
            own.add(at)
    return own


def _passages(message: Message) -> Iterator[MemoryItem]:
    """Give what a message says, in passages that are ranked by themselves."""
    if message.role.instructs:
        return
    name = content_name(message)
    speaker = f"{message.role} {message.name}" if message.name else str(message.role)
    for text in _parts(_said(message)):
        yield MemoryItem(text, source=f"{name}, {speaker}")


def _said(message: Message) -> str:
    """Give a result as it came, and all that any other message says."""
    return message.text if message.role is Role.TOOL and message.text else spoken(message)


def _parts(text: str) -> Iterator[str]:
    """Give a text in parts that end at a line, else at a word."""
    while len(text) > _PASSAGE:
        end = max(text.rfind("\n", _PASSAGE // 2, _PASSAGE), 0) or max(text.rfind(" ", _PASSAGE // 2, _PASSAGE), 0)
        end = end or _PASSAGE
        yield text[:end].strip()
        text = text[end:]
    if text.strip():
        yield text.strip()


def _split(text: str, cap: int, counter: TokenCounter) -> list[str]:
    """Give a text in pages of at most so many tokens; nothing of it is lost between them."""
    room = cap - counter.count_text("[00000000, page 1,000 of 1,000]\n")
    pages: list[str] = []
    if counter.count_text(text[: cap * _CHARACTERS + 1]) <= cap and len(text) <= cap * _CHARACTERS:
        return [text]
    while text:
        head = text[: room * _CHARACTERS]
        page = cut_end(head, room, counter, marker="") or head[:1]
        pages.append(page)
        text = text[len(page) :]
    return pages
