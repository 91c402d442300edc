"""Maximum likelihood: gradient steps for the recurrent figures, counting for the table."""

import copy
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float, Int, Real
from torch import Tensor

from pgm_rnn.errors import BadOption, DataError
from pgm_rnn.fitting import check, checkpoint
from pgm_rnn.fitting.score import scores
from pgm_rnn.fitting.table import count, count_lengths
from pgm_rnn.options import choice, number, positive
from pgm_rnn.sequences import Program

SCHEDULES = ("cosine", "constant")


@dataclass(frozen=True)
class Fitted:
    """The outcome of a fit; losses are negative log-likelihoods in nats per step."""

    model: Program = field(repr=False, compare=False)
    loss: float  # on the training data, at the parameters that were kept
    validation: float | None  # likewise on the data held out
    steps: int  # gradient steps that were made
    best: int  # the step whose parameters were kept
    history: tuple[tuple[int, float, float | None], ...] = field(repr=False)  # step, loss, held out
    unseen: int = 0  # contexts of fig 10.7 that the data never show


@dataclass(frozen=True)
class _Data:
    y: Real[Tensor, "batch tau"]
    x: Real[Tensor, "batch ..."] | None
    weights: Float[Tensor, "batch ..."]
    lengths: Int[Tensor, " batch"]

    def rows(self, which: Tensor) -> "_Data":
        x = None if self.x is None else self.x[which]
        return _Data(self.y[which], x, self.weights[which], self.lengths[which])

    def loss(self, net: Program) -> Float[Tensor, ""]:
        """Nats per step, weighted."""
        whole = net.length_rule is None and bool((self.lengths == self.y.shape[1]).all())
        parts = scores(net, self.y, self.x, None if whole else self.lengths)
        if self.weights.ndim == 2:  # each step has its own
            return -(self.weights * parts).sum() / self.weights.sum()
        parts = parts.sum(-1)
        return -(self.weights * parts).sum() / (self.weights * self.lengths.clamp(min=1)).sum()


def fit(
    model: Program,
    y: Real[Tensor, "batch tau"],
    x: Real[Tensor, "batch ..."] | None = None,
    *,
    lengths: Int[Tensor, " batch"] | None = None,
    weights: Real[Tensor, "batch ..."] | None = None,
    steps: int = 500,
    batch_size: int | None = None,
    lr: float = 0.02,
    schedule: str = "cosine",
    clip: float | None = 1.0,
    validation: float = 0.0,
    patience: int | None = None,
    smoothing: float = 0.0,
    seed: int = 0,
    out: str | Path | None = None,
    every: int = 50,
    progress: Callable[[int, int, float], None] | None = None,
    note: dict[str, Any] | None = None,
) -> Fitted:
    """Fit a figure's program, in place, to sequences by maximum likelihood.

        minimise  - sum over sequences of w log P(y | x)  /  sum of w lengths      nats per step

    `y` [batch, tau], `x` as the figure reads it, `lengths` [batch] the true lengths of padded
    rows, `weights` [batch] how often each row counts ([batch, tau]: each step). Adam makes `steps`
    steps at `lr` (a cosine to 0, or "constant") on batches of `batch_size` rows (None: all),
    gradients clipped to norm `clip`. A share `validation` of the rows is held out and scored every
    `every` steps; the best parameters are kept, and after `patience` scores without progress the
    fit stops. Parameters that require no gradient stay as they are. Fig 10.7 is fitted by counting
    instead, with `smoothing` added to each count; `unseen` contexts become uniform. A rule for the
    length is fitted along with y, and P(tau) of the rule "tau" by counting.

    With `out`, a checkpoint is written there every `every` steps, and a fit that was broken off
    is taken up from it: the final parameters are those of an undisturbed one. `progress(step,
    steps, loss)` is called after every step. Nothing is left half done: an error or an interrupt
    leaves the parameters as they were. Raises BadOption, DataError, CheckpointError (a folder of
    another program, data or setting), OutputError.

    >>> import torch, pgm_rnn
    >>> f = pgm_rnn.figure("10.7", tau=2, k=2)
    >>> round(fit(f.model, torch.tensor([[0, 1], [1, 0]])).loss, 4)   # log(2)/2 nats per step
    0.3466
    """
    net = check.program(model)
    steps, every = positive("steps", steps, 0), positive("every", every)
    choice("schedule", schedule, SCHEDULES)
    _check_numbers(batch_size, lr, clip, patience, smoothing, seed)
    if patience is not None and not validation:
        raise BadOption("patience needs sequences that are held out: validation=0.1, for example")
    data = _checked(net, y, x, lengths, weights)
    train, held = _split(data, check.share("validation", validation), seed)
    folder = None if out is None else Path(out)
    about = _about(net)
    setting = {
        "steps": steps, "batch_size": batch_size, "lr": lr, "schedule": schedule, "clip": clip,
        "validation": validation, "patience": patience, "smoothing": smoothing, "seed": seed,
        "every": every, "data": _fingerprint(data),
    }  # fmt: skip
    header = {"about": about, "setting": setting, "note": note or {}}
    before = copy.deepcopy(net.state_dict())
    try:
        record = None if folder is None else _found(folder / checkpoint.NAME, header)
        if record is not None and record["done"]:
            net.load_state_dict(record["net"])
            kept = dict(record["outcome"])
            history = tuple((int(s), a, b) for s, a, b in kept.pop("history"))
            return Fitted(net, history=history, **kept)
        if net.figure == "10.7":
            unseen = count(net, train.y, train.weights, train.lengths, smoothing)
            found = _outcome(net, train, held, 0, 0, (), unseen)
        else:
            if not (train.weights.sum() > 0):
                raise DataError("all sequences to train on have weight 0")
            if net.length_rule == "tau":
                count_lengths(net, train.lengths, train.weights, smoothing)
            run = _Run(net, train, held, setting, header, folder)
            if record is not None:
                run.take_up(record)
            found = run.go(progress)
        if folder is not None:
            checkpoint.save(
                folder / checkpoint.NAME,
                {**header, "net": net.state_dict(), "done": True, "outcome": _plain(found)},
            )
    except BaseException:
        net.load_state_dict(before)
        raise
    return found


def _check_numbers(
    batch_size: Any, lr: Any, clip: Any, patience: Any, smoothing: Any, seed: Any
) -> None:
    for name, value in (("batch_size", batch_size), ("patience", patience)):
        if value is not None:
            positive(name, value)
    number("lr", lr)
    if clip is not None:
        number("clip", clip)
    number("smoothing", smoothing, above=False)
    positive("seed", seed, 0)


def _found(path: Path, header: dict[str, Any]) -> dict[str, Any] | None:
    """What a folder holds of this very fit, None if nothing. Raises CheckpointError."""
    if not path.exists():
        return None
    record = checkpoint.read(path)
    checkpoint.same(path, record["about"], header["about"], "program")
    checkpoint.same(path, record["setting"], header["setting"], "fit")
    return record


class _Run:
    """Gradient steps that can be broken off and taken up again."""

    def __init__(
        self, net: Program, train: _Data, held: _Data | None, setting: dict[str, Any],
        header: dict[str, Any], folder: Path | None,
    ):  # fmt: skip
        self.net, self.train, self.held = net, train, held
        self.setting, self.header, self.folder = setting, header, folder
        # P(tau) of the rule "tau" is counted; its gradient must not weigh in the clipping
        self.moved = [p for n, p in net.named_parameters() if n != "length" and p.requires_grad]
        self.optimiser = torch.optim.Adam(self.moved, lr=setting["lr"])
        self.random = torch.Generator().manual_seed(setting["seed"])
        self.order = torch.zeros(0, dtype=torch.long)  # rows that this epoch has yet to see
        self.step = self.best_step = self.waited = 0
        self.best_loss = math.inf
        self.best: dict[str, Tensor] = {}
        self.history: list[tuple[int, float, float | None]] = []

    def go(self, progress: Callable[[int, int, float], None] | None) -> Fitted:
        total = self.setting["steps"]
        while self.step < total and not self._finished():
            loss = self._step(total)
            if not math.isfinite(loss):
                raise DataError(
                    f"the loss is {loss} at step {self.step}; lower lr (now {self.setting['lr']}) "
                    "or clip the gradients (clip=1.0)"
                )
            if progress is not None:
                progress(self.step, total, loss)
            if self.step % self.setting["every"] == 0 or self.step == total:
                self._look(loss)
                self._save()
        if self.best:
            self.net.load_state_dict(self.best)
        best = self.best_step if self.best else self.step
        return _outcome(self.net, self.train, self.held, self.step, best, tuple(self.history), 0)

    def _step(self, total: int) -> float:
        if self.setting["schedule"] == "cosine":
            rate = 0.5 * self.setting["lr"] * (1 + math.cos(math.pi * self.step / total))
            self.optimiser.param_groups[0]["lr"] = rate
        loss = self._batch().loss(self.net)
        self.net.zero_grad(set_to_none=True)
        loss.backward()
        if self.setting["clip"] is not None:
            torch.nn.utils.clip_grad_norm_(self.moved, self.setting["clip"])
        self.optimiser.step()
        self.step += 1
        return float(loss.detach())

    def _batch(self) -> _Data:
        size = self.setting["batch_size"]
        if size is None or size >= len(self.train.y):
            return self.train
        if len(self.order) < size:
            self.order = torch.randperm(len(self.train.y), generator=self.random)
        which, self.order = self.order[:size], self.order[size:]
        return self.train.rows(which)

    def _look(self, loss: float) -> None:
        """Score what is held out, and keep the best parameters."""
        if self.held is None:
            self.history.append((self.step, loss, None))
            return
        with torch.no_grad():
            outside = float(self.held.loss(self.net))
        self.history.append((self.step, loss, outside))
        self.waited += 1
        if outside < self.best_loss:
            self.best_loss, self.best_step, self.waited = outside, self.step, 0
            self.best = copy.deepcopy(self.net.state_dict())

    def _finished(self) -> bool:
        return self.setting["patience"] is not None and self.waited >= self.setting["patience"]

    _KEPT = ("order", "step", "best_step", "waited", "best_loss", "best", "history")

    def _save(self) -> None:
        if self.folder is None:
            return
        state = {name: getattr(self, name) for name in self._KEPT}
        checkpoint.save(
            self.folder / checkpoint.NAME,
            {**self.header, "done": False, "net": self.net.state_dict(), "run": state,
             "optimiser": self.optimiser.state_dict(), "random": self.random.get_state()},
        )  # fmt: skip

    def take_up(self, record: dict[str, Any]) -> None:
        """Go on from a checkpoint."""
        self.net.load_state_dict(record["net"])
        self.optimiser.load_state_dict(record["optimiser"])
        self.random.set_state(record["random"])
        for name, value in record["run"].items():
            setattr(self, name, value)


def _checked(net: Program, y: Any, x: Any, lengths: Any, weights: Any) -> _Data:
    y, x, count = check.data(net, y, x, lengths)
    if count is None:
        count = torch.full((len(y),), y.shape[1])
    w = torch.ones(len(y)) if weights is None else check.tensor("weights", weights)
    if w.shape not in (y.shape[:1], y.shape):
        raise DataError(
            f"weights has shape {list(w.shape)}; expected [{len(y)}], or {list(y.shape)} for "
            "one a step"
        )
    if not torch.isfinite(w).all() or (w < 0).any() or not w.sum() > 0:
        raise DataError("weights should be finite numbers of at least 0, not all 0")
    if w.ndim == 2 and (net.figure == "10.7" or net.length_rule is not None):
        raise DataError(f"{net.title} takes one weight a sequence: weights of shape [{len(y)}]")
    return _Data(y, x, w.to(net.dtype), count)


def _split(data: _Data, share: float, seed: int) -> tuple[_Data, _Data | None]:
    if not share:
        return data, None
    order = torch.randperm(len(data.y), generator=torch.Generator().manual_seed(seed))
    held = round(share * len(order))
    if not 0 < held < len(order):
        raise DataError(
            f"validation = {share} of {len(order)} sequences leaves one side empty; "
            "give more sequences, or another share"
        )
    return data.rows(order[held:]), data.rows(order[:held])


def _outcome(
    net: Program, train: _Data, held: _Data | None, steps: int, best: int,
    history: tuple[tuple[int, float, float | None], ...], unseen: int,
) -> Fitted:  # fmt: skip
    with torch.no_grad():
        loss = float(train.loss(net))
        outside = None if held is None else float(held.loss(net))
    return Fitted(net, loss, outside, steps, best, history, unseen)


def _plain(found: Fitted) -> dict[str, Any]:
    keys = ("loss", "validation", "steps", "best", "unseen")
    return {**{k: getattr(found, k) for k in keys}, "history": [list(h) for h in found.history]}


def _about(net: Program) -> dict[str, Any]:
    return {"figure": net.figure, **net.options, "dtype": str(net.dtype)}


def _fingerprint(data: _Data) -> list[float]:
    """Numbers that tell other data apart: sums along with positions, and the shape."""

    def mixed(tensor: Tensor) -> Iterator[float]:
        flat = tensor.double().flatten()
        yield from (float(len(flat)), float(flat @ torch.arange(1.0, len(flat) + 1).double().sin()))

    parts = [data.y, data.weights, data.lengths, *([] if data.x is None else [data.x])]
    return [number for part in parts for number in mixed(part)]
