# Two commands: `make demo` runs the tool on data it makes itself, `make test` checks it.
PYTHON ?= python3
BIN := .venv/bin
WORKERS ?= 2

demo: .venv/ready
	$(BIN)/irassay demo

test: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/pytest -n $(WORKERS)

# Writes irassay/index.json and the stubs from the declarations; a test holds that both are current.
index: .venv/ready
	$(BIN)/python -m irassay.cli.index

.venv/ready: requirements.lock pyproject.toml hatch_build.py irassay/io/scan/scan.c irassay/stats/native/step.c
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "irassay needs Python 3.11 or later; set PYTHON=")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

# Known vulnerabilities of the locked packages; needs pip-audit and a network, and is no part of `make test`.
audit:
	pip-audit -r requirements.lock

clean:
	rm -rf .venv dist build *.egg-info

.PHONY: demo test index audit clean
