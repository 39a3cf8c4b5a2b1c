"""How a memory is stored, restored and copied."""

from __future__ import annotations

import copy
import json
import logging
import pickle
from collections.abc import Mapping
from typing import Any, Final, Self, cast
from weakref import WeakValueDictionary

from ctx_core.errors import MessageError
from ctx_core.session import written
from ctx_core.session.options import BROUGHT
from llamaindex_ctx import storage
from llamaindex_ctx.copies import copied
from llamaindex_ctx.memory_fields import MemoryFields
from llamaindex_ctx.other_dumps import as_ours
from llamaindex_ctx.starting_run import starting_run

_LOG: Final = logging.getLogger("ctx_core.llamaindex")
_LEFT_BEHIND: Final = "left_behind"
"""Key of the stored data with the names of what was not stored."""
_CODE: Final = (
    "chat_store", "recipe", "layers", "summarizer", "calibration", "usage_log", "on_report", "states",
)  # fmt: skip
"""Fields that hold code, which is not stored."""
_TOKEN: Final = "token"  # noqa: S105 - a name in a dict
"""Key of the stored data under which this process finds the memory that was stored."""
_FOR_RUN: Final = "for_run"
"""Key of the stored data with the run of a workflow that was being started when it was stored."""
_STORED: Final = WeakValueDictionary[str, "StoredMemory"]()
"""Memories that were stored in this process and are still in use."""


class StoredMemory(MemoryFields):
    """A memory that is stored with `to_dict`, `to_string` and pickle, and copied."""

    def to_dict(self, **kwargs: Any) -> dict[str, Any]:  # noqa: ARG002 - LlamaIndex's signature
        """Give the memory as JSON types, with its messages even where a chat store holds them.

        Args:
            kwargs: what other components of LlamaIndex take; it means nothing here.
        """
        data = self.model_dump(mode="json", warnings=False)
        if self.chat_store is not None:
            data["messages"] = storage.write_messages(self._door.read())
        if self.recipe is not None:  # so that it fits the same window without it, whose parts are the recipe's layers
            plan = self._plan
            data["budget"] = {**written.write_budget(plan.budget), "parts": {}}
            data["counter"] = written.write_counter(plan.counter)
        data[_LEFT_BEHIND] = left = list(self._code())
        run = starting_run()
        if left or run:
            data[_TOKEN] = self._running.token
            _STORED[self._running.token] = self
        if run:
            data[_FOR_RUN] = run
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], **kwargs: Any) -> Self:
        """Give the memory that was stored.

        A workflow stores and restores its context as it starts the next run: then it is the stored memory itself, where
        that is still in use in this process. In any other case it is a conversation of its own. What was not stored is
        taken from the stored memory, where that is still in use; elsewhere it is missed, with a warning in the log,
        unless it is given.

        Args:
            data: what `to_dict` gave, of this memory or of a `ChatMemoryBuffer` that held its messages itself; of one
                that did not, or of a `Memory`, beside the `chat_store`.
            kwargs: fields to be set anew, above all what is not stored: `counter`, `policy`, `recipe`, `layers`,
                `summarizer`, `calibration`, `usage_log`, `on_report`, `states`, and `chat_store`, which then is what
                holds the conversation: the stored messages are let go.

        Raises:
            ValueError: for data that cannot be read, or in which there are no messages.
        """
        if not isinstance(data, Mapping):
            msg = f"expected what to_dict gave, found {type(data).__name__}"
            raise MessageError(msg)
        if any(not isinstance(key, str) for key in data):
            msg = "expected what to_dict gave, found a dict with keys that are no texts"
            raise MessageError(msg)
        fields = as_ours(data, stored=kwargs.get("chat_store") is not None)
        run = fields.pop(_FOR_RUN, None)
        left, token = fields.pop(_LEFT_BEHIND, ()), fields.pop(_TOKEN, "")
        alive = _STORED.get(str(token))
        behind = cast("list[object]", left) if isinstance(left, list) else []
        if run is not None and run == starting_run() and not kwargs and type(alive) is cls:
            return alive
        known = {**({} if alive is None else alive._code()), **kwargs}  # noqa: SLF001 - of its own kind
        missing = [str(name) for name in behind if name not in known]
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
        data: Any = None
        wrong = ""
        try:
            data = json.loads(json_str)
        except (TypeError, ValueError, RecursionError) as error:
            wrong = type(error).__name__
        if wrong:  # outside of the handler, as the error holds the text
            found = f"a text of {len(json_str):,} characters" if isinstance(json_str, str) else type(json_str).__name__
            msg = f"expected what to_string gave, found {found} that is no JSON ({wrong})"
            raise MessageError(msg)
        return cls.from_dict(data, **kwargs)

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


def _restored(kind: type[StoredMemory], data: dict[str, Any], given: dict[str, Any]) -> StoredMemory:
    return kind.from_dict(data, **given)
