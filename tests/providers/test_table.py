"""The table as a whole."""

from __future__ import annotations

import re
from typing import Final

import pytest

from ctx_core.errors import OptionError
from ctx_core.providers import PROVIDERS, UNKNOWN, Confidence, Kind, Provider, provider_named
from ctx_core.providers.checks.table import CHECKS

_DATE: Final = re.compile(r"\d{4}-\d\d(-\d\d)?")
ROWS: Final = [pytest.param(row, id=row.name) for row in PROVIDERS.values()]


def test_every_kind_is_checked_and_asked_by_somebody() -> None:
    """A word of the vocabulary that no row has, or that nothing checks, says nothing."""
    assert set(CHECKS) == set(Kind)
    assert {rule.kind for row in PROVIDERS.values() for rule in row.rules} == set(Kind)


@pytest.mark.parametrize("row", ROWS)
def test_a_rule_says_what_is_refused_and_how_that_is_known(row: Provider) -> None:
    """One sentence, a source, a confidence, dates that are dates; what is disputed says why."""
    for rule in row.rules:
        assert rule.refused.endswith(".")
        assert rule.source
        assert rule.confidence in Confidence
        assert all(_DATE.fullmatch(date) for date in (rule.since, rule.until) if date is not None)
        assert rule.unsure is None or rule.unsure.endswith(".")
        assert rule.unsure is not None or not rule.disputed
        if rule.pattern is not None:
            re.compile(rule.pattern)


@pytest.mark.parametrize("row", ROWS)
def test_of_one_kind_two_rules_are_for_different_models(row: Provider) -> None:
    """`asks` gives one: another behind it that holds for the same models would never be heard of."""
    for model in (None, *row.models):
        kinds = [rule.kind for rule in row.asked(model)]
        assert len(kinds) == len(set(kinds)), model


def test_the_unknown_provider_is_as_strict_as_every_row() -> None:
    """Its numbers are the smallest, and its pattern is matched by nothing that another refuses."""
    for rule in UNKNOWN.asked():
        others = [found for row in PROVIDERS.values() if (found := row.asks(rule.kind)) is not None]
        assert rule.most is None or rule.most == min(other.most for other in others if other.most is not None)
        assert set(rule.last) == set.intersection(*(set(other.last) for other in others))
    pattern = UNKNOWN.asks(Kind.IDS_PLAIN)
    assert pattern is not None
    assert pattern.pattern is not None
    assert re.fullmatch(pattern.pattern, "abcDEF123")
    for row in PROVIDERS.values():
        other = row.asks(Kind.IDS_PLAIN)
        assert other is None or re.fullmatch(other.pattern or "", "abcDEF123")


def test_what_only_some_models_ask_is_in_the_unknown_row_for_builds() -> None:
    """It holds for no request of which nothing says where it goes: `validate` does not refuse for it."""
    some = {rule.kind: rule for rule in UNKNOWN.rules if not rule.where_unknown}
    assert set(some) == {Kind.TAKES_NO_SYSTEM, Kind.RESULTS_ALONE, Kind.CALLS_OR_TEXT, Kind.IDS_PLAIN}
    assert some[Kind.IDS_PLAIN].pattern == "[a-zA-Z0-9]{9}"
    assert not any(rule in UNKNOWN.asked() for rule in some.values())


def test_a_name_that_no_row_has_is_refused_with_those_that_there_are() -> None:
    """The error lists them."""
    with pytest.raises(OptionError, match=r"unknown provider 'claude'; known are openai, responses, anthropic"):
        provider_named("claude")
