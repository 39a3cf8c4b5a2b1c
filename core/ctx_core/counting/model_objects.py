"""A model as an application holds it: an object, what is sent with its requests, and who takes its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import entry_points
from typing import Any, Final, TypeAlias, cast

GROUP: Final = "ctx_layers.models"
"""Entry points of faces: functions that look into the wrappers of a framework, named as its root module."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedModel:
    """A model out of its wrappers, and what the wrappers say of its requests."""

    model: object
    """The model object, or its name."""
    sent: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False)
    """What is sent with each request beside the messages; it wins over what the object says of itself."""
    others: tuple[AskedModel, ...] = ()
    """Models that are asked in its place where it fails."""

    @property
    def all(self) -> Iterator[AskedModel]:
        """Itself, and those that may take its place."""
        yield self
        for other in self.others:
            yield from other.all

    @property
    def name(self) -> str | None:
        """What the model is called; None where nothing tells."""
        return model_name(self.model)


Unwraps: TypeAlias = Callable[[object], AskedModel | None]
"""Gives the model in an object of its framework; None where it finds none."""


def asked_model(model: object) -> AskedModel:
    """Give the model in an object: the face of its framework looks into wrappers; a name is a model of its own."""
    if isinstance(model, AskedModel):
        return model
    if not isinstance(model, str):
        roots = dict.fromkeys(kind.__module__.split(".", 1)[0] for kind in type(model).__mro__)
        for root in roots:
            entry = _face_of(root)
            found = None if entry is None else entry(model)
            if found is not None:
                return found
    return AskedModel(model=model)


@cache
def _face_of(framework: str) -> Unwraps | None:
    point = next(iter(entry_points(group=GROUP, name=framework)), None)
    return None if point is None else cast("Unwraps", point.load())


def model_name(model: object) -> str | None:
    """Give the name of a model: the string itself, or what LangChain's and LlamaIndex's objects call it.

    What stands behind a deployment is its name where the object tells it, else that of the deployment is.
    """
    if isinstance(model, AskedModel):
        return model.name
    if isinstance(model, str):
        return model
    names = (attribute(model, name) for name in ("base_model_id", "model_name", "model", "model_id"))
    found = next(filter(_is_name, names), None) or attribute(attribute(model, "metadata"), "model_name")
    for name in ("deployment_name", "azure_deployment"):
        found = found if _is_name(found) else attribute(model, name)
    return found if isinstance(found, str) and found else None


def attribute(owner: object, name: str) -> object:
    """Give an attribute of an object of somebody else's; None where there is none, or it cannot be had.

    A property may ask a server, and fail with it.
    """
    try:
        return getattr(owner, name, None)
    except Exception:  # noqa: BLE001 - whatever a client raises, the object doesn't tell
        return None


def _is_name(value: object) -> bool:
    return isinstance(value, str) and bool(value)
