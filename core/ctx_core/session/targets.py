"""The provider of a surface that knows its model: what was said, else what the model objects tell."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ctx_core.builder import ContextBuilder
from ctx_core.counting.model_objects import asked_model
from ctx_core.providers.asked import as_provider
from ctx_core.providers.provider import Provider
from ctx_core.providers.resolve import Target, target_of
from ctx_core.providers.table import UNKNOWN

if TYPE_CHECKING:
    from ctx_core.providers.asked import ProviderLike
    from ctx_core.session.declaration import Declaration


def provider_for(model: object, told: ProviderLike, recipe: Declaration | None = None) -> ProviderLike:
    """Give the target of requests to a model; of several that may be asked in turn, the row that suits them all.

    Args:
        model: a model object in its wrappers, or its name.
        told: what was said of the provider, which decides; the model says the rest.
        recipe: what declares the requests; what it says of the provider decides too.
    """
    if told is None and recipe is not None:
        told = recipe.plan.provider if isinstance(recipe, ContextBuilder) else getattr(recipe, "provider", None)
    told = as_provider(told)
    if told is False or isinstance(told, Target):
        return told
    targets = [target_of(replace(asked, others=())) for asked in asked_model(model).all]
    first = targets[0]
    if isinstance(told, Provider):
        return replace(first, provider=told)
    if all((one.provider, one.client) == (first.provider, first.client) for one in targets):
        return first
    return Target(provider=UNKNOWN)
