"""Site idioms: the text of a distribution whose parameters carry all parents.

Every parameter is squeezed by a sine, which is bounded and yet never flat, so that a change
of a parent stays visible however long the chain is.
"""

from .spelling import fit
from .tables import LENGTH

FAMILIES = {}


def family(function):
    """Enter a function under its name; it gets the writer and returns a distribution."""
    FAMILIES[function.__name__] = function
    return function


def positive(text):
    """A positive number, about 1."""
    return f"(0.6 + 0.5 * torch.sin({text}))"


def unit(text):
    """A probability away from 0 and 1."""
    return f"torch.sigmoid(torch.sin({text}))"


def vector(w, text):
    """A vector of three numbers that all move with the text."""
    flat = w.let(text, "m")
    forms = [
        f"{flat}.unsqueeze(-1) * {w.vector(LENGTH)}",
        f"torch.stack([{flat}, 0.5 * {flat}, {w.num()} - {flat}], -1)",
        f"({flat}.unsqueeze(-1) + {w.vector(LENGTH)})",
    ]
    if not w.shape:
        forms.append(f"torch.cat([{flat}[None], {w.vector(2)} * {flat}])")
    return w.let(w.rng.choice(forms), "m")


@family
def normal(w):
    loc, scale = w.slots(2)
    return f"dist.Normal({loc}, {positive(scale)})"


@family
def student(w):
    loc, scale = w.slots(2)
    return f"dist.StudentT(4.0, {loc}, {positive(scale)})"


@family
def lognormal(w):
    loc, scale = w.slots(2)
    return f"dist.LogNormal(0.5 * torch.sin({loc}), {positive(scale)})"


@family
def gamma(w):
    shape, rate = w.slots(2)
    return f"dist.Gamma(1.0 + {positive(shape)}, {positive(rate)})"


@family
def beta(w):
    a, b = w.slots(2)
    return f"dist.Beta(1.0 + {positive(a)}, 1.0 + {positive(b)})"


@family
def bernoulli(w):
    (p,) = w.slots(1)
    if w.rng.random() < 0.5:
        return f"dist.Bernoulli(logits=torch.sin({p}))"
    return f"dist.Bernoulli({unit(p)})"


@family
def categorical(w):
    (p,) = w.slots(1)
    logits = f"torch.sin({vector(w, p)})"
    if w.rng.random() < 0.5:
        return f"dist.Categorical(logits={logits})"
    return f"dist.Categorical(probs={logits}.softmax(-1))"


@family
def poisson(w):
    (rate,) = w.slots(1)
    return f"dist.Poisson({positive(rate)})"


@family
def transformed(w):
    loc, scale = w.slots(2)
    return (
        f"dist.TransformedDistribution(dist.Normal({loc}, {positive(scale)}), "
        "[dist.transforms.SigmoidTransform()])"
    )


@family
def affine(w):
    # A parent may enter by the transform alone.
    loc, shift = w.slots(2)
    return (
        f"dist.TransformedDistribution(dist.Normal({loc}, 1.0), "
        f"dist.transforms.AffineTransform({shift}, 2.0))"
    )


@family
def mixture(w):
    p, loc = w.slots(2)
    return (
        f"dist.MixtureSameFamily(dist.Categorical(logits=torch.sin({vector(w, p)})), "
        f"dist.Normal({vector(w, loc)}, 1.0))"
    )


@family
def mask_false(w):
    loc, scale = w.slots(2)
    return f"dist.Normal({loc}, {positive(scale)}).mask(False)"


@family
def ordered(w):
    # The constructor fills a buffer in place.
    predictor, cut = w.slots(2)
    cuts = f"torch.tensor([-0.5, 0.5]) + 0.1 * torch.sin({cut}).unsqueeze(-1)"
    return f"dist.OrderedLogistic({predictor}, {cuts})"


@family
def exponential(w):
    (rate,) = w.slots(1)
    return f"dist.Exponential({positive(rate)})"


@family
def uniform(w):
    # The support itself moves with the parents.
    low, width = w.slots(2)
    return w.rng.choice(
        (
            f"dist.Uniform(torch.sin({low}), 1.0 + {positive(width)})",
            f"dist.Uniform(-3.0 - torch.cos({width}), torch.sin({low}))",
        )
    )


@family
def laplace(w):
    loc, scale = w.slots(2)
    return f"dist.Laplace({loc}, {positive(scale)})"


@family
def half_normal(w):
    (scale,) = w.slots(1)
    return f"dist.HalfNormal({positive(scale)})"


@family
def binomial(w):
    (p,) = w.slots(1)
    return f"dist.Binomial(3, {w.rng.choice((unit(p), f'logits=torch.sin({p})'))})"


@family
def geometric(w):
    (p,) = w.slots(1)
    return f"dist.Geometric({unit(p)})"


@family
def zero_inflated(w):
    gate, rate = w.slots(2)
    return f"dist.ZeroInflatedPoisson({positive(rate)}, gate={unit(gate)})"


@family
def masked_mixture(w):
    # A mask in the distribution chooses between two others.
    # The mask is read off a parent itself, since a decision may hide behind a threshold.
    able = [k for k in w.keys if w.plan.source(k).sort != "module"]
    chosen = w.rng.choice(able) if able else None
    text = fit(w, w.plan.source(chosen)) if chosen else w.const()
    w.keys = [k for k in w.keys if k != chosen]
    mask = w.let(f"{text} > 0.1", "mask")
    first, second = w.slots(2)
    return (
        f"dist.MaskedMixture({mask}, dist.Normal({first}, 1.0).expand({w.shape_text}), "
        f"dist.Normal({second}, 2.0).expand({w.shape_text}))"
    )


@family
def vector_normal(w):
    loc, scale = w.slots(2)
    return f"dist.Normal({vector(w, loc)}, {positive(scale)}.unsqueeze(-1)).to_event(1)"


@family
def expanded_vector(w):
    (loc,) = w.slots(1)
    if w.shape:
        return f"dist.Normal({loc}.unsqueeze(-1), 1.0).expand([*{w.shape}, 3]).to_event(1)"
    return f"dist.Normal({loc}, 1.0).expand([3]).to_event(1)"


@family
def dirichlet(w):
    (p,) = w.slots(1)
    return f"dist.Dirichlet(1.2 + torch.sin({vector(w, p)}))"


@family
def mvn(w):
    loc, scale = w.slots(2)
    matrix = f"torch.eye(3) * {positive(scale)}[..., None, None]"
    keyword = w.rng.choice(("covariance_matrix", "scale_tril", "precision_matrix"))
    return f"dist.MultivariateNormal({vector(w, loc)}, {keyword}={matrix})"


@family
def multinomial(w):
    (p,) = w.slots(1)
    return f"dist.Multinomial(5, logits=torch.sin({vector(w, p)}))"


@family
def one_hot(w):
    (p,) = w.slots(1)
    return f"dist.OneHotCategorical(logits=torch.sin({vector(w, p)}))"


@family
def low_rank(w):
    loc, scale = w.slots(2)
    diagonal = f"torch.ones(3) * {positive(scale)}[..., None]"
    factor = f"torch.full((*{w.shape_text}, 3, 1), 0.3)"
    return f"dist.LowRankMultivariateNormal({vector(w, loc)}, {factor}, {diagonal})"
