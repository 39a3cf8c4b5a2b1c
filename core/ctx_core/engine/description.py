"""What a context is made of, said step by step; every step gives a new description and leaves the old one as it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from ctx_core.clean import told
from ctx_core.counting.counter import CounterLike, ToolDefinition, as_counter
from ctx_core.engine.layers import Item, Layer, as_items
from ctx_core.engine.plan import Plan
from ctx_core.engine.summary import RollingSummary
from ctx_core.errors import BudgetError
from ctx_core.providers.asked import as_provider
from ctx_core.sizes import is_count

if TYPE_CHECKING:
    from ctx_core.budget import ContextBudget
    from ctx_core.counting.calibration import Calibration
    from ctx_core.counting.options import RequestOptions
    from ctx_core.history.policy import HistoryPolicy
    from ctx_core.providers.asked import ProviderLike
    from ctx_core.sizes import Size


@dataclass(frozen=True, slots=True, init=False)
class Description:
    """The chained calls of a `ContextBuilder`."""

    plan: Plan
    """What it has been told so far."""

    def layer(self, layer: Layer) -> Self:
        """Add a layer behind those that are there; one of the same name is replaced in its place.

        Raises:
            BudgetError: for the names of what is not a layer of text.
        """
        if layer.name in ("history", "current", "tools", "framing"):
            msg = f"{layer.name!r} is not a layer of text; use .history(…), .tools(…) or build(message=…)"
            raise BudgetError(msg)
        layers = self.plan.layers
        if any(known.name == layer.name for known in layers):
            layers = tuple(layer if known.name == layer.name else known for known in layers)
        else:
            layers = (*layers, layer)
        return self._with(replace(self.plan, layers=layers))

    def system(self, text: str, *, protected: bool = True) -> Self:
        """Set the system prompt; if it is not protected it is cut to its part of the budget."""
        return self.layer(Layer(name="system", text=text, protected=protected))

    def memory(
        self,
        items: Iterable[str | Item],
        *,
        heading: str = "Relevant memories:",
        max_items: int | None = None,
        cap: Size | None = None,
    ) -> Self:
        """Set what is remembered, most important first to stay.

        Args:
            items: texts, or items with an importance.
            heading: stands above them.
            max_items: at most so many, the most important.
            cap: the most it may cost, where the budget has no part `memory`.
        """
        listed = as_items(items)
        if max_items is not None:
            best = sorted(range(len(listed)), key=lambda at: (-listed[at].importance, at))[:max_items]
            listed = tuple(listed[at] for at in sorted(best))
        return self.layer(Layer(name="memory", items=listed, heading=heading, data=True, cap=cap, stable=False))

    def skills(self, skills: Mapping[str, str], *, heading: str = "Available skills:", cap: Size | None = None) -> Self:
        """Set the skills, each by its name and what it is for."""
        items = as_items(f"- {name}: {description}" for name, description in skills.items())
        return self.layer(Layer(name="skills", items=items, heading=heading, data=True, cap=cap))

    def summary(
        self, text: str, *, heading: str = "Summary of the conversation so far:", cap: Size | None = None
    ) -> Self:
        """Set the summary of what is no longer in the history."""
        return self.layer(Layer(name="summary", text=text, heading=heading, data=True, cap=cap))

    def rolling_summary(self, summary: RollingSummary | None = None) -> Self:
        """Give what is left out of the history a summary, with a layer and a cap of its own.

        What stands in it is kept in the state: `Summarizing` has a model write it, or `WindowState.with_summary`
        takes one that was made elsewhere.
        """
        return self._with(replace(self.plan, rolling=summary or RollingSummary()))

    def tools(self, definitions: Iterable[ToolDefinition]) -> Self:
        """Set the tool definitions that go with the request, OpenAI-style; they are counted, never cut.

        Raises:
            BudgetError: for what is no list.
        """
        given: object = definitions
        found = type(given).__name__
        if isinstance(given, Mapping | str) or not isinstance(given, Iterable):
            msg = f"tools must be a list of tool definitions, found {found}: put it into a list"
            raise BudgetError(msg)
        return self._with(replace(self.plan, definitions=tuple(definitions)))

    def without_tools(self) -> Self:
        """Say that the request has no tools: some providers take no calls then, and those of the history become texts.

        Where nothing is said, and no definitions are given, the request may have tools that are counted elsewhere.
        """
        return self._with(replace(self.plan, definitions=(), without_tools=True))

    def options(self, options: RequestOptions | None) -> Self:
        """Set what else the request asks for: a tool that must be called, the schema of the answer, thinking."""
        return self._with(replace(self.plan, options=options))

    def provider(self, provider: ProviderLike) -> Self:
        """Set the provider that the request goes to: it is changed so that this one takes it.

        Args:
            provider: the name of a row of `ctx_core.providers`, a row, or a target with its model and client. None:
                what the model of the counter or the format of the messages tells, else `unknown`, which meets the rules
                of all. False: nothing is changed, and what is refused is refused.

        Raises:
            OptionError: for a name that no row has.
        """
        return self._with(replace(self.plan, provider=as_provider(provider)))

    def marked_beside(self, marks: tuple[str, ...]) -> Self:
        """Say which marks of where a cache ends stand beside the messages, by how long each lives, as `5m`.

        Providers take so many in a request, and those of an hour before the others.
        """
        return self._with(replace(self.plan, marks_beside=marks))

    def part_of_request(self, *, question_follows: bool = False, results_follow: bool = False) -> Self:
        """Say that the messages are not all of the request: somebody else adds the question, or what follows.

        Args:
            question_follows: whether the last message is that question, which is sent as it is.
            results_follow: whether results of the last calls may follow: those that have none stay open.
        """
        plan = replace(self.plan, whole=False, question_follows=question_follows, results_follow=results_follow)
        return self._with(plan)

    def label(self, label: str) -> Self:
        """Set what requests are logged as, such as the phase of a workflow."""
        return self._with(replace(self.plan, label=label))

    def history(self, policy: HistoryPolicy) -> Self:
        """Set how the history is cut."""
        return self._with(replace(self.plan, policy=policy))

    def calibration(self, calibration: Calibration | None) -> Self:
        """Set what learns from the model's bills; where they are above what is counted, as much is kept free.

        None: nothing learns. When the answer has come it is taught:
        `calibration.observe(model, context.count, billed=…)`.
        """
        return self._with(replace(self.plan, counter=replace(self.plan.counter, calibration=calibration)))

    def reserve(self, tokens: int) -> Self:
        """Keep so many tokens free beside the budget's own reserve: for what will be sent and is not known yet.

        Raises:
            BudgetError: if nothing would be left, or it is no number of tokens.
        """
        return self._with(replace(self.plan, reserve=self._part_of_input("reserve", tokens)))

    def taken(self, tokens: int) -> Self:
        """Count so many tokens as a part of the request that somebody else sends along, such as a framework's prompt.

        Raises:
            BudgetError: if it is no number of tokens.
        """
        if not is_count(tokens):
            msg = f"taken must be a whole number of tokens from 0 up, found {told(tokens)}"
            raise BudgetError(msg)
        return self._with(replace(self.plan, taken=tokens))

    def trimming(self, *, on: bool) -> Self:
        """Switch all cutting on or off. Off, everything is counted and reported, and goes out whole, fit or not."""
        return self._with(replace(self.plan, trims=on))

    def within(self, budget: ContextBudget | int | None, counter: CounterLike | None = None) -> Self:
        """Give the same context under another budget, or counted by something else.

        Args:
            budget: a budget, or tokens of input that leave the budget its parts and its reserve; None: the same.
            counter: as for the constructor; None: the same, or that of another budget's model.
        """
        plan = self.plan
        given = plan.budget.resized(budget) if isinstance(budget, int) else budget or plan.budget
        named = counter if counter is not None else (given.model if given.model != plan.budget.model else None)
        counts = plan.counter if named is None else as_counter(named)
        return self._with(replace(plan, budget=given, counter=counts))

    def place_volatile_last(self, *, last: bool = True) -> Self:
        """Send layers that are not stable behind the history, in a user message before the current one.

        The beginning of the prompt then stays the same from turn to turn, and the provider's cache warm.
        """
        return self._with(replace(self.plan, volatile_last=last))

    def count_original(self, *, count: bool = True) -> Self:
        """Have the report say what everything there is would cost, which reads the whole history on every turn."""
        return self._with(replace(self.plan, count_original=count))

    def flexible_parts(self, *, flexible: bool = True) -> Self:
        """Let the budget's parts count only where a request is over its budget: nothing is cut while there is room.

        Then layers that yield go first, then the history down to its part, then layers that are over theirs down to
        them; where that is not enough, the rest of the history but for the question and the newest step, then layers.
        """
        return self._with(replace(self.plan, flexible_parts=flexible))

    def open_parts(self, *, allowed: bool = True) -> Self:
        """Let the budget name parts of layers that are not there in every request: what a source has nothing for."""
        return self._with(replace(self.plan, open_parts=allowed))

    def _with(self, plan: Plan) -> Self:
        new = object.__new__(type(self))
        object.__setattr__(new, "plan", plan)
        return new

    def _part_of_input(self, name: str, tokens: int) -> int:
        limit = self.plan.budget.input_limit
        if not is_count(tokens) or tokens >= limit:
            msg = f"{name} must be a whole number from 0 to below the {limit:,} tokens of input, found {told(tokens)}"
            raise BudgetError(msg)
        return tokens
