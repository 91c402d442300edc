"""The families of sites with their weights, and the modules with their parameters."""

SCALARS = {
    "normal": 6, "lognormal": 1, "gamma": 1, "beta": 1, "student": 1, "bernoulli": 2,
    "categorical": 3, "poisson": 2, "transformed": 1, "affine": 1, "mixture": 1,
    "mask_false": 1, "ordered": 1, "exponential": 0.5, "uniform": 1, "laplace": 0.5,
    "half_normal": 0.5, "binomial": 1, "geometric": 0.5, "zero_inflated": 1, "masked_mixture": 1,
}  # fmt: skip
VECTORS = {
    "vector_normal": 3, "expanded_vector": 1, "dirichlet": 1, "mvn": 1, "multinomial": 1,
    "one_hot": 0.5, "low_rank": 0.5,
}  # fmt: skip
COUNTS = {"poisson", "geometric", "zero_inflated"}  # without an upper end
INTEGERS = {"bernoulli", "categorical", "ordered", "binomial"} | COUNTS
REAL = ("normal", "student", "mask_false", "laplace")
REAL_VECTORS = ("vector_normal", "expanded_vector", "mvn", "low_rank")
TOKENS = ("categorical", "poisson", "ordered")
LENGTH = 3  # of every vector-valued site

MODULES = {
    "Linear": ("weight", "bias"),
    "Embedding": ("weight",),
    "RNNCell": ("weight_ih", "weight_hh", "bias_ih", "bias_hh"),
    "GRUCell": ("weight_ih", "weight_hh", "bias_ih", "bias_hh"),
    "LSTMCell": ("weight_ih", "weight_hh", "bias_ih", "bias_hh"),
    "RNN": ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"),
    "GRU": ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"),
    "LSTM": ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"),
    "Sequential": ("0.weight", "0.bias", "2.weight", "2.bias"),
    "LayerNorm": ("weight", "bias"),
    "Conv1d": ("weight", "bias"),
}
# The arguments with which every module is made; "1, 2" where nothing is said.
MADE_WITH = {
    "Embedding": "5, 2",
    "Sequential": "torch.nn.Linear(1, 3), torch.nn.Softplus(), torch.nn.Linear(3, 1)",
    "LayerNorm": "2",
    "Conv1d": "1, 2, 3, padding=1",
}
ODD_NAMES = ("a:b", "h<t>", "p&q", "u.v", "w{1}", "$\\nu$", "two words", "it's")


def made(cls: str) -> str:
    """The text that makes a module of this class."""
    return f"torch.nn.{cls}({MADE_WITH.get(cls, '1, 2')})"
