"""From a picture to a word: fig 10.9 as in image captioning."""

from typing import Any

import torch
from torch import Tensor

from pgm_rnn.catalog import figure
from pgm_rnn.experiments.experiment import Experiment, Measured, Row, Settings, Tick
from pgm_rnn.experiments.plots import compared
from pgm_rnn.fitting import fit, log_prob
from pgm_rnn.sequences import Program

WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
LETTERS = sorted(set("".join(WORDS)))
END = len(LETTERS)  # one more symbol ends a word
LONGEST = max(map(len, WORDS)) + 1


def measure(settings: Settings, seed: int, tick: Tick) -> Measured:
    """Train fig 10.9 to spell the digit that an 8x8 picture shows."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    x, label = torch.as_tensor(digits.data) / 16, torch.as_tensor(digits.target)
    order = torch.randperm(len(x), generator=torch.Generator().manual_seed(0))
    train, test = order[: settings["train"]], order[settings["train"] :]
    words = torch.tensor([_spelled(word) for word in WORDS])
    lengths = torch.tensor([len(word) + 1 for word in WORDS])
    tick("training")
    net = figure("10.9", entry="both", tau=LONGEST, k=END + 1, hidden=settings["hidden"], x_dim=64,
                 seed=seed).model  # fmt: skip
    assert isinstance(net, Program)
    if settings["mutate"]:
        torch.nn.init.zeros_(net.R)
        net.R.requires_grad_(False)
    fit(net, words[label[train]], x[train], lengths=lengths[label[train]],
        steps=settings["steps"], batch_size=128, seed=seed)  # fmt: skip
    tick("the words of the other pictures")
    score = _scores(net, words, lengths, x[test])
    right = (score.argmax(-1) == label[test]).double().mean().item()
    mass = score.exp().sum(-1).mean().item()
    return Measured(
        (
            Row("right words", settings["accuracy"], right, 0.0, "at least", unit="share"),
            Row("mass on the ten words", settings["mass"], mass, 0.0, "at least", unit="share"),
        )
    )


def _spelled(word: str) -> list[int]:
    letters = [LETTERS.index(c) for c in word] + [END]
    return letters + [0] * (LONGEST - len(letters))


def _scores(net: Program, words: Tensor, lengths: Tensor, x: Tensor) -> Tensor:
    """log P(word | picture) for all ten words, [pictures, 10]."""
    with torch.no_grad():
        found = [
            log_prob(net, word.expand(len(x), -1), x, lengths=n.expand(len(x)))
            for word, n in zip(words, lengths, strict=True)
        ]
    return torch.stack(found, -1)


def plot(record: dict[str, Any], ax: Any) -> Any:
    """Shares of right words and of mass."""
    return compared(record, ax)


EXPERIMENT = Experiment(
    name="caption",
    claim="Fig 10.9 spells what a picture shows: a fixed vector in, a word and an end symbol out",
    about="fig 10.9",
    seconds=8,
    settings={"train": 1300, "hidden": 32, "steps": 400, "accuracy": 0.9, "mass": 0.85},
    small={"steps": 250, "accuracy": 0.8, "mass": 0.6},
    mutation="x is dropped: R is 0",
    theory_from="a share that a reader would accept; there is no exact one",
    measured_from="log P(word | picture) on the pictures held out",
    measure=measure,
    plot=plot,
    needs="sklearn",
)
