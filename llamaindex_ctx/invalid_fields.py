"""What pydantic finds wrong in the fields of a memory, in our words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx_core.clean import escaped
from ctx_core.errors import BudgetError, CtxLayersError

if TYPE_CHECKING:
    from pydantic import ValidationError


def told_by(error: ValidationError) -> CtxLayersError:
    """Give the error that a field's own reading raised, else one that names the field; none of them quotes a value."""
    found, *_ = error.errors(include_input=False, include_url=False)
    raised = found.get("ctx", {}).get("error")
    if isinstance(raised, CtxLayersError):
        return raised
    place = escaped(".".join(map(str, found["loc"])))
    return BudgetError(f"{place} of a memory cannot be that: {found['msg'][:1].lower()}{found['msg'][1:]}")
