"""Generates programs, extracts their graphs and reports every difference.

python tests/fuzz/run.py --n 500 --seed 0 [--stop] [--only IDIOM] [--histogram]
"""

import argparse
import sys
import warnings
from collections import Counter
from pathlib import Path

# A script finds its siblings only as members of their package.
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.fuzz import compare
from tests.fuzz.program import generate


def options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=500, help="how many programs")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first one")
    parser.add_argument("--stop", action="store_true", help="stop at the first failure")
    parser.add_argument("--only", help="only programs that use this idiom")
    parser.add_argument("--histogram", action="store_true", help="count idioms, extract nothing")
    parser.add_argument("--brief", action="store_true", help="leave the source texts out")
    return parser.parse_args()


def main() -> int:
    """Run the programs; 1 if one of them failed."""
    chosen = options()
    warnings.simplefilter("error")
    used: Counter[str] = Counter()
    suspects: Counter[str] = Counter()
    sizes: Counter[int] = Counter()
    ran = failed = 0
    for seed in range(chosen.seed, chosen.seed + chosen.n):
        program = generate(seed)
        if chosen.only and chosen.only not in program.used():
            continue
        ran += 1
        used.update(program.used())
        sizes[len(program.kinds)] += 1
        if ran % 100 == 0:
            print(f"{ran} programs, {failed} failed", file=sys.stderr)
        message = "" if chosen.histogram else compare.check(program)
        if not message:
            continue
        failed += 1
        suspects.update(program.used())
        print(message.split("\nimport ")[0] if chosen.brief else message, end="\n\n")
        if chosen.stop:
            break
    report(used, suspects, sizes, chosen.histogram)
    print(f"{ran} programs, {failed} failed")
    return int(failed > 0)


def report(used: Counter, suspects: Counter, sizes: Counter, histogram: bool) -> None:
    """How often every idiom occurred, and how often in a program that failed."""
    if histogram:
        print("sites:", ", ".join(f"{n}: {sizes[n]}" for n in sorted(sizes)))
    order = used.most_common() if histogram else suspects.most_common(25)
    for idiom, _ in order:
        print(f"{idiom:24} in {used[idiom]:5} programs, {suspects[idiom]:4} of them failed")


if __name__ == "__main__":
    sys.exit(main())
