"""Write both pictures of char_rnn.py beside this file: by Pyro's render_model, and by ours."""

from pathlib import Path

import torch
from char_rnn import K, model
from pyro.infer.inspect import render_model as pyro_render_model

from pgm_rnn import render_model
from pgm_rnn.drawing.render import render

here = Path(__file__).parent / "pictures"
tokens = torch.zeros(8, 4, dtype=torch.long).random_(K)
before = pyro_render_model(model, (tokens,))
(here / "char_rnn_before.svg").write_bytes(render(before.source, "dot", "svg"))
render_model(model, (tokens,)).render(here / "char_rnn_after", format="svg", cleanup=True)
