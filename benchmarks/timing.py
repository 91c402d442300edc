"""Time functions in turn, so that a drifting machine touches all of them alike."""

import gc
import time
from collections.abc import Callable


def alternate(functions: dict[str, Callable[[], object]], runs: int = 15) -> dict[str, float]:
    """Name -> the smallest seconds of `runs` alternating runs, after one that does not count."""
    best = dict.fromkeys(functions, float("inf"))
    for function in functions.values():
        function()
    for _ in range(runs):
        for name, function in functions.items():
            gc.collect()
            start = time.perf_counter()
            function()
            best[name] = min(best[name], time.perf_counter() - start)
    return best
