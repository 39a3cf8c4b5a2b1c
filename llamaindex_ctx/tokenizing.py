"""Our counts where LlamaIndex takes a tokenizer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx_core.counting.counter import CounterLike, as_counter

if TYPE_CHECKING:
    from collections.abc import Callable


def tokenizer_fn(counter: CounterLike | None = None) -> Callable[[str], list[int]]:
    """Give a function from a text to a list that is as long as the text has tokens.

    For `tokenizer_fn` of memories, `Settings.tokenizer` and `TokenCountingHandler(tokenizer=…)`, which look at the
    length only: what is in the list means nothing. LlamaIndex prices frames, tools and media itself; a
    `ContextMemoryBuffer(counter=…, tools=…)` has ours for them too.

    Args:
        counter: a counter, a tokenizer, a function from text to number of tokens, or a model's name; by default a
            safe estimate.

    Raises:
        BudgetError: for something that doesn't count.
    """
    counts = as_counter(counter)
    return lambda text: list(range(counts.count_text(text)))
