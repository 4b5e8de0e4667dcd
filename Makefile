# Everything starts from a bare Python 3.11+: the first target that needs it builds .venv from the hashed lock.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# Typer writes for HTML; Markdown shows quotation marks as they are.
CLI_DOCS := $(BIN)/python -m typer keifu_quality.cli.main utils docs --name keifu --title "Command line" \
	| sed "s/&quot;/\"/g; s/&\#x27;/'/g; s/&gt;/>/g; s/&lt;/</g; s/&amp;/\&/g"
export KEIFU_HOME ?= $(CURDIR)/.keifu

.DEFAULT_GOAL := help
.PHONY: help install demo test test-fast lint format docs accuracy ui bench clean

help: ## Show this help
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

install: $(STAMP) ## Build the virtual environment

$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; assert (3, 11) <= sys.version_info < (3, 14), "Python 3.11, 3.12 or 3.13 is needed: make PYTHON=python3.12"'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $(STAMP)

demo: $(STAMP) ## Embedded databases, a sample roster, three diagnoses
	$(BIN)/keifu demo

test: $(STAMP) ## All tests, browser included when Chromium is installed
	$(BIN)/pytest

test-fast: $(STAMP) ## Tests that need no database
	$(BIN)/pytest -m "not postgres and not dagster and not browser"

lint: $(STAMP) ## Style, types, layers, generated documentation
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports
	$(BIN)/python -m keifu_quality.rule_docs --check
	@$(CLI_DOCS) | diff docs/cli.md - || { echo "docs/cli.md is not what the command line says: make docs"; exit 1; }

format: $(STAMP) ## Format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(STAMP) ## Write the generated documentation
	$(BIN)/python -m keifu_quality.rule_docs
	$(CLI_DOCS) > docs/cli.md

accuracy: $(STAMP) ## Measure every rule on 10,000 invented athletes with known faults
	$(BIN)/keifu accuracy

bench: $(STAMP) ## Roster speed beside its floors; ARGS="--roster PATH" takes a real roster
	$(BIN)/python -m benchmarks.roster $(ARGS)

ui: $(STAMP) ## The Dagster UI on http://127.0.0.1:3000
	$(BIN)/keifu ui

clean: ## Stop the embedded server; remove the environment and its data
	-$(BIN)/keifu db stop
	rm -rf $(VENV) $(KEIFU_HOME)
