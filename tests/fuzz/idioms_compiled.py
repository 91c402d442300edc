"""Value idioms of code that torch runs by itself: scripted modules and writes, checkpoints."""

from .registry import value


@value(sources=(1, 2))
def scripted_module(w, s, d):
    net = w.top_lines("scripted_net", "scripted_net = torch.jit.script(torch.nn.Linear(1, 2))")
    return f"{net}(({' + '.join(s)}).unsqueeze(-1))[..., 1]"


@value()
def scripted_write(w, s, d):
    # Compiled code writes into its argument and returns nothing.
    put = w.top_lines(
        "scripted_put",
        "@torch.jit.script",
        "def scripted_put(buffer: torch.Tensor, x: torch.Tensor) -> None:",
        "    buffer[1] = 0.5 * x",
    )
    buf = w.let(f"torch.zeros({w.rows(2)})", "buf")
    w.line(f"{put}({buf}, {s[0]}.detach())")
    return f"{buf}[1]"


@value(sources=(1, 2))
def checkpointed(w, s, d):
    w.top_lines("checkpoint", "from torch.utils.checkpoint import checkpoint")
    step = w.top_function("smooth", "(x)", "return 0.4 * x + torch.sin(x)")
    return f"checkpoint({step}, {' + '.join(s)}, use_reentrant=False)"


@value(sources=(1, 2), flat=True)
def functional_call(w, s, d):
    # A site as a module's weight; what the module itself holds is not used.
    net = w.top_lines("free_linear", "free_linear = torch.nn.Linear(1, 2)")
    bias = s[1] if len(s) > 1 else "torch.tensor(0.3)"
    weights = f"{{'weight': {s[0]}.expand(2, 1), 'bias': {bias}.expand(2)}}"
    return f"torch.func.functional_call({net}, {weights}, torch.tensor([0.7]))[1]"


@value(sources=(1, 3), flat=True)
def vmapped_model(w, s, d):
    # One function over a batch, with a constant that all its calls share.
    row = w.let(f"torch.stack([{', '.join(s)}])[:, None]", "row")
    f = w.top_function("affine_row", "(x, weights)", "return F.linear(x, weights[:, None]).sum()")
    return f"torch.vmap({f}, in_dims=(0, None))({row}, {w.vector(2)}.abs()).sum()"


@value(sources=(2, 2), flat=True)
def vmapped_over_closure(w, s, d):
    # The second source enters by the closure, not as an argument.
    b = w.let(s[1], "b")
    return f"torch.vmap(lambda v: v * 0.3 + {b})(torch.stack([{s[0]}, {s[0]}])).sum()"


@value(sources=(1, 2))
def autograd_function_of_many(w, s, d):
    both = w.top_lines(
        "Both",
        "class Both(torch.autograd.Function):",
        "    @staticmethod",
        "    def forward(ctx, x, y, factor):",
        "        ctx.factor = factor",
        "        return x.clone(), factor * x + y",
        "",
        "    @staticmethod",
        "    def backward(ctx, grad_x, grad_y):",
        "        return grad_x + ctx.factor * grad_y, grad_y, None",
    )
    y = s[1] if len(s) > 1 else w.const()
    return f"{both}.apply({s[0]}, {y}, {w.num()})[1]"
