# ruff: noqa: T201 - scripts are no package, and print
"""Whether the memory finds the evidence: recall of the turns that answer a question, within a budget of tokens.

    python benchmarks/memory.py --turns turns.jsonl.gz --questions questions.jsonl.gz [--json OUT] [--dense]

Turns are JSON lines with `conv`, `id`, `speaker`, `text` and where known `date` and `image_caption`, in order;
questions have `conv`, `question`, `category` and `evidence`, the ids of the turns that answer it. Recall is the
mean share of a question's evidence among the selected turns. A turn costs the tokens (o200k_base) of the line it
becomes in the layer, with its date and speaker; turns are taken best first until one doesn't fit, as a layer does.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

ROOT: Final = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "core"), str(ROOT / "benchmarks")]

from ctx_core import TokenCounter  # noqa: E402 - found by the line above, installed or not
from ctx_core.memory import Bm25, Boosted, Dense, Fused, MemoryItem, Weighted, recall, recency  # noqa: E402
from ctx_core.memory.words import plain_words  # noqa: E402

if TYPE_CHECKING:
    from ctx_core.memory.ranker import Ranker

BUDGETS: Final = (1_000, 2_000, 4_000, 8_000)
_DATE: Final = re.compile(r"(\d+):(\d+) (am|pm) on (\d+) (\w+),? (\d+)")
Select: TypeAlias = Callable[["Conversation", str, int | None], Iterable[MemoryItem]]
"""Gives the turns of a conversation for a question, best first; for a budget, if it wants to know it."""


@dataclass(slots=True)
class Conversation:
    """One conversation, with its questions."""

    items: list[MemoryItem] = field(default_factory=list[MemoryItem])
    ids: dict[int, str] = field(default_factory=dict[int, str])  # by identity: two turns may say the same
    costs: dict[int, int] = field(default_factory=dict[int, int])
    questions: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])


@dataclass(frozen=True, slots=True)
class Selector:
    """A way to select turns."""

    name: str
    select: Select
    by_budget: bool = False
    """Whether it selects anew for every budget, and by itself keeps within it."""


def main() -> None:
    """Measure every selector, print the tables, and write the figures."""
    arguments = _arguments()
    counter = TokenCounter.for_model("gpt-4o")
    conversations = _read(arguments.turns, arguments.questions, counter)
    turns = sum(len(known.items) for known in conversations)
    asked = sum(len(known.questions) for known in conversations)
    print(f"{len(conversations)} conversations, {turns:,} turns, {asked:,} questions with evidence")
    print(f"index: {_index_time(conversations) * 1e6:.0f} µs a turn")
    rows: list[dict[str, Any]] = []
    for selector in _selectors(arguments):
        measured = _measure(selector, conversations)
        rows += measured
        _print(selector.name, measured)
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=Path, required=True)
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--json", type=Path, help="where to write the figures")
    parser.add_argument("--dense", action="store_true", help="also with embeddings (see benchmarks/minilm.py)")
    parser.add_argument("--vectors", type=Path, help="file (.npz) to keep the embeddings in")
    return parser.parse_args()


def _read(turns: Path, questions: Path, counter: TokenCounter) -> list[Conversation]:
    conversations: dict[str, Conversation] = defaultdict(Conversation)
    for turn in _lines(turns):
        known = conversations[turn["conv"]]
        caption = turn.get("image_caption")
        text = f"{turn['text']} [image: {caption}]" if caption else str(turn["text"])
        speaker = str(turn.get("speaker") or turn.get("role") or "")
        important = 1.0 if speaker.lower() == "user" else 0.0
        spoken = f"{speaker}: {text}" if speaker else text
        item = MemoryItem(spoken, time=_time(turn.get("date")), importance=important)
        known.items.append(item)
        known.ids[id(item)] = turn["id"]
        known.costs[id(item)] = counter.count_text(item.rendered() + "\n")
    for question in _lines(questions):
        if question["evidence"] and question["conv"] in conversations:
            conversations[question["conv"]].questions.append(question)
    return list(conversations.values())


def _lines(path: Path) -> Iterable[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def _time(date: object) -> datetime | None:
    if not isinstance(date, str):
        return None
    if _DATE.match(date):
        return datetime.strptime(date.replace(",", ""), "%I:%M %p on %d %B %Y").replace(tzinfo=UTC)
    with suppress(ValueError):
        return datetime.fromisoformat(date)
    return None


def _selectors(arguments: argparse.Namespace) -> list[Selector]:
    words = Bm25()
    plain = Bm25(neighbors=(), episode=0, analyzer=plain_words)
    ours = Boosted(words)
    selectors = [
        Selector("last turns", lambda known, _question, _budget: reversed(known.items)),
        _ranked("BM25, plain", plain),
        _ranked("half recency, half words", Weighted({recency: 0.5, words: 0.5})),
        _ranked("ctx-layers", ours),
    ]
    if find_spec("llama_index"):
        selectors.insert(1, Selector("LlamaIndex Memory", _llama_index_memory, by_budget=True))
    if arguments.dense:
        from minilm import MiniLM

        model = MiniLM(arguments.vectors)
        dense = Dense(model)
        selectors.append(_ranked("MiniLM", dense))
        if find_spec("llama_index"):
            from llama_vector_block import VectorBlock

            selectors.append(Selector("LlamaIndex VectorMemoryBlock", VectorBlock(model).select))
        selectors.append(_ranked("ctx-layers, fused with MiniLM", Fused(ours, dense)))
    return selectors


def _ranked(name: str, ranker: Ranker) -> Selector:
    return Selector(name, lambda known, question, _budget: recall(question, known.items, ranker=ranker, max_items=None))


_REMEMBERED: dict[tuple[int, int], list[MemoryItem]] = {}


def _llama_index_memory(known: Conversation, question: str, budget: int | None) -> list[MemoryItem]:
    """Give what `Memory` keeps: its default has no blocks, and so the newest messages; the question changes nothing."""
    del question
    from llama_index.core.base.llms.types import ChatMessage
    from llama_index.core.memory import Memory

    key = (id(known), budget or 0)
    if key not in _REMEMBERED:
        memory = Memory.from_defaults(
            token_limit=budget or 0,
            chat_history_token_ratio=1.0,
            token_flush_size=max(1, (budget or 0) // 10),
            tokenizer_fn=lambda text: [0] * _counted(text),
        )
        messages = [
            ChatMessage(role="user", content=item.rendered(), additional_kwargs={"at": at})
            for at, item in enumerate(known.items)
        ]
        memory.put_messages(messages)
        kept = [message.additional_kwargs["at"] for message in memory.get()]
        _REMEMBERED[key] = [known.items[at] for at in reversed(kept)]
    return _REMEMBERED[key]


def _counted(text: str) -> int:
    return TokenCounter.for_model("gpt-4o").count_text(text)


def _index_time(conversations: Sequence[Conversation]) -> float:
    """Give seconds to add a turn to an index that holds all turns before it."""
    turns = [item for known in conversations for item in known.items]
    ranker = Bm25()
    ranker("", turns[:-100])
    start = time.perf_counter()
    ranker("", turns)
    return (time.perf_counter() - start) / 100


def _measure(selector: Selector, conversations: Sequence[Conversation]) -> list[dict[str, Any]]:
    found: dict[tuple[str, int], list[float]] = defaultdict(list)
    seconds = 0.0
    calls = 0
    for known in conversations:
        if known.questions:  # indexing and embedding are no part of a query's time
            list(selector.select(known, "begin", BUDGETS[0]))
        for question in known.questions:
            chosen: list[MemoryItem] = []
            for budget in BUDGETS:
                if selector.by_budget or budget == BUDGETS[0]:
                    start = time.perf_counter()
                    chosen = list(selector.select(known, question["question"], budget))
                    seconds += time.perf_counter() - start
                    calls += 1
                share = _share(known, question["evidence"], chosen, budget)
                for category in ("all", str(question.get("category", "none"))):
                    found[category, budget].append(share)
    return [
        {
            "selector": selector.name,
            "category": category,
            "budget": budget,
            "recall": round(sum(shares) / len(shares), 4),
            "ms": round(1000 * seconds / max(1, calls), 3),
        }
        for (category, budget), shares in sorted(found.items())
    ]


def _share(known: Conversation, evidence: Sequence[str], chosen: Sequence[MemoryItem], budget: int) -> float:
    wanted = set(evidence)
    hits = 0
    for item in chosen:
        budget -= known.costs[id(item)]
        if budget < 0:
            break
        hits += known.ids[id(item)] in wanted
    return hits / len(wanted)


def _print(name: str, rows: Sequence[dict[str, Any]]) -> None:
    print(f"\n{name} ({rows[0]['ms']} ms a query)")
    by_category: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        by_category[row["category"]].append(row["recall"])
    for category, recalls in by_category.items():
        print(f"  {category:<16}" + "".join(f"{value:>8.3f}" for value in recalls))


if __name__ == "__main__":
    main()
