"""The model's name that is bound, where the client sends it in place of the object's own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, cast

from ctx_core.counting.model_objects import attribute, model_name

if TYPE_CHECKING:
    from ctx_core.counting.model_objects import AskedModel

_SENT: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("langchain_aws.chat_models.bedrock_converse.", ("model_id", "modelId")),
    ("langchain_aws.", ()),
    ("langchain_openai.chat_models.azure.", ()),
    ("", ("model",)),
)
"""How the full name of a client's class begins, and under which names it sends another model's. Azure's asks the
deployment in its address, Bedrock's other client the model in it."""
_NAMES: Final = ("base_model_id", "model_name", "model", "model_id")
"""Fields that objects have their model's name in."""


def with_bound_name(asked: AskedModel) -> AskedModel:
    """Give a model under the name that is bound, if one is: the object as it would be if it had been made with it.

    What the object knows of its own model, its profile, is not known of the other.
    """
    kinds = [f"{kind.__module__}.{kind.__qualname__}" for kind in type(asked.model).__mro__]
    names = next(names for sign, names in _SENT if any(kind.startswith(sign) for kind in kinds))
    bound = next((name for key in names if isinstance(name := asked.sent.get(key), str) and name), None)
    copied = attribute(asked.model, "model_copy")
    if bound is None or bound == model_name(asked.model) or not callable(copied):
        return asked
    told = {name: bound for name in _NAMES if isinstance(attribute(asked.model, name), str)}
    fields: Any = type(asked.model)
    held = {name: value for name, value in {**told, "profile": None}.items() if name in fields.model_fields}
    return replace(asked, model=cast("Any", copied)(update=held))
