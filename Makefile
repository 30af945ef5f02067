# Two commands on a fresh machine: `make demo` and `make test`. Each makes the environment it needs.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.DEFAULT_GOAL := help
.PHONY: help demo test test-slow lint notebooks notebooks-check results bench wheel clean

help:
	@echo "make demo       compare all built-in strategies on the same dice (results/demo/)"
	@echo "make test       the tests, without the slow ones"
	@echo "make test-slow  the slow ones"
	@echo "make lint       ruff and mypy"
	@echo "make bench      speed and memory, beside another package"
	@echo "make notebooks  run the notebooks in full; notebooks-check compares what they show"
	@echo "make results    remake the reference results in results/reference/"
	@echo "make wheel      build the wheel into dist/"
	@echo "make clean      remove the environment and everything built"

$(VENV)/python: 
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or later is needed; name one with: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/installed: pyproject.toml $(VENV)/python
	$(BIN)/pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/installed-%: pyproject.toml $(VENV)/python
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[$*]'
	@touch $@ $(VENV)/installed

demo: $(VENV)/installed
	$(BIN)/yahtzee-sim compare --games 100000 --seed 7 --workers -1 --out results/demo --overwrite

test: $(VENV)/installed-dev
	$(BIN)/python -m pytest -n 2 --dist loadfile -m "not slow"

test-slow: $(VENV)/installed-dev
	$(BIN)/python -m pytest -n 2 --dist loadfile -m slow

lint: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

notebooks: $(VENV)/installed-dev
	$(BIN)/python notebooks/execute.py

notebooks-check: $(VENV)/installed-dev
	$(BIN)/python notebooks/execute.py --check

results: $(VENV)/installed
	$(BIN)/python results/make.py

bench: $(VENV)/installed-bench
	$(BIN)/python benchmarks/run.py

wheel: $(VENV)/installed-dev
	$(BIN)/python -m build --wheel

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
