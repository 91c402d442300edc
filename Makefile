# make figures    set up, draw every figure, compare it with the book
# make experiments   run every experiment at full size; results/NAME/result.json and plots
# make page       build the interactive lesson, page.html
# make docs       the documentation, in site/
# make test       set up, run the whole test suite
# make check      lint, format, types, import contract, tests
#
# PYTHON=python3.12        another interpreter (3.11 or later)
# TORCH_INDEX=URL          an extra package index that has CPU builds of torch

PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
BASE := $(VENV)/.base
READY := $(VENV)/.ready
TORCH_INDEX ?=
EXTRA := $(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX))

.PHONY: figures experiments page docs test check fuzz benchmarks clean

figures: $(BASE)
	$(BIN)/pgm-rnn figures --out figures/rendered

experiments: $(READY)
	$(BIN)/pgm-rnn experiment run all --out results

page: $(BASE)
	$(BIN)/pgm-rnn page -o page.html

docs: $(READY)
	$(BIN)/python docs/extract_api.py
	$(BIN)/python docs/make_notebook.py
	$(BIN)/python -m mkdocs build --strict --quiet

test: $(READY)
	$(BIN)/python -m pytest

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest

N ?= 10000
fuzz: $(READY)
	$(BIN)/python tests/fuzz/run.py --n $(N)

benchmarks: $(READY)
	for file in benchmarks/*.py; do $(BIN)/python $$file || exit 1; done

INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check $(EXTRA) -c constraints.txt

$(BASE): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) -e .
	touch $@

$(READY): $(BASE)
	$(INSTALL) -e ".[dev]"
	touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info
