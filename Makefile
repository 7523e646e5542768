# All set-up is done here: a machine needs Python 3.11 or newer, make and a package index.

VENV := .venv
PY := $(VENV)/bin/python
LINKS := $(VENV)/links/chocolatl
WORKERS ?= 2
PART ?= tests

# The first interpreter that really runs (a version manager may put names on the path that don't), is new enough and
# can make a virtual environment. `make test PYTHON=python3.12` names another.
USABLE := import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for name in python3.13 python3.12 python3.11 python3 python; do \
	if "$$name" -c '$(USABLE)' >/dev/null 2>&1; then echo "$$name"; break; fi; done)

# Shipped policies; what best responses win from them stands in their files.
MEASURED := OPENBLAS_NUM_THREADS=1 $(PY) -m benchmarks.learned --responses 0 --policy

PIP_INSTALL := $(PY) -m pip install -qq --disable-pip-version-check --no-build-isolation -c constraints.txt

.DEFAULT_GOAL := help
.PHONY: help demo test test-wheel evidence tables bench bench-check bench-limits bench-lookahead bench-solver bench-former bench-player \
	bench-numbers bench-regrets bench-learned clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*## ' Makefile | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 20

demo: $(VENV)/program ## deal, play and explain a game
	@$(PY) -m docs.demo

test: $(VENV)/tests ## lint, type check and test
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(PY) -m pytest -n $(WORKERS) --dist worksteal

test-wheel: $(VENV)/tests ## run the tests against the installed wheel, apart from the checkout
	$(PY) -m tests.distribution.installed -n $(WORKERS) --dist worksteal $(PART)

evidence: $(VENV)/tests ## run the properties at full counts and write docs/evidence.json
	$(PY) -m pytest -n $(WORKERS) --dist worksteal --full-counts $(if $(GO_ON),--go-on) $(PART)

tables: $(VENV)/program ## write the parser's tables anew, after a change of the grammar
	$(PY) -m chocolatl.interpreter.syntax.tables

bench: $(VENV)/tests ## measure games per second
	@$(PY) -m benchmarks.goofspiel
	@$(PY) -m benchmarks.games
	@$(PY) -m benchmarks.memory

bench-check: $(VENV)/tests ## measure how long checking takes, and how it grows
	@$(PY) -m benchmarks.check

bench-limits: $(VENV)/tests ## measure how `solve` keeps to its time limit (minutes)
	@$(PY) -m benchmarks.limits

bench-lookahead: $(VENV)/tests ## measure players that look ahead, and games from a position
	@$(PY) -m benchmarks.lookahead

bench-solver: $(VENV)/tests ## measure best bids beside a model made by hand and enumeration (minutes)
	@$(PY) -m benchmarks.solver
	@$(PY) -m benchmarks.enumeration

bench-former: $(VENV)/tests ## measure the solver player against the one of the first release (minutes)
	@$(PY) -m benchmarks.former --same 200
	@$(PY) -m benchmarks.former

bench-player: $(VENV)/tests ## measure the solver player among learned and greedy players (an hour)
	@OPENBLAS_NUM_THREADS=1 $(PY) -m benchmarks.player

bench-numbers: $(VENV)/tests ## measure numbers that are chosen beside a model made by hand and a hill climb (minutes)
	@$(PY) -m benchmarks.numbers

bench-regrets: $(VENV)/tests ## measure what answers lose beside the best one where that is known (minutes)
	@$(PY) -m benchmarks.regrets

bench-learned: $(VENV)/tests ## measure how strong learned players are (half an hour)
	@OPENBLAS_NUM_THREADS=1 $(PY) -m benchmarks.learned
	@$(MEASURED) rules/chocolatl/policy.yaml "chocolatl/dutch 4" "chocolatl/five_rounds 4" --accept-stale
	@$(MEASURED) rules/chocolatl/policy.yaml "chocolatl/four_locations 4"
	@$(MEASURED) rules/quetzal/policy.yaml "quetzal 2" "quetzal 3" "quetzal 4" "quetzal 5"
	@$(MEASURED) rules/cacao/policy.yaml "cacao 2" "cacao 3" "cacao 4"
	@$(MEASURED) rules/goofspiel/policy.yaml "goofspiel 2" "goofspiel 3" "goofspiel 4"
	@$(MEASURED) rules/blotto/policy.yaml "blotto 3" "blotto 4"

clean: ## remove the environment and everything that was built or cached
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Two stamps, so that the demo does not wait for what only the tests need. What is installed where it stands is compiled
# as any other package is, so that the first commands need not do it. For type checkers and editors its parts are linked
# to where they are imported from.
$(VENV)/program: pyproject.toml constraints.txt
	@if [ -z "$(PYTHON)" ]; then \
		echo "error: no Python 3.11 or newer with venv and ensurepip was found; install one, or name it:" >&2; \
		echo "       make PYTHON=/path/to/python3 ..." >&2; exit 1; fi
	@if ! "$(PYTHON)" -c '$(USABLE)'; then \
		echo "error: $(PYTHON) is not a Python 3.11 or newer with venv and ensurepip" >&2; exit 1; fi
	@echo "Setting up $(VENV) with $$("$(PYTHON)" --version) (once; needs the package index)"
	@"$(PYTHON)" -m venv --clear $(VENV)
	@$(PIP_INSTALL) hatchling
	@$(PIP_INSTALL) -e '.[all]'
	@mkdir -p $(LINKS)
	@for name in src/chocolatl/*.* interpreter solver cli.py; do ln -s "$(CURDIR)/$$name" $(LINKS); done
	@$(PY) -m compileall -q src interpreter solver cli.py
	@touch $@

$(VENV)/tests: $(VENV)/program
	@echo "Installing what the tests need"
	@$(PIP_INSTALL) -e '.[all,test]'
	@touch $@
