"""A provider that nothing is known of: what satisfies all the others."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ctx_core.providers.models import Models
from ctx_core.providers.provider import Provider
from ctx_core.providers.rules import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ctx_core.providers.rules import Rule

_LEFT_OUT: Final = frozenset({
    Kind.SYSTEM_PLACED,
    Kind.SYSTEM_APART,
    Kind.SYSTEM_NOT_AFTER_ANSWER,
    Kind.ALONE_IS_USER,
    Kind.RESULTS_NAMED,
    Kind.CALLS_SIGNED,
    Kind.CALLS_KEEP_REASONING,
    Kind.ROLES_KNOWN,
})  # fmt: skip
"""What another rule of the same row has in it, what nobody else has, and what every client of the one provider that
asks it does itself."""
_OF_SOME: Final = (Kind.TAKES_NO_SYSTEM, Kind.RESULTS_ALONE, Kind.CALLS_OR_TEXT, Kind.IDS_PLAIN)
"""What only some models ask: a build for this row meets it, and `validate` says nothing of it."""
_UP_TO: Final = Kind.CALLS_KEEP_REASONING
"""The last kind that a request can be changed to meet; those behind it are of one API's keys and parameters."""
_OF_ALL: Final = frozenset({Kind.SOMETHING_SAID, Kind.FITS_WINDOW})


def unknown(rows: Iterable[Provider]) -> Provider:
    """Make the row that satisfies all these."""
    listed = list(rows)
    rules = [
        rule
        for row in listed
        for rule in row.rules
        if rule.where_unknown and not rule.clients and not _is_of_nine(rule)
    ]
    kinds = list(Kind)
    wanted = {*kinds[: kinds.index(_UP_TO) + 1], *_OF_ALL} - _LEFT_OUT
    union = tuple(
        _strictest([rule for rule in rules if rule.kind is kind])
        for kind in kinds
        if kind in wanted and any(rule.kind is kind for rule in rules)
    )
    some = tuple(
        replace(_strictest(found), models=tuple(dict.fromkeys(models)), where_unknown=False)
        for kind in _OF_SOME
        if (found := [rule for row in listed for rule in row.rules if rule.kind is kind and _is_of_some(rule)])
        if (models := [one for row in listed for rule in row.rules if rule in found for one in _models(rule, row)])
    )
    return Provider(name="unknown", title="Any provider", format=None, rules=(*union, *some))


def _is_of_some(rule: Rule) -> bool:
    return not rule.where_unknown or _is_of_nine(rule)


def _models(rule: Rule, row: Provider) -> tuple[Models, ...]:
    return rule.models or (Models(names=row.models),)


def _strictest(rules: list[Rule]) -> Rule:
    """Give one rule that has what each of them asks."""
    chosen = rules[0]
    smallest = min((rule.most for rule in rules if rule.most is not None), default=None)
    last = tuple(who for who in chosen.last if all(who in rule.last for rule in rules))
    return replace(
        chosen,
        models=(),
        but=(),
        by_client=(),
        since=None,
        until=None,
        most=smallest,
        pattern=next((rule.pattern for rule in rules if rule.pattern), None),
        within="request" if any(rule.within == "request" for rule in rules) else "turn",
        last=last,
        last_may=all(rule.last_may for rule in rules),
        disputed=all(rule.disputed for rule in rules),
        source="; ".join(dict.fromkeys(rule.source for rule in rules)),
    )


def _is_of_nine(rule: Rule) -> bool:
    """Whether it is of ids of exactly nine characters, which only Mistral's older models ask for.

    Nearly all others are replaced for it: only where somebody says that the request is for all of them.
    """
    return rule.pattern is not None and rule.pattern.endswith("{9}")
