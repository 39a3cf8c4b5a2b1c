"""Whose rules a request has to meet, as far as the plan and the messages tell."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ctx_core.conversation.cache_marks import lives_of
from ctx_core.providers.asked import Asked, target_for
from ctx_core.providers.provider import Provider
from ctx_core.providers.resolve import Target
from ctx_core.providers.table import PROVIDERS, UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ctx_core.conversation.transcript import Transcript
    from ctx_core.engine.plan import Plan


def asked_of(plan: Plan, transcript: Transcript[Any]) -> Asked | None:
    """Give what is asked of the request of a plan; None where nobody's rules are looked at."""
    format_name: str | None = getattr(transcript.codec, "name", None)
    target = target_for(plan.provider, model=plan.counter.model, format_name=format_name)
    if target is None:
        return None
    usual: Mapping[str, str] = getattr(transcript.codec, "usual_clients", {})
    return Asked(
        target=target,
        told=isinstance(plan.provider, Provider),
        tools=True if plan.definitions else (False if plan.without_tools else None),
        whole=plan.whole,
        question_follows=plan.question_follows,
        marks_beside=(*lives_of(plan.definitions), *plan.marks_beside),
        stub=plan.policy.stub,
        system_apart=transcript.system_apart,
        perhaps_by=usual.get(target.provider.name),
        as_well=_as_well(target, format_name, usual),
        as_sent=getattr(transcript.codec, "as_sent", None),
        taken_blocks=getattr(transcript.codec, "with_taken_blocks", None),
    )


def _as_well(target: Target, format_name: str | None, usual: Mapping[str, str]) -> tuple[Target, ...]:
    """Give where else messages may go that are for any provider: by their format, and by their framework's clients."""
    if target.provider is not UNKNOWN:
        return ()
    own = () if format_name is None else (replace(target, provider=PROVIDERS[format_name]),)
    return (*own, *(Target(provider=PROVIDERS[row], client=client) for row, client in usual.items()))
