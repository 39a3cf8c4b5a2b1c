"""Settings of the whole suite."""

import gc
import os

from hypothesis import HealthCheck, Phase, settings

# A slow machine must not fail a test: nothing here judges time.
_SLOW_IS_FINE = (HealthCheck.too_slow,)

settings.register_profile("dev", deadline=None, suppress_health_check=_SLOW_IS_FINE)
# Fewer, and the same ones on every run, so that a change is judged soon, and by what it changed. What fails is told as
# it was found: to make it small takes minutes for each, and is for who looks at it (`HYPOTHESIS_PROFILE=dev`).
settings.register_profile(
    "ci",
    deadline=None,
    max_examples=40,
    derandomize=True,
    print_blob=True,
    suppress_health_check=_SLOW_IS_FINE,
    phases=[phase for phase in Phase if phase not in (Phase.shrink, Phase.explain)],
)
settings.register_profile("thorough", deadline=None, max_examples=2_000, suppress_health_check=_SLOW_IS_FINE)

settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "dev"))


def pytest_collection_finish() -> None:
    """Leave out of garbage collection what lives as long as the run: 17,000 tests and what they import.

    A full collection over it takes seconds, and there would be hundreds.
    """
    gc.collect()
    gc.freeze()
