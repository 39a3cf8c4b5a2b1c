"""The report, and its four faces."""

from __future__ import annotations

import io
import json
from html.parser import HTMLParser
from typing import Any

import pytest
from rich.console import Console

from ctx_core import (
    ContextBudget,
    ContextBuilder,
    ContextReport,
    Framing,
    HistoryPolicy,
    Item,
    Layer,
    LayerReport,
    Message,
    Share,
    TokenCounter,
    Tokens,
    ToolCall,
    ToolResultPolicy,
)
from ctx_core.counting import CallFraming, MessageFraming
from ctx_core.report.figures import HistoryReport
from ctx_core.report.html import as_html

WORDS = TokenCounter(
    lambda text: len(text.split()),
    framing=Framing(messages=MessageFraming(per_request=3, per_message=1), calls=CallFraming(per_call=0)),
)


@pytest.fixture
def report() -> ContextReport:
    """A request in which every layer has lost something."""
    budget = ContextBudget(100, parts={"system": Tokens(5), "memory": Tokens(12)}, reserve=20, model="acme")
    turns = [
        m for at in range(9) for m in (Message.user(f"question {at} please"), Message.assistant(f"answer number {at}"))
    ]
    return (
        ContextBuilder(budget, TokenCounter(WORDS.tokenizer, framing=WORDS.framing, model="acme"))
        .system("one two three four five six seven")
        .memory([Item("a fact of five words", 1), Item("another fact of five", 2)])
        .tools([{"name": "f"}])
        .build(turns, "and now?")
        .report
    )


def test_every_layer_has_a_row_in_the_order_of_sending(report: ContextReport) -> None:
    """The last is what the request costs beside them."""
    assert [layer.name for layer in report.layers] == ["system", "memory", "tools", "history", "current", "framing"]


def test_the_rows_add_up(report: ContextReport) -> None:
    """To the tokens of the whole input."""
    assert sum(layer.used for layer in report.layers) == report.used
    assert report.used + report.available == report.limit == report.total - report.reserve == 80


def test_a_row_says_asked_budget_used_left_out_and_why(report: ContextReport) -> None:
    """For the memory: fifteen words were asked, those around the items among them, and one item went."""
    assert report.layer("memory") == LayerReport(
        name="memory",
        asked=15,
        budget=12,
        used=10,
        items=1,
        left_out=1,
        why="over its part: the least important left out",
    )


def test_a_layer_over_its_part_is_marked(report: ContextReport) -> None:
    """A protected one may be; a layer without a part never is."""
    assert report.layer("system").over
    assert not report.layer("memory").over
    assert not report.layer("history").over


def test_a_history_that_was_cut_is_not_counted_whole(report: ContextReport) -> None:
    """What it asked for is not known, only how many messages went."""
    row = report.layer("history")
    assert (row.asked, row.left_out, row.why) == (None, report.history.omitted, "oldest left out")
    assert report.history.omitted == 18 + 1 - report.history.messages


def test_a_history_that_fits_is_whole() -> None:
    """It asked for what it used, and nothing is trimmed."""
    report = ContextBuilder(100, WORDS).build([Message.user("a"), Message.assistant("b")], "c").report
    assert report.layer("history").asked == report.layer("history").used == 4
    assert not report.trimmed
    assert not report.history.cut


def test_trimmed_says_whether_anything_went(report: ContextReport) -> None:
    """In any layer."""
    assert report.trimmed


@pytest.mark.parametrize(("used", "percent"), [(0, 0), (1, 1), (40, 50), (80, 100)])
def test_utilization_is_in_whole_percent(used: int, percent: int) -> None:
    """Of the limit, not of the total."""
    report = ContextReport(total=100, reserve=20, used=used, layers=(), history=HistoryReport(), counter="words")
    assert report.utilization == percent


def test_an_unknown_layer_is_a_key_error(report: ContextReport) -> None:
    """As with any mapping."""
    with pytest.raises(KeyError, match="recipes"):
        report.layer("recipes")


def test_results_that_were_cleared_or_shortened_are_counted() -> None:
    """So are repairs."""
    call = ToolCall(name="f", arguments="", id="c1")
    messages = [
        Message.user("go"),
        Message.assistant(tool_calls=(call,)),
        Message.tool("r " * 60, tool_call_id="c1"),
        Message.assistant(tool_calls=(call,)),
        Message.tool("r " * 60, tool_call_id="c1"),
        Message.tool("orphan", tool_call_id="c9"),
    ]
    policy = HistoryPolicy(
        results=ToolResultPolicy(clear_after_steps=0, min_tokens=5, max_tokens=40, placeholder="[gone]")
    )
    report = ContextBuilder(60, WORDS).history(policy).build(messages).report
    assert (report.history.cleared, report.history.shortened, report.history.repairs) == (1, 1, {"orphans": 1})
    assert report.layer("history").why == "1 result cleared, 1 result shortened, 1 repaired"


def test_the_dict_is_json(report: ContextReport) -> None:
    """It has all the figures, and survives a round trip."""
    data = report.to_dict()
    assert json.loads(json.dumps(data)) == data
    assert {key: data[key] for key in ("total", "reserve", "limit", "used", "trimmed", "model")} == {
        "total": 100, "reserve": 20, "limit": 80, "used": report.used, "trimmed": True, "model": "acme",
    }  # fmt: skip
    assert [layer["name"] for layer in data["layers"]] == [layer.name for layer in report.layers]
    assert data["layers"][0]["over"] is True
    assert data["history"]["omitted"] == report.history.omitted


def test_the_text_is_a_table(report: ContextReport) -> None:
    """A line a layer under the heads, and a summary below; columns stand under each other."""
    head, *rows, summary = str(report).split("\n")
    assert head.split() == ["layer", "asked", "budget", "used", "left", "out", "why"]
    assert [row.split()[0] for row in rows] == [layer.name for layer in report.layers]
    end = head.index("used") + len("used")
    assert [row[:end].split()[-1] for row in rows] == [f"{layer.used:,}" for layer in report.layers]
    assert summary.startswith(f"{report.used} of 80 tokens ({report.utilization} %), 20 kept for the answer")


def test_rich_shows_the_same(report: ContextReport) -> None:
    """Each layer and the summary."""
    out = io.StringIO()
    Console(file=out, width=120, color_system=None).print(report)
    shown = out.getvalue()
    assert all(layer.name in shown and f"{layer.used:,}" in shown for layer in report.layers)
    assert "kept for the answer" in shown


class WellFormed(HTMLParser):
    """Checks that every tag is closed, in order, and collects what can be read."""

    def __init__(self, html: str) -> None:
        """Read it."""
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.read: list[str] = []
        self.widths: list[float] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Remember an open tag."""
        self.open.append(tag)
        self.tags.append(tag)
        style = dict(attrs).get("style") or ""
        if "flex:0 0 " in style:
            self.widths.append(float(style.split("flex:0 0 ")[1].split("%")[0]))

    def handle_endtag(self, tag: str) -> None:
        """Close it."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Collect text."""
        self.read.append(data)


def test_a_notebook_shows_the_html(report: ContextReport) -> None:
    """It asks for it by a name of its own."""
    shown: Any = report
    assert shown._repr_html_() == as_html(report)


def test_the_html_is_well_formed(report: ContextReport) -> None:
    """All tags are closed, and every layer has a row."""
    page = WellFormed(as_html(report))
    assert page.open == []
    assert page.tags.count("tr") == 1 + len(report.layers)
    assert all(layer.name in page.read for layer in report.layers)


def test_the_bar_is_the_whole_window(report: ContextReport) -> None:
    """Layers, what is free, and what is kept for the answer, to 100 percent."""
    page = WellFormed(as_html(report))
    assert sum(page.widths) == pytest.approx(100, abs=0.05)
    assert len(page.widths) == sum(layer.used > 0 for layer in report.layers) + (report.available > 0) + 1


def test_the_html_needs_nothing_else(report: ContextReport) -> None:
    """No script, nothing to load: it can be sent anywhere."""
    html = as_html(report)
    assert not {"script", "link", "img", "iframe"} & set(WellFormed(html).tags)
    assert "http" not in html


def test_names_in_the_html_are_escaped() -> None:
    """A layer's name and a counter's are the user's own."""
    name = '<marquee onclick="x">&'
    counter = TokenCounter(WORDS.tokenizer)
    counter.tokenizer.name = name
    built = ContextBuilder(ContextBudget(50, parts={name: Share(1.0)}), counter).layer(Layer(name=name, text="t"))
    html = as_html(built.build(message="hi").report)
    counter.tokenizer.name = "words"
    page = WellFormed(html)
    assert "marquee" not in page.tags
    assert name in page.read


def test_the_html_of_a_full_window_is_well_formed() -> None:
    """Without a reserve and with nothing free."""
    report = ContextBuilder(5, WORDS).build(message="a").report
    assert report.available == 0
    assert sum(WellFormed(as_html(report)).widths) == pytest.approx(100, abs=0.05)
