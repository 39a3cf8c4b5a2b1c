"""The data of a memory, and how it is stored, copied and restored."""

from __future__ import annotations

import copy
import json
import logging
import pickle
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, Self, cast
from weakref import WeakValueDictionary

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
from ctx_core.budget import Size  # noqa: TC001 - pydantic reads the annotations
from ctx_core.counting.calibration import Calibration
from ctx_core.counting.options import RequestOptions  # noqa: TC001 - pydantic reads the annotations
from ctx_core.errors import MessageError
from ctx_core.session import SessionOptions, Sessions, written
from ctx_core.session.options import BROUGHT
from llamaindex_ctx import storage
from llamaindex_ctx.convert import CODEC
from llamaindex_ctx.fields import Stored
from llamaindex_ctx.other_dumps import as_ours
from llamaindex_ctx.running import OwnState, Running
from llamaindex_ctx.same_context import is_of_same_context
from llamaindex_ctx.settings import DEFAULT_TOKENS, read_role, tool_definitions
from llamaindex_ctx.stores import Access, ChatStore, ListAccess, as_store, door

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ctx_core.engine.plan import Plan

_LOG: Final = logging.getLogger("ctx_core.llamaindex")
_LEFT_BEHIND: Final = "left_behind"
"""Key of the stored data with the names of what was not stored."""
_CODE: Final = (
    "chat_store", "recipe", "layers", "summarizer", "calibration", "usage_log", "on_report", "states",
)  # fmt: skip
"""Fields that hold code, which is not stored."""
_TOKEN: Final = "token"  # noqa: S105 - a name in a dict
"""Key of the stored data under which this process finds the memory that was stored."""
_SAME: Final = "same_context"
"""Key of the stored data of a memory that is restored for the next run of the same context."""
_STORED: Final = WeakValueDictionary[str, "MemoryFields"]()
"""Memories that were stored in this process and are still in use."""


def owned(messages: Iterable[ChatMessage]) -> list[ChatMessage]:
    """Give copies that share nothing that can change with the caller's.

    Raises:
        MessageError: for what is no message, or cannot be read as one.
    """
    messages = list(messages)
    for message in messages:
        if not isinstance(message, ChatMessage):
            msg = (
                f"expected a ChatMessage, found {type(message).__name__}: a text goes into ChatMessage(text), a dict "
                "into ChatMessage.model_validate(dict), content blocks into ChatMessage(blocks=[…])"
            )
            raise MessageError(msg)
        CODEC.read(message)
    return copied(messages)


def copied(messages: Iterable[ChatMessage]) -> list[ChatMessage]:
    """Give copies that share nothing that can change."""
    return [_copied(message) for message in messages]


def _copied(message: ChatMessage) -> ChatMessage:
    try:
        return message.model_copy(deep=True)
    except Exception:  # noqa: BLE001 - an open file, a lock or a client in it, and their copying may raise anything
        blocks = [block.model_copy() for block in message.blocks]
        return message.model_copy(update={"blocks": blocks, "additional_kwargs": dict(message.additional_kwargs)})


def _read_messages(data: object) -> list[ChatMessage]:
    """Give messages that were stored, or copies of messages that are given."""
    messages = storage.read_messages(data)
    for message in messages:
        CODEC.read(message)
    given = {id(item) for item in cast("Sequence[object]", data)}
    return [_copied(message) if id(message) in given else message for message in messages]


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

    def to_dict(self, **kwargs: Any) -> dict[str, Any]:  # noqa: ARG002 - LlamaIndex's signature
        """Give the memory as JSON types, with its messages even where a chat store holds them.

        Args:
            kwargs: what other components of LlamaIndex take; it means nothing here.
        """
        data = self.model_dump(mode="json")
        if self.chat_store is not None:
            data["messages"] = storage.write_messages(self._door.read())
        if self.recipe is not None:  # so that it fits the same window without it, whose parts are the recipe's layers
            plan = self._plan
            data["budget"] = {**written.write_budget(plan.budget), "parts": {}}
            data["counter"] = written.write_counter(plan.counter)
        data[_LEFT_BEHIND] = left = list(self._code())
        same = is_of_same_context()
        if left or same:
            data[_TOKEN] = self._running.token
            _STORED[self._running.token] = self
        if same:
            data[_SAME] = True
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], **kwargs: Any) -> Self:
        """Give the memory that was stored.

        A workflow stores and restores its context from run to run: then it is the stored memory itself, where that is
        still in use in this process. In any other case it is a conversation of its own. What was not stored is taken
        from the stored memory, where that is still in use; elsewhere it is missed, with a warning in the log, unless
        it is given.

        Args:
            data: what `to_dict` gave, of this memory or of a `ChatMemoryBuffer` that held its messages itself; of one
                that did not, or of a `Memory`, beside the `chat_store`.
            kwargs: fields to be set anew, above all what is not stored: `counter`, `policy`, `recipe`, `layers`,
                `summarizer`, `calibration`, `usage_log`, `on_report`, `states`, and `chat_store`, which then is what
                holds the conversation: the stored messages are let go.

        Raises:
            ValueError: for data that cannot be read, or in which there are no messages.
        """
        fields = as_ours(data, stored=kwargs.get("chat_store") is not None)
        same = fields.pop(_SAME, False)
        left, alive = fields.pop(_LEFT_BEHIND, ()), _STORED.get(fields.pop(_TOKEN, ""))
        if same and not kwargs and type(alive) is cls:
            return alive
        known = {**({} if alive is None else alive._code()), **kwargs}  # noqa: SLF001 - of its own kind
        missing = [name for name in left if name not in known]
        fields |= known
        fields.pop("class_name", None)
        if fields.get("chat_store") is not None:
            fields["messages"] = []
        if fields.get("recipe") is not None:
            brought = (*BROUGHT, "on_overflow")
            fields = {name: value for name, value in fields.items() if name not in brought or name in kwargs}
        memory = cls(**fields)
        if missing:
            _LOG.warning("a memory was restored without its %s, which cannot be stored", " and ".join(missing))
        return memory

    def to_string(self) -> str:
        """Give the memory as JSON."""
        return json.dumps(self.to_dict())

    @classmethod
    def from_string(cls, json_str: str, **kwargs: Any) -> Self:
        """Give the memory that was stored, as `from_dict` does."""
        return cls.from_dict(json.loads(json_str), **kwargs)

    def _code(self) -> dict[str, Any]:
        """Give what is not stored, by name."""
        code: dict[str, Any] = {}
        if not written.is_by_name(self.counter):
            code["counter"] = self.counter
        if self.policy.pinned is not None:
            code["policy"] = self.policy
        for name in _CODE:
            value = getattr(self, name)
            if value is not None and value != ():
                code[name] = value
        return code

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as JSON types, beside the chat store where that can be pickled."""
        given: dict[str, Any] = {}
        if self.chat_store is not None:
            try:
                pickle.dumps(self.chat_store)
            except Exception:  # noqa: BLE001 - a client or a connection, and their pickling may raise anything
                _LOG.warning("a memory is pickled without its chat store, which cannot be pickled")
            else:
                given["chat_store"] = self.chat_store
        return (_restored, (type(self), self.to_dict(), given))

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Self:
        """Copy the data; a chat store that cannot be copied, such as a connection, is shared."""
        memo = {} if memo is None else memo
        store = self.chat_store
        try:
            store = copy.deepcopy(store, memo)
        except Exception:  # noqa: BLE001 - as above
            _LOG.debug("a copy of a memory shares its chat store, which cannot be copied")
        # What counts is shared with the copy, and so is what was counted.
        new = self.model_copy(
            update={"messages": copied(self.messages), "tools": copy.deepcopy(self.tools, memo), "chat_store": store}
        )
        new._running = copy.deepcopy(self._running, memo)  # noqa: SLF001 - of its own kind
        memo[id(self)] = new
        return new

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        """Show counts: a memory holds what users said."""
        yield "messages", "in a chat store" if self.chat_store is not None else len(self.messages)
        yield "budget", self.budget


def _restored(kind: type[MemoryFields], data: dict[str, Any], given: dict[str, Any]) -> MemoryFields:
    return kind.from_dict(data, **given)
