"""The families of sites with their weights, and the modules with their parameters."""

SCALARS = {
    "normal": 6, "lognormal": 1, "gamma": 1, "beta": 1, "student": 1, "bernoulli": 2,
    "categorical": 3, "poisson": 2, "transformed": 1, "affine": 1, "mixture": 1,
    "mask_false": 1, "ordered": 1,
}  # fmt: skip
VECTORS = {"vector_normal": 3, "expanded_vector": 1, "dirichlet": 1, "mvn": 1, "multinomial": 1}
INTEGERS = {"bernoulli", "categorical", "poisson", "ordered"}
REAL = ("normal", "student", "mask_false")
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
}
ODD_NAMES = ("a:b", "h<t>", "p&q", "u.v", "w{1}", "$\\nu$", "two words", "it's")
