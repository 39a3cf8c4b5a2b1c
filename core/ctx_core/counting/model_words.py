"""Which words make a name that of a model, where they mean other things too."""

from __future__ import annotations

from typing import Final

_END: Final = ""
_DIGITS: Final = "0"
_DEPLOYED: Final = ("prod", "production", "dev", "staging", "eu", "us", "deployment", "latest", "beta", "free")
_O_SERIES: Final = frozenset(
    {_END, _DIGITS, "mini", "pro", "preview", "deep", "low", "medium", "high", "global", *_DEPLOYED}
)

_BEHIND: Final[dict[tuple[str, ...], frozenset[str]]] = {
    ("o", "1"): _O_SERIES,
    ("o", "3"): _O_SERIES,
    ("o", "4"): _O_SERIES,
    ("claude",): frozenset({_END, _DIGITS, "fable", "haiku", "instant", "latest", "mythos", "opus", "sonnet", "v"}),
    ("codex",): frozenset({_END, _DIGITS, "latest", "max", "mini"}),
    ("cohere",): frozenset({_END}),
    ("command",): frozenset({_END, _DIGITS, "a", "latest", "light", "medium", "nightly", "r", "text", "xlarge"}),
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
        _END, _DIGITS, "embed", "instruct", "large", "latest", "lite", "medium", "moderation", "nemo", "ocr",
        "openorca", "saba", "small", "tiny", "v",
    }),
    ("moonshot",): frozenset({"v"}),
    ("nova",): frozenset({_END, _DIGITS, "canvas", "lite", "micro", "premier", "pro", "reel", "sonic"}),
    ("phi",): frozenset({_DIGITS}),
    ("qwen",): frozenset({
        _END, _DIGITS, "audio", "chat", "coder", "flash", "instruct", "latest", "long", "math", "max", "mt", "omni",
        "plus", "sea", "turbo", "vl",
    }),
    ("sonar",): frozenset({_END, _DIGITS, "chat", "deep", "latest", "medium", "online", "pro", "reasoning", "small"}),
    ("yi",): frozenset({_DIGITS, "coder", "large", "lightning", "medium", "spark", "vision", "vl"}),
}  # fmt: skip
"""Words that mean other things than models too, and what may stand behind them; a digit stands for any number."""
_SHORT: Final = frozenset({"o", "codex", "cohere", "command", "glm", "hermes", "nova", "phi", "sonar", "yi"})
"""Of these, those that are models only where nothing else stands in front."""
_DEPLOYMENTS: Final[dict[str, frozenset[str]]] = {
    "claude": frozenset({_DIGITS, "v", "instant", "opus", "sonnet", "haiku"}),
    "deepseek": frozenset({"v", "r", "chat", "coder", "reasoner"}),
    "gemini": frozenset({_DIGITS, "pro", "flash"}),
    "grok": frozenset({_DIGITS, "code"}),
    "kimi": frozenset({"k"}),
    "mistral": frozenset({"large", "medium", "small", "nemo"}),
}
"""Names that are models wherever they stand, and what has to stand behind them. Models with open weights are not here:
what is made of them has their names within its own, and windows of its own."""
_OF_GPT: Final = frozenset({"3", "35", "4", "4o", "5", "6", "oss", "audio"})
_DERIVED: Final = frozenset({
    "alpaca", "auto", "baby", "beats", "dolphin", "distill", "distilled", "falcon", "from", "gemma", "hermes", "like",
    "llama", "mini", "mistral", "mixtral", "nano", "no", "not", "phi", "qwen", "than", "to", "vicuna", "vs",
    "yi",
})  # fmt: skip
"""In front of a model's name: what says that it is another one, made with its answers or compared with it."""
NOT_FOR_CHAT: Final = frozenset({
    "asr", "dall", "embed", "embedding", "embeddings", "imagen", "moderation", "ocr", "rerank", "reranker", "sora",
    "stt", "transcribe", "transcription", "tts", "veo", "whisper",
})  # fmt: skip
"""Words of models that hold no conversations: they make or judge vectors, pictures and sound."""


def is_short(words: tuple[str, ...]) -> bool:
    """Whether a name begins with a word that is hardly ever a model's behind other words."""
    return bool(words) and words[0] in _SHORT


def is_chat_model(words: tuple[str, ...], *, may_be_alone: bool) -> bool:
    """Whether a name that begins with a word of other meanings goes on like a model's.

    Args:
        words: of the name.
        may_be_alone: whether the word alone is a model.
    """
    for key in (words[:2], words[:1]):
        behind = _BEHIND.get(key)
        if behind is not None:
            following = _first(words[len(key) :])
            return following in behind and (may_be_alone or following != _END)
    return True


def is_unmistakable(words: tuple[str, ...]) -> bool:
    """Whether the words are a model's name wherever they stand."""
    first, following = words[0], _first(words[1:])
    if first in {"gpt", "chatgpt"}:
        return len(words) > 1 and words[1] in _OF_GPT
    return following in _DEPLOYMENTS.get(first, ())


def is_derived(front: tuple[str, ...]) -> bool:
    """Whether what stands in front of a model's name says that this is not the model."""
    return not _DERIVED.isdisjoint(front)


def _first(words: tuple[str, ...]) -> str:
    """Give the first word, any number as a digit; empty where there is none."""
    if not words:
        return _END
    return _DIGITS if words[0][0].isdigit() else words[0]
