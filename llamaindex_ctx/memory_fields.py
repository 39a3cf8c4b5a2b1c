"""The data of a memory, and how its requests are fitted."""

from __future__ import annotations

import copy
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory.types import DEFAULT_CHAT_STORE_KEY, BaseMemory
from pydantic import ConfigDict, Field, PrivateAttr

from ctx_core import (
    ContextBudget,
    ContextOverflowError,
    HistoryPolicy,
    Role,
    RollingSummary,
    TokenCounter,
    WindowState,
)
from ctx_core.counting.calibration import Calibration
from ctx_core.counting.options import RequestOptions  # noqa: TC001 - pydantic reads the annotations
from ctx_core.session import SessionOptions, Sessions, written
from ctx_core.session.options import BROUGHT
from ctx_core.sizes import Size  # noqa: TC001 - pydantic reads the annotations
from llamaindex_ctx import storage
from llamaindex_ctx.convert import CODEC
from llamaindex_ctx.copies import copy_of
from llamaindex_ctx.fields import Stored
from llamaindex_ctx.packing import Packing
from llamaindex_ctx.running import OwnState, Running
from llamaindex_ctx.settings import DEFAULT_TOKENS, read_role, tool_definitions
from llamaindex_ctx.stores import Access, ChatStore, ListAccess, as_store, door

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ctx_core.engine.plan import Plan


def _read_messages(data: object) -> list[ChatMessage]:
    """Give messages that were stored, or copies of messages that are given."""
    messages = storage.read_messages(data)
    for message in messages:
        CODEC.read(message)
    given = {id(item) for item in cast("Sequence[object]", data)}
    return [copy_of(message) if id(message) in given else message for message in messages]


def _write_packing(packing: Packing | None) -> dict[str, Any] | None:
    return None if packing is None else packing.to_dict()


class MemoryFields(BaseMemory):
    """Everything that a memory is made of. Each field is JSON when it is stored."""

    model_config = ConfigDict(
        arbitrary_types_allowed=True,
        extra="forbid",
        hide_input_in_errors=True,  # errors must not quote messages
    )

    messages: Annotated[list[ChatMessage], Stored(_read_messages, storage.write_messages)] = Field(
        default_factory=list[ChatMessage]
    )
    """The whole conversation, unless a chat store holds it."""
    budget: Annotated[ContextBudget, Stored(written.read_budget, written.write_budget)] = Field(
        default_factory=lambda: ContextBudget(DEFAULT_TOKENS)
    )
    """Of the whole request."""
    reserve: Annotated[int | Size, Stored(written.read_reserve, written.write_reserve)] = 0
    """Tokens kept free beside the budget's own reserve."""
    policy: Annotated[HistoryPolicy, Stored(written.read_policy, written.write_policy)] = Field(
        default_factory=HistoryPolicy
    )
    """How the conversation is cut."""
    counter: Annotated[TokenCounter | None, Stored(written.read_counter, written.write_counter)] = None
    """What counts; None: the counter of the budget's model, else the safe estimate."""
    tools: Annotated[list[dict[str, Any]], Stored(tool_definitions, copy.deepcopy)] = Field(
        default_factory=list[dict[str, Any]]
    )
    """Definitions of the tools that an agent sends along; they are counted, and never cut."""
    request_options: Annotated[RequestOptions | None, Stored(written.read_options, written.write_options)] = None
    """What else each request asks for."""
    on_overflow: Literal["raise", "truncate"] = "raise"
    """What happens when the current message alone doesn't fit: an error, or it is cut at its end."""
    enabled: bool = True
    """Whether anything may be cut; can be set at any time."""
    provider: Annotated[Any, Stored(written.read_provider, written.write_provider)] = None
    """The provider that the requests go to, as a row of `ctx_core.providers` or its name; None: the one that the model
    tells, else any. False: nothing is changed for it."""
    chat_store_key: str = DEFAULT_CHAT_STORE_KEY
    """Name of the conversation."""
    state: Annotated[WindowState, Stored(storage.read_state, WindowState.to_dict)] = Field(default_factory=WindowState)
    """What is remembered of the last cut, with the summary of what it left out, unless `states` hold it."""
    packing: Annotated[Packing | None, Stored(Packing.from_dict, _write_packing)] = None
    """What LlamaIndex's prompt helper is told of the LLM; None: no LLM was given, and the budget says it."""
    fed: int = 0
    """Messages before this position have been put into the memory blocks, if they are left out."""
    summary: Annotated[RollingSummary | None, Stored(written.read_summary, written.write_summary)] = None
    """Where the summary stands, and what it may cost; None: a user message, where there is a summarizer."""
    recipe_role: Annotated[Role, Stored(read_role, str)] = Role.SYSTEM
    """Whose text goes before the conversation where a recipe or layers have some."""
    chat_store: Annotated[ChatStore | None, Stored(as_store, as_store)] = Field(default=None, exclude=True)
    """Holds the conversation in the place of this memory."""
    recipe: Any = Field(default=None, exclude=True)
    """A recipe or a `ContextBuilder`, in the place of budget, counter and policy; None: nothing is."""
    layers: Any = Field(default=(), exclude=True)
    """Layers of text, or what gives them for each request."""
    summarizer: Any = Field(default=None, exclude=True)
    """Summarizes what is cut; None: what the state has is shown, and nothing is added to it."""
    calibration: Any = Field(default=None, exclude=True)
    """Learns from the usage figures in the answers that are put; None: nothing does."""
    usage_log: Any = Field(default=None, exclude=True)
    """Is told of every request."""
    on_report: Any = Field(default=None, exclude=True)
    """Is called with the report of every request."""
    states: Any = Field(default=None, exclude=True)
    """Where cut and summary are remembered, in the place of this memory."""

    _running: Running = PrivateAttr(default_factory=Running)

    def model_post_init(self, context: Any, /) -> None:  # noqa: ANN401 - pydantic's signature
        """Refuse what could only fail later: a budget with unknown parts, tools that are no JSON, a recipe too many."""
        super().model_post_init(context)
        if self.calibration is True:
            self.calibration = Calibration()
        declared = self._options().declared()
        if self.recipe is None:
            with suppress(ContextOverflowError):  # how much there is to be sent is not known yet
                declared.builder("").build()

    def _options(self) -> SessionOptions:
        """Give how requests are fitted. What a recipe brings is given only where somebody has set it."""
        by_recipe = (*BROUGHT, "on_overflow")
        names = [name for name in SessionOptions.__dataclass_fields__ if name not in by_recipe]
        given: dict[str, Any] = {name: getattr(self, name) for name in names}
        brought: dict[str, Any] = {name: getattr(self, name) for name in by_recipe}
        if self.recipe is not None:
            brought = {name: value for name, value in brought.items() if name in self.model_fields_set}
        elif self.counter is None:
            brought["counter"] = self._running.default_counter(self.budget.model)
        own: dict[str, Any] = {"states": OwnState(self) if self.states is None else self.states}
        own["tools"] = tuple(self.tools)
        return SessionOptions(**{**given, **brought, **own})

    @property
    def _sessions(self) -> Sessions[ChatMessage]:
        made_of = tuple(getattr(self, name) for name in SessionOptions.__dataclass_fields__)
        return self._running.sessions(self, made_of, lambda: Sessions(self._options(), CODEC))

    @property
    def _plan(self) -> Plan:
        """Give what is declared for no question yet."""
        return self._sessions.declared.builder("").plan

    @property
    def _door(self) -> Access:
        return ListAccess(self.messages) if self.chat_store is None else door(self.chat_store, self.chat_store_key)

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        """Show counts: a memory holds what users said."""
        yield "messages", "in a chat store" if self.chat_store is not None else len(self.messages)
        yield "budget", self.budget
