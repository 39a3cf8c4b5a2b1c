"""The options of a step as JSON types and back, for LangChain's `dumpd` and `load`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final, cast

from ctx_core.counting.calibration import Calibration
from ctx_core.counting.counter import TokenCounter, as_counter
from ctx_core.session import StateCache, written

_CODE: Final = ("layers", "recipe", "usage_log", "on_report", "summarizer")
_WRITE: Final[Mapping[str, Callable[[Any], object]]] = {
    "budget": written.write_budget,
    "reserve": written.write_reserve,
    "policy": written.write_policy,
    "summary": written.write_summary,
    "request_options": written.write_options,
    "counter": written.write_counter,
    "provider": written.write_provider,
    "tools": list,
}
_READ: Final[Mapping[str, Callable[[Any], object]]] = {
    "budget": written.read_budget,
    "reserve": written.read_reserve,
    "policy": written.read_policy,
    "summary": written.read_summary,
    "request_options": written.read_options,
    "provider": written.read_provider,
}


def written_fields(fields: Mapping[str, Any]) -> dict[str, Any] | None:
    """Give the fields of a step as keywords of JSON types; None where there is code among them.

    A cache of states and what a calibration has learned are no part of it: they begin anew.
    """
    if any(fields[name] not in (None, ()) for name in _CODE) or not _is_data(fields["counter"]):
        return None
    if not isinstance(fields["states"], StateCache) or getattr(fields["policy"], "pinned", None) is not None:
        return None
    told: dict[str, Any] = {name: value for name, value in fields.items() if value is not None and name not in _CODE}
    del told["states"]
    told["calibration"] = isinstance(told.pop("calibration", None), Calibration)
    return {name: _WRITE[name](value) if name in _WRITE else value for name, value in told.items()}


def as_given(options: dict[str, Any]) -> dict[str, Any]:
    """Give options in which those that were written are what they were."""
    return {
        name: _READ[name](cast("Mapping[str, Any]", value)) if name in _READ and isinstance(value, Mapping) else value
        for name, value in options.items()
    }


def _is_data(counter: TokenCounter | None) -> bool:
    """Whether the name of its model makes it again, or nothing does: its calibration is an option of its own."""
    if counter is None:
        return True
    plain, default = replace(counter, calibration=None), as_counter(None)
    if (plain.model, plain.framing, plain.margin) == (None, default.framing, default.margin):
        return plain.of_message is None and plain.tokenizer.name == default.tokenizer.name
    return written.is_by_name(plain)
