"""How large a model's context window is: from the model object where it tells, else from the table of families."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from ctx_core.counting.families import FAMILIES
from ctx_core.counting.family import UnknownWindow, Window
from ctx_core.counting.model_names import ModelName
from ctx_core.errors import UnknownModelError


def window_of(model: object) -> Window:
    """Give the window of a model, in tokens.

    A LangChain model is asked for its `profile` (`max_input_tokens`, `max_output_tokens`), a LlamaIndex LLM for
    `metadata.context_window`; a name is looked up in the table of families, in whatever spelling.

    Raises:
        UnknownModelError: if nothing knows it.
    """
    name = model_name(model)
    known = None if name is None else _known(name)
    told = _told(model, known if isinstance(known, Window) else None)
    if told is not None:
        return told
    if isinstance(known, Window):
        return known
    shown = repr(name) if name else f"a {type(model).__name__} without a profile or a name"
    why = "" if known is None else f" ({known.reason})"
    msg = (
        f"the context window of {shown} is not known{why}: give it in tokens, as ContextBudget(128_000, reserve=4_096)"
    )
    raise UnknownModelError(msg)


def model_name(model: object) -> str | None:
    """Give the name of a model: the string itself, or what LangChain's and LlamaIndex's objects call it."""
    if isinstance(model, str):
        return model
    metadata = getattr(model, "metadata", None)
    for owner, attribute in ((model, "model_name"), (model, "model"), (metadata, "model_name")):
        name = getattr(owner, attribute, None)
        if isinstance(name, str) and name:
            return name
    return None


def _known(name: str) -> Window | UnknownWindow | None:
    """Give what the table says of a name: the window with the longest prefix that fits."""
    read = ModelName.read(name)
    fitting = [
        (fit, window)
        for family in FAMILIES
        for window in family.windows
        for prefix in window.models
        if (fit := read.fit(prefix)) is not None
    ]
    return max(fitting, key=lambda found: found[0], default=(None, None))[1]


def _told(model: object, known: Window | None) -> Window | None:
    """Give the window that a model object tells of; whether it is for the input alone only the table knows."""
    told: object = getattr(model, "profile", None)
    profile = cast("Mapping[str, Any]", told if isinstance(told, Mapping) else {})
    metadata: object = getattr(model, "metadata", None)
    tokens = _positive(profile.get("max_input_tokens")) or _positive(getattr(metadata, "context_window", None))
    if tokens is None:
        return None
    if known is not None and known.input_only and tokens == known.tokens + (known.max_output or 0):
        return known  # told of both together, where each has a limit of its own
    base = known or Window(models=(), tokens=tokens)
    return replace(
        base,
        tokens=tokens,
        max_output=_positive(profile.get("max_output_tokens")) or base.max_output,
        input_only=base.input_only and tokens == base.tokens,
        source="the model object",
    )


def _positive(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
