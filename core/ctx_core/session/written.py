"""What is asked for as JSON types and back: budgets, policies, counters by the name of a model. Code is not stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from enum import Enum
from typing import Any, TypeVar, cast

from ctx_core.budget import ContextBudget
from ctx_core.clean import told
from ctx_core.conversation.messages import Role
from ctx_core.counting.counter import CounterLike, TokenCounter, as_counter
from ctx_core.counting.options import RequestOptions
from ctx_core.engine.summary import RollingSummary
from ctx_core.errors import BudgetError
from ctx_core.history.call_policy import ToolCallPolicy
from ctx_core.history.media_policy import MediaPolicy
from ctx_core.history.policy import HistoryPolicy, ToolResultPolicy
from ctx_core.providers.asked import ProviderLike, as_provider
from ctx_core.providers.provider import Provider
from ctx_core.providers.resolve import Target
from ctx_core.providers.table import provider_named
from ctx_core.sizes import Share, Tokens, is_count

PolicyT = TypeVar("PolicyT", HistoryPolicy, ToolResultPolicy, ToolCallPolicy, MediaPolicy)


def write_budget(budget: ContextBudget) -> dict[str, Any]:
    """Give a budget as JSON types."""
    parts = {name: write_size(size) for name, size in budget.parts.items()}
    return {"total": budget.total, "reserve": budget.reserve, "parts": parts, "model": budget.model}


def read_budget(data: object) -> ContextBudget:
    """Give a budget that was written, or a budget as it is.

    Raises:
        BudgetError: for anything else.
    """
    if isinstance(data, ContextBudget):
        return data
    if isinstance(data, int):
        return ContextBudget(data)
    if not isinstance(data, Mapping):
        msg = f"budget must be a ContextBudget, found {type(data).__name__}"
        raise BudgetError(msg)
    data = _written("budget", cast("object", data), ContextBudget, needs=("total", "reserve", "parts", "model"))
    total, reserve, given = data["total"], data["reserve"], _written("parts", data["parts"], ContextBudget)
    parts = {str(name): read_size(size) for name, size in given.items()}
    try:
        return ContextBudget(total, parts=parts, reserve=reserve, model=data["model"])
    except BudgetError:
        if not (is_count(total) and total and is_count(reserve)):
            raise
        # The reserve was a share, without which the shares no longer sum to 1.
        return ContextBudget(total, parts=parts, reserve=Share(reserve / total), model=data["model"])


def write_policy(policy: HistoryPolicy) -> dict[str, Any]:
    """Give a policy as JSON types, without its `pinned` predicate, which is code."""
    return _write_fields(policy)


def read_policy(data: object) -> HistoryPolicy:
    """Give a policy that was written, or a policy as it is.

    Raises:
        BudgetError: for anything else.
    """
    if isinstance(data, HistoryPolicy):
        return data
    if not isinstance(data, Mapping):
        msg = f"policy must be a HistoryPolicy, found {type(data).__name__}"
        raise BudgetError(msg)
    return _read_fields(HistoryPolicy, cast("Mapping[str, Any]", data))


def write_counter(counter: TokenCounter | None) -> str | None:
    """Give the name of the model that a counter counts for; code is not stored."""
    return None if counter is None else counter.model


def read_counter(data: object) -> TokenCounter | None:
    """Give the counter for a name, or what `as_counter` makes of anything else; None stays None."""
    return None if data is None else as_counter(cast("CounterLike", data))


def is_by_name(counter: TokenCounter | None) -> bool:
    """Whether the name of its model is enough to make a counter again."""
    if counter is None:
        return True
    if counter.model is None or counter.calibration is not None or counter.of_message is not None:
        return False
    again = TokenCounter.for_model(counter.model)
    return (again.framing, again.margin, again.tokenizer.name) == (
        counter.framing,
        counter.margin,
        counter.tokenizer.name,
    )


def write_reserve(reserve: int | Share | Tokens) -> int | dict[str, Any]:
    """Give a reserve as JSON types."""
    return reserve if isinstance(reserve, int) else write_size(reserve)


def read_reserve(data: object) -> int | Share | Tokens:
    """Give a reserve that was written, or one as it is; what is none is refused where it is used."""
    return read_size(cast("Mapping[str, Any]", data)) if isinstance(data, Mapping) else cast("int", data)


def write_summary(summary: RollingSummary | None) -> dict[str, Any] | None:
    """Give the settings of a summary as JSON types."""
    if summary is None:
        return None
    written = {field.name: getattr(summary, field.name) for field in fields(summary)}
    return {**written, "cap": write_size(summary.cap), "role": str(summary.role)}


def read_summary(data: object) -> RollingSummary | None:
    """Give the settings that were written, or settings as they are; None stays None.

    Raises:
        BudgetError: for anything else.
    """
    if data is None or isinstance(data, RollingSummary):
        return data
    written = _written("summary", data, RollingSummary, needs=("cap", "role"))
    written |= {"cap": read_size(written["cap"]), "role": _read_role(written["role"])}
    return RollingSummary(**written)


def write_provider(provider: ProviderLike) -> str | dict[str, Any] | bool | None:
    """Give a provider as JSON types, a row by its name."""
    if isinstance(provider, Target):
        return {"provider": provider.provider.name, "model": provider.model, "client": provider.client}
    return provider.name if isinstance(provider, Provider) else provider


def read_provider(data: object) -> ProviderLike:
    """Give a provider that was written, or one as it is.

    Raises:
        OptionError: for a name that no row has, and for what is no provider.
    """
    if isinstance(data, Mapping):
        target = _written("provider", cast("object", data), Target, needs=("provider", "model", "client"))
        return Target(provider=provider_named(target["provider"]), model=target["model"], client=target["client"])
    return as_provider(cast("ProviderLike", data))


def write_options(options: RequestOptions | None) -> dict[str, Any] | None:
    """Give what else a request asks for as JSON types."""
    return None if options is None else asdict(options)


def read_options(data: object) -> RequestOptions | None:
    """Give the options that were written, or options as they are; None stays None.

    Raises:
        BudgetError: for anything else.
    """
    if data is None or isinstance(data, RequestOptions):
        return data
    return RequestOptions(**_written("request_options", data, RequestOptions))


def _written(name: str, data: object, kind: type[Any], *, needs: tuple[str, ...] = ()) -> dict[str, Any]:
    """Give what was written of a field, by name.

    Raises:
        BudgetError: if it is something else, lacks what it needs, or has what its kind has not.
    """
    if not isinstance(data, Mapping):
        msg = f"{name} must be {kind.__name__}, found {type(data).__name__}"
        raise BudgetError(msg)
    found = dict(cast("Mapping[str, Any]", data))
    missing = ", ".join(need for need in needs if need not in found)
    if missing:
        msg = f"{name} must be {kind.__name__}, or one that was stored, and has no {missing}"
        raise BudgetError(msg)
    known = {field.name for field in fields(kind)}
    odd = sum(key not in known for key in found)
    if odd and kind is not ContextBudget:
        msg = f"{name} has {odd} fields that {kind.__name__} has not; it has {', '.join(sorted(known))}"
        raise BudgetError(msg)
    return found


def _read_role(data: object) -> Role:
    if isinstance(data, str) and data in {str(role) for role in Role}:
        return Role(data)
    msg = f"a role must be one of {', '.join(map(str, Role))}, found {told(data)}"
    raise BudgetError(msg)


def write_size(size: Share | Tokens) -> dict[str, Any]:
    """Give a size as JSON types."""
    return {"share": size.of_total} if isinstance(size, Share) else {"tokens": size.count}


def read_size(data: Mapping[str, Any]) -> Share | Tokens:
    """Give a size that was written.

    Raises:
        BudgetError: for one that is neither a share nor tokens.
    """
    found: object = data
    if not isinstance(found, Mapping) or not ("share" in found or "tokens" in found):
        msg = f"a size must be a share or tokens, found {type(found).__name__}"
        raise BudgetError(msg)
    return Share(data["share"]) if "share" in data else Tokens(data["tokens"])


def _write_fields(policy: HistoryPolicy | ToolResultPolicy | ToolCallPolicy | MediaPolicy) -> dict[str, Any]:
    written: dict[str, Any] = {}
    for field in fields(policy):
        value = getattr(policy, field.name)
        if isinstance(value, Share):
            written[field.name] = write_size(value)
        elif isinstance(value, ToolResultPolicy | ToolCallPolicy | MediaPolicy):
            written[field.name] = _write_fields(value)
        elif isinstance(value, tuple):
            written[field.name] = list(cast("tuple[object, ...]", value))
        elif not callable(value):
            written[field.name] = str(value) if isinstance(value, Enum) else value
    return written


def _read_fields(kind: type[PolicyT], data: Mapping[str, Any]) -> PolicyT:
    known = {field.name for field in fields(kind)}
    read: dict[str, Any] = {name: value for name, value in data.items() if name in known}
    if "marker_role" in read:
        read["marker_role"] = _read_role(read["marker_role"])
    if isinstance(read.get("keep_first"), Mapping):
        read["keep_first"] = read_size(read["keep_first"])
    if "results" in read:
        read["results"] = _read_fields(ToolResultPolicy, read["results"])
    if "calls" in read:
        read["calls"] = _read_fields(ToolCallPolicy, read["calls"])
    if read.get("media") is not None:
        read["media"] = _read_fields(MediaPolicy, read["media"])
    return kind(**read)
