"""Entries of a memory file."""

from datetime import UTC, datetime

from ctx_core.memory import entries
from ctx_core.memory.candidates import Sought

FILE = """# Long-term memory

## Travel

- Flies from *LIS*
  and never at night
- 2024-03-01: booked Rome
  - window seat
* [x] renewed the passport

## Notes
(Things to remember)

Allergic to
peanuts.

---

<!-- - hidden
- hidden too -->

### 2024-05-06

1. Began a course
"""


def test_points_and_paragraphs_are_entries() -> None:
    """A point has what is indented below it; rules, comments and hints of a template are nothing."""
    assert [item.text for item in entries(FILE.splitlines())] == [
        "Flies from *LIS* and never at night",
        "booked Rome window seat",
        "renewed the passport",
        "Allergic to peanuts.",
        "Began a course",
    ]


def test_a_date_becomes_the_time() -> None:
    """Before the entry, or as its heading."""
    times = [item.time for item in entries(FILE.splitlines())]
    assert times[1] == datetime(2024, 3, 1, tzinfo=UTC)
    assert times[4] == datetime(2024, 5, 6, tzinfo=UTC)
    assert times[0] is None


def test_headings_become_tags() -> None:
    """`travel` finds what stands below that heading."""
    assert [item.tags for item in entries(FILE.splitlines())][:2] == [("Travel",), ("Travel",)]


def test_an_impossible_date_is_text() -> None:
    """A number that looks like a date is left where it is."""
    (item,) = entries(["- 2024-13-45 is no date"])
    assert (item.time, item.text) == (None, "2024-13-45 is no date")


def test_a_very_long_entry_becomes_several() -> None:
    """A file without line ends is still entries of a bearable size."""
    assert max(len(item.text) for item in entries(["word " * 10_000])) <= 4_000


def test_of_too_many_the_fitting_are_held() -> None:
    """What shares rare words with the question stays, however long ago it was."""
    lines = (f"- user note {number}" if number != 7 else "- the user bought a bike" for number in range(5_000))
    found = Sought("When did the user buy bikes?").best(entries(lines), limit=10)
    assert len(found) == 10
    assert found[0].text == "the user bought a bike"


def test_without_a_match_the_latest_are_held() -> None:
    """A question about nothing in the file gets the newest entries."""
    lines = [f"- note {number}" for number in range(50)]
    sought = Sought("zebra")
    assert [item.text for item in sought.best(entries(sought.lines(["\n".join(lines)])), limit=2)] == [
        "note 48",
        "note 49",
    ]


def test_an_empty_question_matches_nothing() -> None:
    """A question of stop words only is no pattern that matches everything."""
    assert Sought("what is it?").found("it is what it is") == set()
