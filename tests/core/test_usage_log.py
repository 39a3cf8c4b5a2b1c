"""The log of the last requests."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from ctx_core import BudgetError, ContextReport, LayerReport, UsageLog
from ctx_core.report.figures import HistoryReport

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def report(used: int, *, omitted: int = 0) -> ContextReport:
    """Give a report of a request of so many of 80 tokens."""
    row = LayerReport(name="history", asked=None, budget=None, used=used, why="oldest left out" if omitted else "")
    return ContextReport(
        total=100, reserve=20, used=used, layers=(row,), history=HistoryReport(omitted=omitted), counter="words"
    )


def test_a_request_is_remembered() -> None:
    """Time, tokens, limit, and what went."""
    log = UsageLog(clock=lambda: NOW)
    log.add(report(40, omitted=3))
    (record,) = log.entries
    assert (record.time, record.used, record.limit, record.trimmed, record.omitted) == (NOW, 40, 80, True, 3)


def test_a_record_has_the_time_of_its_request() -> None:
    """With a time zone, from the clock that it was given."""
    before = datetime.now(UTC)
    log = UsageLog()
    log.add(report(1))
    assert before - timedelta(seconds=1) <= log.entries[0].time <= datetime.now(UTC)


def test_the_last_hundred_are_remembered() -> None:
    """As SPEC has it; the oldest go."""
    log = UsageLog()
    for used in range(120):
        log.add(report(used))
    assert [record.used for record in log.entries] == list(range(20, 120))


def test_so_many_are_remembered_as_one_likes() -> None:
    """From one up."""
    log = UsageLog(maxlen=2)
    for used in range(5):
        log.add(report(used))
    assert [record.used for record in log.entries] == [3, 4]


@pytest.mark.parametrize("maxlen", [0, -1])
def test_a_log_of_nothing_is_refused(maxlen: int) -> None:
    """It would look as if nothing had happened."""
    with pytest.raises(BudgetError, match=f"maxlen must be 1 or more, found {maxlen}"):
        UsageLog(maxlen)


def test_stats_sum_up() -> None:
    """Requests, those trimmed, and the mean utilization."""
    log = UsageLog()
    for used, omitted in ((40, 0), (80, 2), (60, 0)):
        log.add(report(used, omitted=omitted))
    stats = log.stats()
    assert (stats.requests, stats.trimmed) == (3, 1)
    assert stats.average_utilization == pytest.approx(0.75)


def test_stats_of_nothing_are_zero() -> None:
    """No division by it."""
    stats = UsageLog().stats()
    assert (stats.requests, stats.trimmed, stats.average_utilization) == (0, 0, 0.0)


def test_it_can_be_switched_off_and_on() -> None:
    """At run time; what is off leaves no trace."""
    log = UsageLog(enabled=False)
    log.add(report(1))
    log.enabled = True
    log.add(report(2))
    log.enabled = False
    log.add(report(3))
    assert [record.used for record in log.entries] == [2]


def test_it_can_be_cleared() -> None:
    """And goes on."""
    log = UsageLog()
    log.add(report(1))
    log.clear()
    assert log.entries == ()
    log.add(report(2))
    assert len(log.entries) == 1


def test_what_was_given_does_not_change() -> None:
    """Records are a snapshot."""
    log = UsageLog()
    log.add(report(1))
    records = log.entries
    log.add(report(2))
    assert len(records) == 1


def test_threads_may_share_it() -> None:
    """Nothing is lost while others read."""
    log = UsageLog(maxlen=4_000)
    with ThreadPoolExecutor(8) as pool:
        writing = [pool.submit(log.add, report(40)) for _ in range(4_000)]
        reading = [pool.submit(log.stats) for _ in range(200)]
        assert all(future.exception() is None for future in writing)
        assert all(future.exception() is None for future in reading)
    assert log.stats().requests == 4_000


def test_a_copy_is_the_same_log() -> None:
    """Copies of what reports to it go on reporting to it."""
    log = UsageLog()
    copy.deepcopy(log).add(report(1))
    assert len(log.entries) == 1


def test_it_can_be_pickled() -> None:
    """With what it remembers."""
    log = UsageLog(maxlen=5, enabled=False)
    log.enabled = True
    log.add(report(1))
    arrived = pickle.loads(pickle.dumps(log))  # noqa: S301 - our own bytes
    arrived.add(report(2))
    assert [record.used for record in arrived.entries] == [1, 2]
    assert len(log.entries) == 1
