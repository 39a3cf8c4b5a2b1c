"""The table of model objects in the documentation: what each client's object gets, as this package reads it.

`python -m tests.models.table` prints it.
"""

from __future__ import annotations

import os
import sys
import warnings
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from pydantic import create_model

from ctx_core import ContextBudget
from ctx_core.counting.windows import least_room

_KEY: Final = "no-key"
ENVIRONMENT: Final = {
    "OPENAI_API_KEY": _KEY, "AZURE_OPENAI_API_KEY": _KEY, "AZURE_OPENAI_ENDPOINT": "https://no.where",
    "OPENAI_API_VERSION": "1", "ANTHROPIC_API_KEY": _KEY, "GOOGLE_API_KEY": _KEY, "MISTRAL_API_KEY": _KEY,
    "DEEPSEEK_API_KEY": _KEY, "COHERE_API_KEY": _KEY, "CO_API_KEY": _KEY, "AWS_ACCESS_KEY_ID": _KEY,
    "AWS_SECRET_ACCESS_KEY": _KEY, "AWS_REGION": "us-east-1", "AWS_DEFAULT_REGION": "us-east-1",
}  # fmt: skip
"""What the clients look for before they make an object; none of them is asked for anything."""
HEADING: Final = "| object | window | for | answer asked for | kept for it | input |"
_CLAUDE: Final = "'anthropic.claude-sonnet-4-5-20250929-v1:0'"
_ANSWER: Final = "create_model('Answer', text=str)"
_THINKING_DICT: Final = "thinking_dict={'type': 'enabled', 'budget_tokens': 16_000}"
_THINKS: Final = "thinking={'type': 'enabled', 'budget_tokens': 10_000}"


@dataclass(frozen=True, slots=True)
class Row:
    """A model object."""

    package: str
    """The module that has its class."""
    code: str
    """Makes it."""

    @property
    def installed(self) -> bool:
        """Whether the package of the client is here."""
        try:
            return find_spec(self.package) is not None
        except ModuleNotFoundError:
            return False

    def make(self) -> Any:
        """Make the object."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the clients' own, about names that are going out of use
            return eval(self.code, vars(import_module(self.package)) | {"create_model": create_model})  # noqa: S307 - the codes below

    def line(self) -> str:
        """Give its line of the table."""
        model = self.make()
        room, budget = least_room(model), ContextBudget.for_model(model)
        kind = "input" if room.window.input_only else "both"
        asked = f"{room.answer:,}" if room.is_asked else "–"
        figures = (f"{room.window.tokens:,}", kind, asked, f"{budget.reserve:,}", f"{budget.input_limit:,}")
        return f"| `{self.code}` | {' | '.join(figures)} |"


ROWS: Final = (
    Row("langchain_openai", "ChatOpenAI(model='gpt-4o')"),
    Row("langchain_openai", "ChatOpenAI(model='gpt-4o', max_tokens=16_384)"),
    Row("langchain_openai", "ChatOpenAI(model='gpt-4o').bind(max_completion_tokens=2_000)"),
    Row("langchain_openai", "ChatOpenAI(model='gpt-4o').bind(model='gpt-4')"),
    Row("langchain_openai", "ChatOpenAI(model='gpt-3.5-turbo-0613')"),
    Row("langchain_openai", "ChatOpenAI(model='gpt-5', max_tokens=50_000)"),
    Row("langchain_openai", "AzureChatOpenAI(azure_deployment='gpt-4o-mine')"),
    Row("langchain_openai", "ChatOpenAI(model='llama3.1', base_url='http://localhost:11434/v1')"),
    Row("langchain_openai", "ChatOpenAI(model='mine', extra_body={'max_model_len': 16_000})"),
    Row("langchain_anthropic", "ChatAnthropic(model='claude-sonnet-4-5')"),
    Row("langchain_anthropic", "ChatAnthropic(model='claude-sonnet-4-5', max_tokens=8_000)"),
    Row("langchain_anthropic", f"ChatAnthropic(model='claude-sonnet-4-5', max_tokens=20_000, {_THINKS})"),
    Row("langchain_anthropic", "ChatAnthropic(model='claude-3-haiku-20240307')"),
    Row("langchain_google_genai", "ChatGoogleGenerativeAI(model='gemini-2.5-flash')"),
    Row("langchain_google_genai", "ChatGoogleGenerativeAI(model='gemini-2.5-flash', max_output_tokens=8_000)"),
    Row("langchain_google_genai", "ChatGoogleGenerativeAI(model='gemini-2.5-flash', thinking_budget=20_000)"),
    Row("langchain_aws", f"ChatBedrockConverse(model={_CLAUDE})"),
    Row("langchain_aws", f"ChatBedrockConverse(model={_CLAUDE}, max_tokens=4_000)"),
    Row("langchain_aws", f"ChatBedrock(model={_CLAUDE}, model_kwargs={{'max_tokens': 5_000}})"),
    Row("langchain_aws", f"ChatBedrock(model={_CLAUDE}, beta_use_converse_api=True)"),
    Row("langchain_aws", "ChatBedrock(model='meta.llama3-8b-instruct-v1:0', model_kwargs={'max_gen_len': 700})"),
    Row("langchain_mistralai", "ChatMistralAI(model='mistral-large-latest')"),
    Row("langchain_mistralai", "ChatMistralAI(model='mistral-large-latest', max_tokens=1_000)"),
    Row("langchain_deepseek", "ChatDeepSeek(model='deepseek-chat', max_tokens=8_000)"),
    Row("langchain_deepseek", "ChatDeepSeek(model='deepseek-reasoner')"),
    Row("langchain_cohere", "ChatCohere(model='command-a-03-2025')"),
    Row("langchain_cohere", "ChatCohere(model='command-a-03-2025').bind(max_tokens=2_000)"),
    Row("langchain_ollama", "ChatOllama(model='llama3.1')"),
    Row("langchain_ollama", "ChatOllama(model='llama3.1', num_ctx=32_768, num_predict=2_000)"),
    Row("langchain_ollama", "ChatOllama(model='llama3.1').bind(options={'num_ctx': '16_384'})"),
    Row("langchain_ollama", "ChatOllama(model='gpt-oss:120b-cloud')"),
    Row("llama_index.llms.openai", "OpenAI(model='gpt-4o')"),
    Row("llama_index.llms.openai", "OpenAI(model='gpt-5', max_tokens=50_000)"),
    Row("llama_index.llms.openai", "OpenAI(model='o3-mini', additional_kwargs={'max_completion_tokens': 9_000})"),
    Row("llama_index.llms.openai", "OpenAIResponses(model='gpt-5')"),
    Row("llama_index.llms.openai", "OpenAIResponses(model='gpt-4o', max_output_tokens=2_000, context_window=64_000)"),
    Row("llama_index.llms.anthropic", "Anthropic(model='claude-sonnet-4-5')"),
    Row("llama_index.llms.anthropic", "Anthropic(model='claude-sonnet-4-5', max_tokens=64_000)"),
    Row("llama_index.llms.anthropic", f"Anthropic(model='claude-sonnet-4-5', max_tokens=1_024, {_THINKING_DICT})"),
    Row("llama_index.llms.anthropic", f"Anthropic(model='claude-sonnet-4-5').as_structured_llm({_ANSWER})"),
    Row("llama_index.llms.bedrock_converse", f"BedrockConverse(model={_CLAUDE})"),
    Row("llama_index.llms.bedrock_converse", "BedrockConverse(model='amazon.nova-pro-v1:0', max_tokens=4_000)"),
    Row(
        "llama_index.llms.google_genai",
        "GoogleGenAI(model='gemini-2.5-flash', max_tokens=8_000, context_window=1_056_576)",
    ),
    Row("llama_index.llms.ollama", "Ollama(model='llama3.1', context_window=8_000)"),
    Row("llama_index.llms.ollama", "Ollama(model='llama3.1', additional_kwargs={'num_ctx': 4_096})"),
)

if __name__ == "__main__":
    os.environ.update(ENVIRONMENT)
    lines = (HEADING, "|---|--:|---|--:|--:|--:|", *(row.line() for row in ROWS))
    sys.stdout.write("".join(f"{line}\n" for line in lines))
