"""What each torch function does with the origins of its arguments: one table.

A function that is not in the table unites them (UNITE): that is always safe, never precise.
The precise kinds matter only where the elements of one tensor differ in origin.
"""

from collections.abc import Callable, Iterable
from enum import IntEnum
from types import MethodWrapperType
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor


class Kind(IntEnum):
    """The kinds of functions."""

    UNITE = 0  # each output element may come from any argument element
    SILENT = 1  # the result carries no value of its arguments: shapes, types, zeros_like
    COPY = 2  # the elements of the first argument, one by one; other arguments carry nothing
    REPLAY = 3  # elements are picked: do the same to the map
    STACK = 4  # as REPLAY, on a sequence of tensors
    PAIRWISE = 5  # output i comes from argument i
    ELEMENTWISE = 6  # element by element, with broadcasting
    PRODUCT = 7  # as ELEMENTWISE, but the Python number 0 carries nothing
    POWER = 8  # as ELEMENTWISE, but a Python exponent 0 carries nothing
    ALONG = 9  # elements join along dimensions: sum, softmax, sort
    BEFORE = 10  # elements join with those before them: cumsum
    MATMUL = 11
    LINEAR = 12
    EMBEDDING = 13
    ONE_HOT = 14
    GATHER = 15  # picked by an index tensor of the output's shape
    SELECT = 16  # picked along one dimension by an index tensor
    INDEX = 17  # Tensor.__getitem__
    RECURRENT = 18  # fused RNN, LSTM, GRU over a whole sequence
    FILLED = 19  # only the fill value counts: full_like, new_tensor
    WRITE = 20  # changes its first argument
    VALUE = 21  # hands a Python value to the program: item, bool, numpy
    LITERAL = 22  # torch.tensor([a, b]) and the like
    ITERATE = 23  # Tensor.__iter__
    PAD = 24
    CELL = 25  # one step of an RNN, GRU or LSTM: row by row
    EINSUM = 26
    MOVE = 27  # every element of the first argument, elsewhere
    PLACE = 28  # a copy of the first argument with something written into it: scatter, index_put
    ATTENTION = 29
    MULTIHEAD = 30
    CONV1D = 31
    LAYER_NORM = 32
    BATCH_NORM = 33
    ESCAPE = 34  # hands the value over in a form that no rerun can change: text, DLPack


KIND: dict[Callable, Kind] = {}


def _enter(kind: Kind, names: str, *owners: Any) -> None:
    for name in names.split():
        for owner in owners or (torch, Tensor, F, torch.special, torch.linalg):
            function = getattr(owner, name, None)
            if callable(function):
                KIND[function] = kind


def _properties(kind: Kind, names: Iterable[str]) -> None:
    for name in names:
        attribute = getattr(Tensor, name, None)
        getter = getattr(attribute, "__get__", None)
        if isinstance(getter, MethodWrapperType):
            KIND[getter] = kind


_properties(Kind.SILENT, [n for n in dir(Tensor) if not callable(getattr(Tensor, n, None))])
_properties(Kind.COPY, ["data", "real", "imag"])
_properties(Kind.MOVE, ["T", "mT", "H", "mH"])

_enter(
    Kind.SILENT,
    """
    zeros_like ones_like empty_like rand_like randn_like randint_like new_zeros new_ones
    new_empty new_empty_strided size stride dim ndimension numel nelement element_size
    storage_offset is_tensor is_floating_point is_complex is_contiguous is_pinned is_shared
    is_signed is_same_size get_device is_storage is_set_to is_inference is_conj is_neg
    is_coalesced data_ptr storage untyped_storage backward register_hook
    register_post_accumulate_grad_hook retain_grad requires_grad_ requires_grad type_as_ __len__
    __hash__ __dir__ result_type promote_types can_cast
    broadcast_shapes finfo iinfo has_names names dim_order share_memory_ _is_view _typed_storage
    __sizeof__
""",
)
_enter(
    Kind.COPY,
    """
    clone contiguous detach detach_ alias to float double half bfloat16 int long short char byte
    bool cpu cuda type type_as pin_memory resolve_conj resolve_neg view_as_real_copy lift_fresh
""",
)
_enter(
    Kind.MOVE,
    """
    view reshape permute transpose t swapaxes swapdims movedim moveaxis adjoint expand
    broadcast_to squeeze unsqueeze flatten unflatten ravel flip fliplr flipud roll rot90 repeat
    repeat_interleave tile atleast_1d atleast_2d atleast_3d
    """,
)
_enter(
    Kind.REPLAY,
    """
    select narrow narrow_copy split split_with_sizes tensor_split chunk unbind hsplit vsplit
    dsplit unfold diag diagonal diag_embed tril triu as_strided slice_copy select_copy
    """,
)
_enter(
    Kind.STACK,
    """
    stack cat concat concatenate hstack vstack dstack column_stack row_stack block_diag
""",
)
_enter(Kind.PAIRWISE, "broadcast_tensors meshgrid")
_enter(
    Kind.ELEMENTWISE,
    """
    abs absolute neg negative positive exp exp2 expm1 log log2 log10 log1p sqrt rsqrt square sin
    cos tan asin acos atan sinh cosh tanh asinh acosh atanh sigmoid logit erf erfc erfinv lgamma
    digamma polygamma mvlgamma ceil floor round trunc frac sign sgn signbit reciprocal
    nan_to_num isnan isinf isfinite isneginf isposinf isreal relu relu6 elu selu celu gelu silu
    mish softplus softsign logsigmoid hardtanh hardsigmoid hardswish leaky_relu threshold
    tanhshrink softshrink hardshrink rrelu dropout alpha_dropout feature_dropout logical_not
    bitwise_not expit ndtr ndtri log_ndtr i0 i0e i1 i1e entr xlogy xlog1py zeta gammainc
    gammaincc gammaln psi add sub subtract rsub div divide true_divide floor_divide remainder
    fmod atan2 arctan2 hypot lerp addcmul addcdiv maximum minimum fmax fmin copysign nextafter
    ldexp logaddexp logaddexp2 heaviside gcd lcm eq ne lt le gt ge equal_ greater greater_equal
    less less_equal not_equal isclose logical_and logical_or logical_xor bitwise_and bitwise_or
    bitwise_xor bitwise_left_shift bitwise_right_shift clamp clip clamp_min clamp_max where
    masked_fill float_power bernoulli poisson normal float_power prelu
    binary_cross_entropy_with_logits angle conj deg2rad rad2deg sinc __add__ __radd__ __sub__
    __rsub__ __truediv__ __rtruediv__ __div__ __rdiv__ __floordiv__ __rfloordiv__ __mod__
    __rmod__ __neg__ __pos__ __abs__ __invert__ __and__ __or__ __xor__ __rand__ __ror__ __rxor__
    __lshift__ __rshift__ __rlshift__ __rrshift__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__
    __rpow__ _standard_gamma
""",
)
_enter(Kind.PRODUCT, "mul multiply __mul__ __rmul__")
_enter(Kind.POWER, "pow __pow__")
_enter(
    Kind.ALONG,
    """
    sum nansum mean nanmean prod amax amin max min argmax argmin aminmax all any logsumexp std
    var std_mean var_mean norm median nanmedian mode softmax log_softmax softmin sort argsort
    topk kthvalue msort count_nonzero normalize renorm quantile nanquantile cosine_similarity
    glu
""",
)
_enter(Kind.ALONG, "norm vector_norm", torch.linalg)
_enter(Kind.BEFORE, "cumsum cumprod logcumsumexp cummax cummin")
_enter(Kind.MATMUL, "matmul mm bmm mv dot inner __matmul__ __rmatmul__ chain_matmul")
_enter(Kind.LINEAR, "linear", F)
_enter(Kind.EMBEDDING, "embedding", torch, F)
_enter(Kind.ONE_HOT, "one_hot", F)
_enter(Kind.GATHER, "gather take_along_dim take", torch, Tensor)
_enter(Kind.SELECT, "index_select", torch, Tensor)
_enter(Kind.INDEX, "__getitem__", Tensor)
_enter(Kind.RECURRENT, "rnn_tanh rnn_relu lstm gru", torch._VF)
_enter(Kind.COPY, "view_as reshape_as expand_as", Tensor)
_enter(Kind.CELL, "rnn_tanh_cell rnn_relu_cell gru_cell lstm_cell", torch)
_enter(Kind.FILLED, "full_like new_full new_tensor", torch, Tensor)
_enter(Kind.VALUE, """
    item tolist numpy __bool__ __int__ __float__ __index__ __complex__ __array__ is_nonzero
    equal allclose __contains__
""", torch, Tensor)  # fmt: skip
_enter(Kind.LITERAL, "tensor as_tensor asarray scalar_tensor", torch)
_enter(Kind.ESCAPE, "__repr__ __format__ __str__ __reduce_ex__ __dlpack__", Tensor)
_enter(Kind.EINSUM, "einsum", torch)
_enter(Kind.ATTENTION, "scaled_dot_product_attention", F)
_enter(Kind.MULTIHEAD, "multi_head_attention_forward", F)
_enter(Kind.CONV1D, "conv1d", torch, F)
_enter(Kind.LAYER_NORM, "layer_norm rms_norm", torch, F)
_enter(Kind.BATCH_NORM, "batch_norm", F)
_enter(Kind.PAD, "pad", F)
_enter(
    Kind.PLACE,
    "scatter scatter_add scatter_reduce index_put index_copy index_fill index_add masked_scatter",
    torch,
    Tensor,
)
_enter(Kind.ITERATE, "__iter__", Tensor)
_NOT_WRITES = {"__iter__", "__int__", "__index__", "__init__", "__invert__", "__init_subclass__"}
for _name in dir(Tensor):
    _in_place = _name.endswith("_") and not _name.startswith("_")
    _augmented = _name.startswith("__i") and _name not in _NOT_WRITES
    if (_in_place or _augmented) and callable(getattr(Tensor, _name)):
        KIND.setdefault(getattr(Tensor, _name), Kind.WRITE)
_enter(Kind.WRITE, "__setitem__", Tensor)
KIND[Tensor.data.__set__] = Kind.WRITE  # type: ignore[attr-defined]
KIND[torch._C.TensorBase.__setitem__] = Kind.WRITE

# Which argument meets which parameter first: a bias that is added later gives no letter.
# position of an argument -> positions of the arguments whose parameters it meets
MEETS: dict[Callable, dict[int, tuple[int, ...]]] = {}
_first_by_second: list[Callable] = [F.linear, F.conv1d, F.conv2d, F.conv3d, F.embedding]
for _function in _first_by_second:
    MEETS[_function] = {0: (1,)}
MEETS[torch.embedding] = {1: (0,)}
for _owner in (torch, Tensor):
    for _name in ("addmm", "addmv", "addbmm", "baddbmm"):
        MEETS[getattr(_owner, _name)] = {0: (), 1: (2,), 2: (1,)}
for _name in ("rnn_tanh_cell", "rnn_relu_cell", "gru_cell", "lstm_cell"):
    MEETS[getattr(torch, _name)] = {0: (2,), 1: (3,)}
