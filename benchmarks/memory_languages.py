# ruff: noqa: T201 - scripts are no package, and print
"""The memory's check on other data than it was chosen on: real chats, in many languages.

    python benchmarks/memory_languages.py CHATS.jsonl.gz …

Lines have `messages`, OpenAI-style. All chats of a file become one long history, hours apart. From each, one message
of the user is taken out; it is the query, and the answer that followed it is what must be found. Printed is the
share that is found within 500, 1,000, 2,000 and 4,000 tokens.
"""

from __future__ import annotations

import gzip
import json
import random
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "core"))

from ctx_core import TokenCounter
from ctx_core.memory import Bm25, MemoryItem, recall, recency, relevance
from ctx_core.memory.words import plain_words

BUDGETS: Final = (500, 1_000, 2_000, 4_000)
_LONGEST: Final = 3_000
RANKERS: Final = {
    "recency": recency,
    "BM25, plain": Bm25(neighbors=(), episode=0, analyzer=plain_words),
    "BM25, stems": Bm25(neighbors=(), episode=0),
    "with neighbors": Bm25(episode=0),
    "with neighbors and episodes": Bm25(),
    "ctx-layers": relevance(),  # its bonus for the user's words costs here: the evidence is always an answer
}


def main() -> None:
    """Measure every file."""
    counter = TokenCounter.for_model("gpt-4o")
    for path in map(Path, sys.argv[1:]):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            chats = [json.loads(line)["messages"] for line in file]
        items, queries = _history([_spoken(chat) for chat in chats])
        print(f"\n{path.name}: {len(items):,} messages, {len(queries)} questions")
        if not queries:
            continue
        costs = {id(item): counter.count_text(item.rendered() + "\n") for item in items}
        for name, ranker in RANKERS.items():
            found = dict.fromkeys(BUDGETS, 0)
            for question, answer in queries:
                spent = 0
                for item in recall(question, items, ranker=ranker, max_items=None):
                    spent += costs[id(item)]
                    if item is items[answer] or spent > BUDGETS[-1]:
                        break
                for budget in BUDGETS:
                    found[budget] += spent <= budget
            print(f"  {name:<30}" + "".join(f"{hits / len(queries):>7.3f}" for hits in found.values()))


def _spoken(chat: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [message for message in chat if message["role"] in ("user", "assistant") and message["content"]]


def _history(chats: list[list[dict[str, Any]]]) -> tuple[list[MemoryItem], list[tuple[str, int]]]:
    chance = random.Random(1)  # noqa: S311 - the same questions on every run
    items: list[MemoryItem] = []
    queries: list[tuple[str, int]] = []
    time = datetime(2024, 1, 1, tzinfo=UTC)
    for chat in chats:
        time += timedelta(hours=chance.choice([6, 30, 100]))
        asked = [at for at, message in enumerate(chat[:-1]) if message["role"] == "user"]
        held_out = chance.choice(asked) if len(chat) > 2 and asked else None  # noqa: PLR2004 - question, answer, more
        for at, message in enumerate(chat):
            text = str(message["content"])[:_LONGEST]
            if at == held_out:
                queries.append((text, len(items)))
            else:
                importance = float(message["role"] == "user")
                items.append(MemoryItem(f"{message['role']}: {text}", time=time, importance=importance))
    return items, queries


if __name__ == "__main__":
    main()
