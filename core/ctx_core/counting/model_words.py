"""Which words make a name that of a model, where they mean other things too."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

_END: Final = ""
_DIGITS: Final = "0"
_NUMBER: Final = "00"
_DEPLOYED: Final = ("prod", "production", "dev", "staging", "eu", "us", "deployment", "latest", "beta", "free")
_O_SERIES: Final = frozenset(
    {_END, _DIGITS, "mini", "pro", "preview", "deep", "low", "medium", "high", "global", *_DEPLOYED}
)
_SIZE_OF_CLAUDE: Final = frozenset({_END, _DIGITS, "thinking", "v", *_DEPLOYED})

_SIZES_OF_NOVA: Final = frozenset({
    "canvas", "lite", "micro", "multimodal", "omni", "premier", "pro", "reel", "sonic",
})  # fmt: skip
"""Also behind a number: `nova-2-lite` is Amazon's, `nova-3-general` reads sound."""
_BEHIND: Final[dict[tuple[str, ...], frozenset[str]]] = {
    ("o", "1"): _O_SERIES,
    ("o", "3"): _O_SERIES,
    ("o", "4"): _O_SERIES,
    ("claude",): frozenset({_END, _DIGITS, "fable", "haiku", "instant", "latest", "mythos", "opus", "sonnet", "v"}),
    ("claude", "haiku"): _SIZE_OF_CLAUDE,
    ("claude", "opus"): _SIZE_OF_CLAUDE,
    ("claude", "sonnet"): _SIZE_OF_CLAUDE,
    ("codex",): frozenset({"mini"}),
    ("cohere",): frozenset({_END}),
    ("command",): frozenset({_END, "a", "light", "medium", "nightly", "r", "text", "xlarge"}),
    ("command", "a"): frozenset({
        _END, _NUMBER, "111b", "plus", "reasoning", "translate", "v", "vision", *_DEPLOYED,
    }),
    ("command", "r"): frozenset({_END, _NUMBER, "7b", "35b", "104b", "plus", "v", *_DEPLOYED}),
    ("deepseek",): frozenset({
        _END, _DIGITS, "chat", "coder", "flash", "latest", "llm", "math", "moe", "ocr", "pro", "prover", "r",
        "reasoner", "speciale", "v", "vl",
    }),
    ("gemini",): frozenset({
        _END, _DIGITS, "computer", "embedding", "exp", "flash", "latest", "lite", "live", "nano", "omni", "pro",
        "robotics", "ultra",
    }),
    ("gemma",): frozenset({_END, _DIGITS, "instruct", "it", "latest", "sea"}),
    ("glm",): frozenset({_END, _DIGITS, "flash", "latest", "ocr", "z", "zero"}),
    ("grok",): frozenset({
        _END, _DIGITS, "beta", "build", "code", "fast", "imagine", "latest", "mini", "vision", "voice",
    }),
    ("hermes",): frozenset({_END, _DIGITS, "llama", "pro"}),
    ("kimi",): frozenset({_END, _DIGITS, "dev", "for", "k", "latest", "linear", "thinking", "vl"}),
    ("minimax",): frozenset({_END, _DIGITS, "her", "latest", "m", "text", "vl"}),
    ("mistral",): frozenset({
        _END, _DIGITS, "code", "embed", "instruct", "large", "latest", "lite", "medium", "moderation", "nemo", "ocr",
        "openorca", "saba", "small", "tiny", "v", "vibe",
    }),
    ("moonshot",): frozenset({"v"}),
    ("nova",): _SIZES_OF_NOVA,
    ("nova", _DIGITS): _SIZES_OF_NOVA,
    ("phi",): frozenset({_DIGITS}),
    ("qwen",): frozenset({
        _END, _DIGITS, "audio", "chat", "coder", "flash", "instruct", "latest", "long", "math", "max", "mt", "omni",
        "plus", "qwq", "sea", "turbo", "v", "vl",
    }),
    ("sonar",): frozenset({_END, _DIGITS, "chat", "deep", "latest", "medium", "online", "pro", "reasoning", "small"}),
    ("yi",): frozenset({_DIGITS, "coder", "large", "lightning", "medium", "spark", "vision", "vl"}),
}  # fmt: skip
"""Words that mean other things than models too, and what may stand behind them.

`_DIGITS` stands for any word that begins with a digit, `_NUMBER` for one of digits alone, as a date's."""
_ALONE: Final = frozenset({"cohere", "gemma", "mistral", "qwen", "sonar"})
"""Of these, those that are a whole name with nothing in front, as Ollama and Perplexity call theirs, or a provider.

Others are only behind a provider: `minimax` or `nova` alone may be anybody's."""
_SHORT: Final = frozenset({"o", "codex", "cohere", "command", "glm", "hermes", "nova", "phi", "sonar", "yi"})
"""Of these, those that are models only where nothing else stands in front."""
_DEPLOYMENTS: Final[dict[str, frozenset[str]]] = {
    "deepseek": frozenset({"v", "r", "chat", "coder", "reasoner"}),
    "gemini": frozenset({_DIGITS, "pro", "flash"}),
    "grok": frozenset({_DIGITS, "code"}),
    "kimi": frozenset({"k"}),
    "mistral": frozenset({"large", "medium", "small", "nemo"}),
}
"""Names that are models wherever they stand, and what has to stand behind them. Models with open weights are not here:
what is made of them has their names within its own, and windows of its own."""
_OF_GPT: Final = frozenset({"3", "35", "4", "4o", "5", "6", "oss", "audio", "realtime"})
_OF_CLAUDE: Final = frozenset({"haiku", "instant", "opus", "sonnet"})
_OF_O_SERIES: Final = frozenset({"mini", "preview", "pro"})
_OTHER_MODELS: Final = frozenset({
    "alpaca", "distill", "distilled", "dolphin", "falcon", "gemma", "hermes", "llama", "mistral", "mixtral", "qwen",
    "vicuna",
})  # fmt: skip
_IN_FRONT: Final = _OTHER_MODELS | {
    "auto", "baby", "beats", "from", "like", "mini", "nano", "no", "not", "phi", "than", "to", "vs", "yi",
}  # fmt: skip
"""In front of a model's name: what says that it is another one, made with its answers or compared with it."""
_BEHIND_CLOSED: Final = _OTHER_MODELS | {
    "classifier", "clone", "detector", "like", "lora", "qlora", "t5", "vs",
}  # fmt: skip
"""Behind the name of a model whose weights nobody has: what says the same."""
_CLOSED: Final = frozenset({"chatgpt", "claude", "codex", "gemini", "gpt", "grok", "nova", "o"})
_PARAMETERS: Final = re.compile(r"\d+b")
_PARAMETERS_OF_CLOSED: Final = frozenset({("gemini", "8b")})
"""The one model of these that its maker names by its parameters, `gemini-1.5-flash-8b`."""
_NOT_FOR_CHAT: Final = frozenset({
    "asr", "dall", "imagen", "moderation", "ocr", "sora", "stt", "transcribe", "transcription", "tts", "veo",
    "whisper",
})  # fmt: skip
_VECTORS: Final = ("embed", "rerank")


def words_not_for_chat(words: Iterable[str]) -> set[str]:
    """Give the words of models that hold no conversations: they make or judge vectors, pictures and sound."""
    return {word for word in words if word in _NOT_FOR_CHAT or word.startswith(_VECTORS)}


def is_short(words: tuple[str, ...]) -> bool:
    """Whether a name begins with a word that is hardly ever a model's behind other words."""
    return bool(words) and words[0] in _SHORT


def is_chat_model(words: tuple[str, ...], *, is_known_front: bool, is_whole: bool) -> bool:
    """Whether a name that begins with a word of other meanings goes on like a model's.

    Args:
        words: of the name.
        is_known_front: whether all that stands in front of it, if anything, is known to stand in front of models.
        is_whole: whether nothing stands in front, and no host is known.
    """
    for key in (words[:2], (*words[:1], *map(_class_of, words[1:2])), words[:1]):
        behind = _BEHIND.get(key)
        if behind is None:
            continue
        if len(words) > len(key):
            return _is_among(words[len(key)], behind)
        return _END in behind and is_known_front and (not is_whole or len(key) > 1 or words[0] in _ALONE)
    return True


def is_unmistakable(words: tuple[str, ...], *, is_deployed: bool = False) -> bool:
    """Whether the words are a model's name wherever they stand.

    Args:
        words: of a name, from some place on.
        is_deployed: whether it is a deployment at a host of OpenAI's models: then `my-o3` is one too.
    """
    first, behind = words[0], words[1:]
    if not behind or not is_chat_model(words, is_known_front=True, is_whole=False):
        return False
    match first:
        case "gpt" | "chatgpt":
            return behind[0] in _OF_GPT
        case "o":
            return behind[0] in {"1", "3", "4"} and (is_deployed or not _OF_O_SERIES.isdisjoint(behind[1:2]))
        case "claude":
            return not _OF_CLAUDE.isdisjoint(behind[:3]) or (behind[0] == "v" and behind[1:2] == ("2",))
        case _:
            return _is_among(behind[0], _DEPLOYMENTS.get(first, frozenset()))


def is_derived(front: tuple[str, ...]) -> bool:
    """Whether what stands in front of a model's name says that this is not the model."""
    return not _IN_FRONT.isdisjoint(front)


def is_made_of(words: tuple[str, ...]) -> bool:
    """Whether a name that begins like that of a closed model is of another one, made with its answers.

    Such a name goes on with another model's, as `gpt4-x-alpaca`, or with parameters, which only those publish who
    have the weights.
    """
    if not words or words[0] not in _CLOSED or words[1:2] == ("oss",):
        return False
    behind = words[1:]
    if not _BEHIND_CLOSED.isdisjoint(behind):
        return True
    return any(_PARAMETERS.fullmatch(word) and (words[0], word) not in _PARAMETERS_OF_CLOSED for word in behind)


def _is_among(word: str, behind: frozenset[str]) -> bool:
    return word in behind or _class_of(word) in behind or (word.isdigit() and _NUMBER in behind)


def _class_of(word: str) -> str:
    return _DIGITS if word[0].isdigit() else word
