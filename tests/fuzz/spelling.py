"""How a child reads a source: under which name, and how that becomes a float of its shape."""

from .plan import Data, Site, Source
from .tables import COUNTS


def spell(w, source: Source) -> str:
    """An expression that is the source itself, in its own shape and type."""
    if isinstance(source, Site):
        choices = [(source.code, "variable")] * 3
        choices += w.spellings.get(source.key, [])
    else:
        data = next((one for one in w.plan.data if one.key == source.key), None)
        code = w.indexed(source.code, source.plates)
        choices = [(free_element(w, data), "leak")] if data else [(code, source.sort)]
        if source.sort == "param" and source.code == source.node and not w.plan.lifted(source.node):
            choices.append((f'pyro.param("{source.node}")', "param_again"))
    text, idiom = w.rng.choice(choices)
    w.note(idiom)
    return text


def free_element(w, data: Data) -> str:
    """An element of the data that is an input here: of no site, or of a site yet to run."""
    now = w.plan.position(w.child.key)
    free = [
        i
        for i, key in enumerate(data.columns)
        if key is None or not data.owned or w.plan.position(key) >= now
    ]
    return column(data, w.rng.choice(free))


def column(data: Data, at: int | str, name: str | None = None) -> str:
    """One column of the data: the time comes first or, after a batch, last."""
    return f"{name or data.code}[{':, ' if data.time_last else ''}{at}]"


def integer(w, source: Source, text: str) -> str:
    """A small integer of type long, from a site of any type that has such values."""
    family = source.family if isinstance(source, Site) else "input"
    if family in ("bernoulli", "binomial"):
        return f"{text}.long()"
    if family in COUNTS:
        return f"{text}.long().clamp(max=4)"
    return text


def fit(w, source: Source) -> str:
    """The source as a float tensor of exactly the child's shape."""
    text = spell(w, source)
    shape = w.batch(source.plates)
    if source.event:
        text = reduce_event(w, text)
    if source.integer:
        text = to_float(w, integer(w, source, text), text, shape)
    if len(shape) > len(w.shape) or any(
        n != 1 and n != m for n, m in zip(shape[::-1], w.shape[::-1], strict=False)
    ):
        text, shape = reduce_batch(w, text, shape)
    return text if shape == w.shape else widen(w, text)


def reduce_event(w, text: str) -> str:
    """One number of a vector-valued source; any of its elements stands for the whole."""
    i = w.rng.randrange(3)
    name, form = w.rng.choice(
        (
            ("event_index", f"{text}[..., {i}]"),
            ("event_sum", f"{text}.sum(-1)"),
            ("event_mean", f"{text}.mean(-1)"),
            ("event_matmul", f"({text} @ {w.vector(3)})"),
            ("event_einsum", f"torch.einsum('...i,i->...', {text}, {w.vector(3)})"),
            ("event_norm", f"{text}.norm(dim=-1)"),
            ("event_unbind", f"{text}.unbind(-1)[{i}]"),
            ("event_linear", f"F.linear({text}, {w.vector(3)}[None])[..., 0]"),
            ("event_softmax", f"{text}.softmax(-1)[..., {i}]"),
            ("event_max", f"{text}.max(-1).values"),
            ("event_flip_cumsum", f"{text}.flip(-1).cumsum(-1)[..., {i}]"),
        )
    )
    w.note(name)
    return form


def to_float(w, long: str, text: str, shape: tuple[int, ...]) -> str:
    """An integer source as a float: by a cast, a table, an embedding or one-hot codes."""
    choices = [
        ("cast", f"{text} * 1.0"),
        ("cast", f"{text}.float()"),
        ("cast", f"{text}.to(torch.float32)"),
        ("table_by_tensor", f"{w.vector(5)}[{long}]"),
        ("table_by_tensor", f"torch.take({w.vector(5)}, {long})"),
        ("one_hot", f"(F.one_hot({long}, 5).float() @ {w.vector(5)})"),
        ("one_hot", f"F.one_hot({long}, 5).mul({w.vector(5)}).sum(-1)"),
        ("embedding_of_batch", f"F.embedding({long}, {w.vector(10)}.reshape(5, 2))[..., 1]"),
        ("equals", f"({long} == 0).float()"),
    ]
    if w.plan.discrete:
        choices.pop()
    if not shape:
        choices.append(("index_select", f"{w.vector(5)}.index_select(0, {long}.reshape(1))[0]"))
    name, form = w.rng.choice(choices)
    w.note(name)
    return f"({form})"


def reduce_batch(w, text: str, shape: tuple[int, ...]) -> tuple[str, tuple[int, ...]]:
    """The source over plates in which the child is not, summed up."""
    w.note("plate_reduce")
    if not w.shape:
        forms = (".sum()", ".mean()", ".max()", ".flatten()[0]", ".reshape(-1)[-1]")
        return f"{text}{w.rng.choice(forms)}", ()
    kept = []
    for back in range(1, len(shape) + 1):
        wanted = w.shape[-back] if back <= len(w.shape) else 1
        if shape[-back] not in (1, wanted):
            text += w.rng.choice((f".sum({-back}, keepdim=True)", f".narrow({-back}, 0, 1)"))
            kept.insert(0, 1)
        else:
            kept.insert(0, shape[-back])
    while len(kept) > len(w.shape):
        text, kept = f"{text}.squeeze(0)", kept[1:]
    return text, tuple(kept)


def widen(w, text: str) -> str:
    """A smaller source spread over the child's shape."""
    name, form = w.rng.choice(
        (
            ("expand", f"{text}.expand({w.shape_text})"),
            ("broadcast_to", f"torch.broadcast_to({text}, {w.shape_text})"),
            ("add_zeros", f"({text} + torch.zeros({w.shape_text}))"),
        )
    )
    w.note(name)
    return form
