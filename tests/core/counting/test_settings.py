"""What a model object says of its window and of its answers, and what is kept where it says nothing."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from ctx_core import BudgetError, ContextBudget, UnknownModelError
from ctx_core.counting import AskedModel, model_name, window_of


def model(**said: Any) -> SimpleNamespace:
    """Make an object that says these things of itself."""
    return SimpleNamespace(**said)


class Ollama:
    """A client of Ollama, by its name."""

    def __init__(self, name: str, **said: Any) -> None:
        """Take the model's name and what is set."""
        self.model = name
        vars(self).update(said)


class Failing:
    """An LLM that asks a server for its metadata, in vain."""

    model = "gpt-4o"

    @property
    def metadata(self) -> object:
        """Fail."""
        raise ConnectionError


@pytest.mark.parametrize(
    ("said", "window"),
    [
        (model(model="gpt-4o", num_ctx=9_000), 9_000),
        (model(model="gpt-4o", n_ctx=9_000), 9_000),
        (model(model="acme", model_kwargs={"max_model_len": 9_000}), 9_000),
        (model(model="acme", additional_kwargs={"num_ctx": 9_000}), 9_000),
        (model(model="acme", extra_body={"options": {"num_ctx": 9_000}}), 9_000),
        (model(model="gpt-4o", num_ctx=9_000, profile={"max_input_tokens": 70_000}), 9_000),
        (model(model="gpt-4o", num_ctx=None, profile={"max_input_tokens": 70_000}), 70_000),
        (model(model="gpt-4o", context_window=-1), 128_000),
        (AskedModel(model=model(model="acme"), sent={"options": {"num_ctx": 9_000}}), 9_000),
        (model(model="acme", num_ctx="9000"), 9_000),
        (AskedModel(model=Ollama("llama3.1"), sent={"options": {"num_ctx": " 9_000 "}}), 9_000),
        (model(model="gpt-4o", num_ctx="as many as fit"), 128_000),
        (model(model="gpt-4o", num_ctx=""), 128_000),
        (model(model="gpt-4o", num_ctx=float("inf")), 128_000),
        (model(model="gpt-4o", num_ctx=0.5), 128_000),
        (Ollama("llama3.1"), 4_096),
        (Ollama("llama3.1", num_ctx=32_768), 32_768),
        (Ollama("llama3.1", num_ctx=None, profile={"max_input_tokens": 131_072}), 4_096),
        (Ollama("gpt-oss:120b-cloud"), 131_072),
        # What is sent has options of its own: those of the object are not sent.
        (AskedModel(model=Ollama("llama3.1", num_ctx=32_768), sent={"options": {"temperature": 0}}), 4_096),
        (model(model="llama3.1", base_url="http://127.0.0.1:11434/v1"), 4_096),
        (Failing(), 128_000),
    ],
)
def test_the_deployment_is_asked_before_the_profile_and_the_table(said: object, window: int) -> None:
    """And Ollama's default where it was told nothing."""
    assert window_of(said).tokens == window


@pytest.mark.parametrize(
    ("said", "reserve"),
    [
        (model(model="gpt-4o", max_tokens=10), 10),
        (model(model="gpt-4o", max_completion_tokens=10), 10),
        (model(model="gpt-4o", max_output_tokens=10), 10),
        (model(model="gpt-4o", num_predict=10), 10),
        (model(model="gpt-4o", max_tokens=10, max_completion_tokens=30), 30),
        (model(model="gpt-4o", model_kwargs={"max_completion_tokens": 30}), 30),
        (model(model="gpt-4o", num_predict=-1), 4_096),
        (model(model="gpt-4o", max_tokens=True), 4_096),
        (model(model="gpt-4o", max_tokens="10"), 10),
        (model(model="gpt-4o", max_tokens=10.0), 10),
        (model(model="gpt-4o", num_predict="-1"), 4_096),
        (AskedModel(model=model(model="gpt-4o", max_tokens=64_000), sent={"max_tokens": 50}), 50),
        (AskedModel(model=model(model="gpt-4o", max_tokens=50), sent={"max_completion_tokens": 9}), 50),
        (AskedModel(model=model(model="gpt-4o"), sent={"generation_config": {"max_output_tokens": 9}}), 9),
        (model(model="gpt-4o", metadata=model(num_output=700)), 700),
        (model(model="gpt-4o", metadata=model(num_output=256)), 4_096),  # LlamaIndex' own default
        (model(model="gpt-4o", metadata=model(num_output=128_000)), 4_096),
        (model(model="gpt-4o", max_tokens=900, metadata=model(num_output=700)), 900),
        (model(model="claude-sonnet-4-5", max_tokens=20_000, thinking={"budget_tokens": 10_000}), 20_000),
        (model(model="claude-sonnet-4-5", max_tokens=512, thinking_dict={"budget_tokens": 10_000}), 10_512),
        (
            model(model="claude-sonnet-4-5", additional_model_request_fields={"thinking": {"budget_tokens": 10_000}}),
            14_096,
        ),
        (AskedModel(model=model(model="gpt-4o"), sent={"thinking_budget": 1_000}), 5_096),
    ],
)
def test_what_is_asked_for_is_kept_free(said: object, reserve: int) -> None:
    """From where the model is bound, from the object and from what it holds; thoughts are a part of the answer."""
    assert ContextBudget.for_model(said).reserve == reserve


@pytest.mark.parametrize(
    ("said", "reserve", "limit"),
    [
        ("gpt-3.5-turbo-0613", 1_024, 3_072),
        ("gpt-4", 2_048, 6_144),
        ("gpt-3.5-turbo", 4_096, 12_289),
        ("gpt-4o", 4_096, 123_904),
        ("gemini-1.0-pro", 2_048, 30_720),  # its longest answer, beside the window
        ("gemini-2.5-pro", 4_096, 1_048_576),
        (model(num_ctx=512), 128, 384),
        (model(num_ctx=2), 1, 1),
        (model(model="gpt-5", profile={"max_input_tokens": 100_000}, max_tokens=50_000), 50_000, 100_000),
    ],
)
def test_the_rule_of_the_reserve(said: object, reserve: int, limit: int) -> None:
    """4,096, but no more than the longest answer or a quarter of a window of both."""
    budget = ContextBudget.for_model(said)
    assert (budget.reserve, budget.input_limit) == (reserve, limit)


@pytest.mark.parametrize("answer", [8_192, 9_000])
def test_an_answer_that_leaves_nothing_is_refused(answer: int) -> None:
    """No input would be accepted: the error names what to lower, and a reserve of one's own still works."""
    said = model(model="gpt-4", max_tokens=answer)
    with pytest.raises(BudgetError, match=rf"gpt-4 is asked for answers of {answer:,} tokens.*window of 8,192: lower"):
        ContextBudget.for_model(said)
    assert ContextBudget.for_model(said, reserve=1_000).input_limit == 7_192


def test_of_several_models_the_least_room_decides() -> None:
    """Wherever in the fallbacks it stands; what it is called is what counts."""
    small = AskedModel(model=model(model="gpt-4", max_tokens=1_000))
    large = AskedModel(model=model(model="claude-sonnet-4-5", max_tokens=150_000), others=(small,))
    budget = ContextBudget.for_model(AskedModel(model="gpt-4o", others=(large,)))
    assert (budget.total, budget.reserve, budget.model) == (8_192, 1_000, "gpt-4")
    assert ContextBudget.for_model(AskedModel(model="gpt-4o", others=(large,)), reserve=10).input_limit == 8_182


def test_a_window_of_input_alone_may_still_leave_the_least() -> None:
    """Rooms are compared by what is left for the input, not by windows."""
    asks_much = AskedModel(model=model(model="gpt-4.1", max_tokens=900_000))
    assert ContextBudget.for_model(AskedModel(model="gpt-5", others=(asks_much,))).input_limit == 147_576


def test_a_fallback_whose_window_nothing_knows_is_an_error() -> None:
    """A budget that holds for one of them only is none."""
    with pytest.raises(UnknownModelError, match="'acme'"):
        ContextBudget.for_model(AskedModel(model="gpt-4o", others=(AskedModel(model="acme"),)))


@pytest.mark.parametrize(
    ("said", "name"),
    [
        (model(model_id="arn:aws:bedrock:eu:1:custom/x", base_model_id="anthropic.claude-opus-4"),
         "anthropic.claude-opus-4"),
        (model(model_name=None, deployment_name="gpt-4o-mine"), "gpt-4o-mine"),
        (model(model_name="gpt-4o", deployment_name="mine"), "gpt-4o"),
        (model(metadata=model(model_name="gpt-4o")), "gpt-4o"),
        (AskedModel(model="gpt-4o"), "gpt-4o"),
        (Failing(), "gpt-4o"),
    ],
)  # fmt: skip
def test_a_deployment_is_called_by_its_model(said: object, name: str) -> None:
    """Else by its own name."""
    assert model_name(said) == name


def test_a_reserve_that_is_none_is_refused_as_it_was() -> None:
    """The words are those of the constructor."""
    with pytest.raises(BudgetError, match=r"part 'reserve' must be Share\(…\) or Tokens\(…\), found str"):
        ContextBudget.for_model("gpt-4o", reserve="10")  # type: ignore[arg-type]  # the point
