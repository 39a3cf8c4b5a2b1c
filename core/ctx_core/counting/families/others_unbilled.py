"""Models of which there are no bills, or hardly any, and whose windows are published: counted as of no known family."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ctx_core.counting.families.fallback import FALLBACK
from ctx_core.counting.families.open_weights import OPEN_WINDOWS
from ctx_core.counting.family import UnknownWindow, Window

if TYPE_CHECKING:
    from ctx_core.counting.family import Family

_NO_SIZE: Final = "its size, as 8k, 32k or 128k, is not in the name"


def unbilled(*windows: Window | UnknownWindow, source: str, rows: int = 0) -> Family:
    """Give the row of models that are counted as of no known family, by their windows.

    Args:
        windows: of the models.
        source: where they are from.
        rows: recorded bills, too few to find a price on.
    """
    return replace(
        FALLBACK,
        models=tuple(prefix for window in windows for prefix in window.models),
        windows=windows,
        windows_source=source,
        rows=rows,
        source="no vocabulary, and no bill or hardly any: as models of no known family",
    )


OTHERS_UNBILLED: Final[tuple[Family, ...]] = (
    unbilled(
        UnknownWindow(models=("moonshot-v1",), reason=_NO_SIZE),
        source="https://platform.moonshot.ai/docs: 8,192, 32,768 and 131,072 tokens, by the size in the name",
    ),
    unbilled(
        UnknownWindow(models=("doubao",), reason=_NO_SIZE),
        Window(models=("doubao-seed",), tokens=229_376),
        Window(models=("doubao-seed-2-0", "doubao-seed-2-1"), tokens=256_000),
        source="LiteLLM 1.110.2, after https://www.volcengine.com/docs/82379; the size in the name",
    ),
    unbilled(
        Window(models=("seed-1.6", "seed-1.8", "seed-2.0", "seed-2-1-turbo"), tokens=229_000),
        source="LiteLLM 1.110.2 and genai-prices 0.2.3: Doubao's names elsewhere",
    ),
    unbilled(
        Window(models=("step-1-8k", "step-1v-8k"), tokens=8_192),
        Window(models=("step-1-32k", "step-1v-32k"), tokens=32_768),
        Window(models=("step-1-128k",), tokens=131_072),
        Window(models=("step-1-256k",), tokens=256_000),
        Window(models=("step-2-16k",), tokens=16_384),
        Window(models=("step-3.5-flash", "step-3.7-flash"), tokens=256_000),
        Window(models=("step-5-preview",), tokens=1_000_000),
        source="https://platform.stepfun.com/docs, LiteLLM 1.110.2 and genai-prices 0.2.3",
    ),
    unbilled(
        Window(
            models=("ernie-3.5", "ernie-4.0", "ernie-char", "ernie-lite", "ernie-speed", "ernie-tiny", "ernie-x1"),
            tokens=8_192,
            is_least=True,
        ),
        Window(models=("ernie-4.5",), tokens=119_000),
        Window(models=("ernie-4.5-turbo",), tokens=32_768, is_least=True),
        Window(models=("ernie-4.5-vl-28b",), tokens=30_000),
        Window(models=("ernie-5",), tokens=119_000),
        source=f"{OPEN_WINDOWS}; https://cloud.baidu.com/doc for models without weights",
    ),
    unbilled(
        Window(models=("hunyuan-large", "hunyuan-pro", "hunyuan-standard", "hunyuan-turbo"), tokens=28_000),
        Window(models=("hunyuan-turbos",), tokens=28_000),
        Window(models=("hunyuan-standard-256k", "hunyuan-lite"), tokens=250_000),
        Window(models=("hunyuan-a13b", "hunyuan-7b"), tokens=32_768),
        Window(models=("hy3",), tokens=256_000),
        Window(models=("hy4",), tokens=960_000),
        Window(models=("hy4-preview",), tokens=262_144),
        source=f"{OPEN_WINDOWS}; https://cloud.tencent.com/document/product/1729 for models without weights",
    ),
    unbilled(
        Window(
            models=("mimo-v2", "mimo-v2.5"),
            tokens=256_000,
        ),
        Window(models=("mimo-v2-pro", "mimo-v2.5-pro", "mimo-v2.6"), tokens=1_000_000),
        source=OPEN_WINDOWS,
    ),
    unbilled(
        Window(models=("longcat-2",), tokens=1_000_000),
        Window(models=("ling-3",), tokens=131_072),
        Window(models=("kat-coder",), tokens=256_000),
        Window(models=("kat-dev",), tokens=131_072),
        source=OPEN_WINDOWS,
    ),
    unbilled(
        Window(models=("titan-text-express", "titan-tg1-large"), tokens=8_192),
        Window(models=("titan-text-lite",), tokens=4_096),
        Window(models=("titan-text-premier",), tokens=32_000),
        UnknownWindow(models=("titan-image",), reason="it is not a chat model"),
        source="https://docs.aws.amazon.com/bedrock/latest/userguide/titan-text-models.html",
        rows=3,
    ),
    unbilled(
        Window(models=("jamba-1.5", "jamba-1.6", "jamba-1.7", "jamba-large", "jamba-mini"), tokens=256_000),
        Window(models=("jamba-instruct",), tokens=70_000),
        Window(models=("j2-light", "j2-mid", "j2-ultra"), tokens=8_191),
        source="LiteLLM 1.110.2, after https://docs.ai21.com",
        rows=1,
    ),
    unbilled(
        Window(models=("palmyra-x4", "palmyra-x5"), tokens=128_000),
        Window(models=("palmyra-vision",), tokens=4_096),
        Window(models=("palmyra-fin-70b", "palmyra-med-70b"), tokens=8_192, is_least=True),
        source="LiteLLM 1.110.2; https://dev.writer.com has a million for palmyra-x5",
        rows=4,
    ),
    unbilled(
        Window(models=("solar-10.7b", "solar-pro-preview"), tokens=4_096),
        Window(models=("solar-1-mini", "solar-mini"), tokens=32_768),
        Window(models=("solar-pro2",), tokens=65_536),
        Window(models=("solar-pro3",), tokens=131_072),
        Window(models=("solar-mini4", "solar-pro4"), tokens=524_288),
        UnknownWindow(models=("solar-pro",), reason="its generation is not in the name"),
        source="https://console.upstage.ai/docs/models and genai-prices 0.2.3",
    ),
    unbilled(
        Window(models=("reka-core", "reka-flash"), tokens=32_000),
        Window(models=("reka-edge",), tokens=16_384),
        source=OPEN_WINDOWS,
    ),
    unbilled(
        Window(models=("mercury-2", "mercury-2.5"), tokens=128_000),
        Window(models=("mercury-3",), tokens=1_000_000),
        Window(models=("mercury-coder",), tokens=32_000),
        source="LiteLLM 1.110.2 and genai-prices 0.2.3",
    ),
    unbilled(
        Window(models=("muse-spark", "muse-wonder"), tokens=1_000_000),
        Window(models=("muse-glimmer",), tokens=131_072),
        Window(models=("inkling",), tokens=524_288),
        Window(models=("gigachat-2",), tokens=128_000),
        Window(models=("mai-thinking", "mai-cyber"), tokens=256_000),
        Window(models=("mai-code",), tokens=128_000),
        source="LiteLLM 1.110.2 and genai-prices 0.2.3",
    ),
)
