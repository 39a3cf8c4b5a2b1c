"""Models with open weights of which there are no bills and no vocabulary here: counted as of no known family."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ctx_core.counting.families.open_weights import OPEN_WINDOWS
from ctx_core.counting.families.others_unbilled import unbilled
from ctx_core.counting.family import UnknownWindow, Window

if TYPE_CHECKING:
    from ctx_core.counting.family import Family

OPEN_UNBILLED: Final[tuple[Family, ...]] = (
    unbilled(
        Window(models=("llama-2", "llama-v2"), tokens=4_096, is_least=True),
        Window(
            models=("llama-2-7b-chat-int8",),
            tokens=2_048,
            source="LiteLLM 1.110.2: Cloudflare's",
        ),
        Window(models=("llama-2-7b-chat-fp16",), tokens=3_072, source="LiteLLM 1.110.2: Cloudflare's"),
        Window(models=("codellama", "code-llama"), tokens=16_384),
        Window(models=("codellama-34b", "codellama-70b", "code-llama-70b", "codellama-7b-instruct-awq"), tokens=4_096),
        source=OPEN_WINDOWS,
    ),
    unbilled(
        Window(models=("phi-3",), tokens=4_096, is_least=True),
        Window(models=("phi-3.5",), tokens=131_072),
        Window(models=("phi-3-vision",), tokens=32_064, source="LiteLLM 1.110.2: Fireworks'"),
        Window(models=("phi-2",), tokens=2_048),
        source=f"{OPEN_WINDOWS}; phi-3 has 4,096 tokens where its name has no size",
    ),
    unbilled(
        Window(models=("yi-6b", "yi-9b", "yi-34b", "yi-1.5", "yi-vl"), tokens=4_096, is_least=True),
        Window(models=("yi-coder",), tokens=131_072),
        Window(models=("yi-large",), tokens=32_768),
        Window(
            models=("yi-large-turbo", "yi-medium", "yi-spark", "yi-vision", "yi-lightning"),
            tokens=16_384,
            is_least=True,
        ),
        source="the model cards and https://platform.01.ai/docs",
    ),
    unbilled(
        Window(
            models=(
                "granite-13b",
                "granite-20b",
                "granite-34b",
                "granite-code-20b",
                "granite-guardian",
                "granite-vision",
            ),
            tokens=8_192,
        ),
        Window(models=("granite-3b-code", "granite-code"), tokens=2_048, is_least=True),
        Window(models=("granite-8b-code", "granite-code-8b", "granite-3"), tokens=4_096, is_least=True),
        Window(
            models=("granite-3.1", "granite-3.2", "granite-3.3"),
            tokens=131_072,
            source="the model cards; LiteLLM 1.110.2 has the longest answer for watsonx",
        ),
        Window(models=("granite-4",), tokens=131_000),
        UnknownWindow(models=("granite-ttm", "granite-speech"), reason="it is not a chat model"),
        source=OPEN_WINDOWS,
        rows=1,
    ),
    unbilled(
        Window(models=("nemotron-4", "nemotron-mini"), tokens=4_096),
        Window(models=("nemotron-70b", "nemotron-nano"), tokens=128_000),
        Window(
            models=(
                "nemotron-3-nano",
                "nemotron-3-super",
                "nemotron-nano-3",
                "nemotron-super-3",
                "nemotron-lightning",
                "nemotron-3.5-lightning",
                "nemotron-3.5-super",
            ),
            tokens=256_000,
        ),
        Window(models=("nemotron-3-ultra",), tokens=202_000),
        source=OPEN_WINDOWS,
    ),
    unbilled(
        Window(models=("exaone-3.0",), tokens=4_096),
        Window(models=("exaone-3.5", "exaone-deep"), tokens=32_768),
        Window(models=("exaone-4",), tokens=131_072),
        Window(models=("exaone-4.0-1.2b",), tokens=65_536),
        source=OPEN_WINDOWS,
    ),
    unbilled(
        Window(models=("aya-23", "aya-8b", "aya-35b", "aya-expanse"), tokens=8_192),
        Window(models=("aya-expanse-32b",), tokens=128_000),
        Window(models=("aya-vision",), tokens=16_384),
        source=OPEN_WINDOWS,
    ),
    unbilled(
        Window(models=("olmo-1b", "olmo-7b"), tokens=2_048),
        Window(models=("olmo-2", "olmoe"), tokens=4_096),
        Window(models=("olmo-3",), tokens=32_768),
        Window(models=("falcon-7b", "falcon-40b", "falcon-180b"), tokens=2_048),
        Window(models=("falcon-11b", "falcon-2-11b", "falcon3-1b"), tokens=8_192),
        Window(models=("falcon3",), tokens=32_768),
        Window(models=("falcon-h1",), tokens=16_384),
        Window(models=("apertus",), tokens=8_192),
        source=OPEN_WINDOWS,
    ),
    unbilled(
        Window(models=("smollm",), tokens=2_048),
        Window(models=("smollm2",), tokens=8_192),
        Window(models=("smollm3",), tokens=65_536),
        Window(models=("starcoder",), tokens=8_192),
        Window(models=("starcoder2",), tokens=16_384),
        Window(models=("stablecode-3b", "stablelm-zephyr"), tokens=4_096),
        Window(models=("lfm-7b", "lfm-40b", "lfm2", "lfm2.5"), tokens=32_768),
        source=OPEN_WINDOWS,
    ),
    unbilled(
        Window(models=("internlm2", "internlm3"), tokens=32_768),
        Window(models=("internlm2.5-7b-chat-1m",), tokens=1_000_000, source="the model card"),
        Window(models=("internvl3",), tokens=16_384),
        Window(models=("minicpm-v",), tokens=32_000),
        Window(models=("baichuan-m2",), tokens=131_072),
        source=OPEN_WINDOWS,
    ),
    unbilled(
        Window(models=("dbrx",), tokens=32_768),
        Window(models=("snowflake-arctic", "arctic-instruct"), tokens=4_096),
        Window(models=("wizardlm-2-8x22b",), tokens=65_535),
        Window(models=("mythomax-l2", "vicuna-7b", "vicuna-13b", "orca-mini"), tokens=2_048, is_least=True),
        Window(models=("openchat-3.5", "openchat-7b"), tokens=4_096),
        Window(models=("trinity-mini",), tokens=128_000),
        source=OPEN_WINDOWS,
    ),
    unbilled(
        # What is made of others has what its base has, or what its hosts have in common.
        Window(models=("zephyr-7b",), tokens=16_384),
        Window(models=("zephyr-orpo-141b", "dolphin-mixtral-8x22b"), tokens=65_536),
        Window(models=("dolphin-2.5-mixtral", "dolphin-2.6-mixtral", "dolphin-2.7-mixtral"), tokens=32_768),
        Window(models=("dolphin-mixtral", "dolphin-mistral-24b"), tokens=32_768),
        Window(models=("dolphin-mistral", "dolphin-2.6-mistral", "dolphin-2.8-mistral"), tokens=16_384),
        Window(models=("dolphin-llama3", "dolphin-2.9-llama3"), tokens=8_192),
        Window(models=("dolphin-phi", "dolphin-2.6-phi"), tokens=2_048),
        Window(models=("dolphin3", "dolphin-2.9.2-qwen2-72b"), tokens=131_072),
        Window(models=("nous-hermes", "nous-hermes-2-yi"), tokens=4_096),
        Window(models=("nous-hermes-2-mixtral",), tokens=32_768),
        Window(models=("openhermes-2", "openhermes-2.5-mistral"), tokens=4_096),
        UnknownWindow(models=("dolphin-2",), reason="it is that of the model that it is made of"),
        source=OPEN_WINDOWS,
    ),
)
