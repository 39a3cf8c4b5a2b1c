"""Models whose windows are published and of which there are no bills: counted as models of no known family."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ctx_core.counting.families.fallback import FALLBACK
from ctx_core.counting.family import Family, UnknownWindow, Window

_SOURCE: Final = "no bill and no vocabulary: as models of no known family"

OTHERS_UNBILLED: Final[tuple[Family, ...]] = (
    replace(
        FALLBACK,
        models=("moonshot-v1",),
        windows=(UnknownWindow(models=("moonshot-v1",), reason="its size, 8k, 32k or 128k, is not in the name"),),
        windows_source="https://platform.moonshot.ai/docs: 8,192, 32,768 and 131,072 tokens, by the size in the name",
        source=_SOURCE,
    ),
    replace(
        FALLBACK,
        models=("phi-3", "phi-2"),
        windows=(
            Window(models=("phi-3",), tokens=4_096, is_least=True),
            Window(models=("phi-3.5",), tokens=131_072),
            Window(models=("phi-2",), tokens=2_048),
        ),
        windows_source="the model cards; phi-3 has 4,096 tokens where its name has no size",
        source=_SOURCE,
    ),
    replace(
        FALLBACK,
        models=(
            "yi-6b",
            "yi-9b",
            "yi-34b",
            "yi-1.5",
            "yi-coder",
            "yi-vl",
            "yi-large",
            "yi-medium",
            "yi-spark",
            "yi-vision",
            "yi-lightning",
        ),
        windows=(
            Window(models=("yi-6b", "yi-9b", "yi-34b", "yi-1.5", "yi-vl"), tokens=4_096, is_least=True),
            Window(models=("yi-coder",), tokens=131_072),
            Window(models=("yi-large",), tokens=32_768),
            Window(
                models=("yi-large-turbo", "yi-medium", "yi-spark", "yi-vision", "yi-lightning"),
                tokens=16_384,
                is_least=True,
            ),
        ),
        windows_source="the model cards and https://platform.01.ai/docs",
        source=_SOURCE,
    ),
)
