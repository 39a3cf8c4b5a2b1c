"""The model that the config of a request chooses, and the options that follow from it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from copy import deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Self, TypeAlias

from langchain_core.runnables import Runnable, RunnableParallel, RunnableSequence, RunnableWithFallbacks
from langchain_core.runnables.base import RunnableBindingBase
from langchain_core.runnables.configurable import DynamicRunnable

from ctx_core.locks import Lock
from langchain_ctx.bound_model import bound_model, is_made_by_config, is_of
from langchain_ctx.options import MODEL_OPTIONS, model_options, read_options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from langchain_core.language_models import LanguageModelLike
    from langchain_core.runnables import RunnableConfig

    from ctx_core.session import Declared, SessionOptions

_MOST: Final = 32
"""Choices of configs, and models chosen by them, of which is kept what follows."""
_INTERNAL: Final = "__"
"""What names of LangGraph's own entries of a config begin with."""
_ANY: Final = ("", True)

_Chosen: TypeAlias = "tuple[SessionOptions, Declared | None]"
"""Options, and what declares a request by them; None for those of all requests."""


class ConfiguredOptions:
    """The options of a surface for the model that each config chooses; bounded, and shareable between threads.

    Where it is pickled the model stays behind, as it may hold connections: the default's options are left then.
    """

    def __init__(
        self,
        caller: str,
        keywords: Mapping[str, Any],
        *,
        refused: Mapping[str, str] | None = None,
        also: Iterable[str] = (),
        change: Callable[[SessionOptions], SessionOptions] | None = None,
    ) -> None:
        """Read the options, as `read_options` does, and keep the model if configs choose it.

        Args:
            caller: name of the function that was called.
            keywords: what it was called with; None stands for the default.
            refused: options that make no sense there, with what to do instead.
            also: names of its other arguments.
            change: what the surface makes of the options; None: it takes them as they are.

        Raises:
            OptionError: for a name that the surface does not take.
            BudgetError: if there is neither a budget nor a model, or something given cannot work.
            UnknownModelError: if the budget is to come from a model whose window nothing knows.
        """
        read = read_options(caller, keywords, refused=refused, also=also)
        self._caller, self._change, self._read = caller, change, read
        self._given = {name: keywords[name] for name in MODEL_OPTIONS if keywords.get(name) is not None}
        model: LanguageModelLike | None = keywords.get("model")
        self._model = model if model is not None and any(_choices(model)) else None
        self.default = read if change is None else change(read)
        """Those of a config that chooses nothing."""
        self._by_choice: OrderedDict[Hashable, _Chosen] = OrderedDict()
        self._made: list[tuple[SessionOptions, _Chosen]] = [(read, (self.default, None))]
        self._lock = Lock()

    def __getstate__(self) -> dict[str, Any]:
        """Give what is pickled: nothing of a model, nor what may hold one."""
        return {**self.__dict__, "_model": None, "_given": {}, "_by_choice": OrderedDict(), "_made": self._made[:1]}

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Give a copy that has the same model."""
        other = object.__new__(type(self))
        other.__dict__.update(deepcopy(self.__getstate__(), memo), _model=self._model, _given=self._given)
        return other

    def of(self, config: RunnableConfig | None) -> SessionOptions:
        """Give the options of a request with this config: of one model always the same object.

        Raises:
            BudgetError: if no model can be made with the config, or what is made of it cannot work.
            UnknownModelError: if the budget is to come from a model whose window nothing knows.
        """
        return self._chosen(config)[0]

    def declared(self, config: RunnableConfig | None) -> Declared | None:
        """Give what declares a request with this config; None where it is as without one. Errors as for `of`."""
        return self._chosen(config)[1]

    def _chosen(self, config: RunnableConfig | None) -> _Chosen:
        key = () if self._model is None else choice(self._model, config)
        if self._model is None or not key:
            return self.default, None
        with self._lock:
            known = self._by_choice.get(key)
            if known is not None:
                self._by_choice.move_to_end(key)
                return known
        bound = bound_model(self._model, config)
        read = replace(self._read, **model_options(self._caller, self._given, bound))
        with self._lock:
            known = next((made for like, made in self._made if like == read), None)
            if known is None:
                options = read if self._change is None else self._change(read)
                known = (options, options.declared())
                self._made.append((read, known))
                if len(self._made) > _MOST:
                    del self._made[1]
            self._by_choice[key] = known
            if len(self._by_choice) > _MOST:
                self._by_choice.popitem(last=False)
            return known


def choice(model: object, config: RunnableConfig | None) -> tuple[Hashable, ...]:
    """Give what a config says that chooses a model or its parameters; empty where it says nothing of them."""
    choices = list(_choices(model))
    told: Mapping[str, Any] = (config or {}).get("configurable") or {} if choices else {}
    said = (name for name in told if not name.startswith(_INTERNAL))
    names = (name for name in said if any(name.startswith(one) if begins else name == one for one, begins in choices))
    return tuple((name, _hashable(told[name])) for name in sorted(names))


def _choices(runnable: Any) -> Iterator[tuple[str, bool]]:  # noqa: ANN401 - any runnable, or none
    """Give the names in a config that a model depends on, and whether it does on all that begin so."""
    if is_of(runnable, RunnableBindingBase):
        yield from _choices(runnable.bound)
    elif is_of(runnable, RunnableWithFallbacks):
        for part in runnable.runnables:
            yield from _choices(part)
    elif is_of(runnable, RunnableSequence):
        for step in runnable.steps:
            yield from _choices(step)
    elif is_of(runnable, RunnableParallel):
        for branch in runnable.steps__.values():
            yield from _choices(branch)
    elif is_of(runnable, DynamicRunnable):
        yield from ((spec.id, False) for spec in runnable.config_specs)
        yield from _choices(runnable.default)
        for other in getattr(runnable, "alternatives", {}).values():
            # One that is made when it is chosen may depend on anything.
            yield from _choices(other) if is_of(other, Runnable) else (_ANY,)
    elif is_made_by_config(runnable):
        prefix, fields = runnable._config_prefix, runnable._configurable_fields  # noqa: SLF001 - no public name tells
        yield from ((prefix, True),) if fields == "any" else ((f"{prefix}{name}", False) for name in fields)


def _hashable(value: object) -> Hashable:
    return value if isinstance(value, Hashable) else repr(value)
