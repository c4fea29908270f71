# `make demo` runs the tool on data it makes itself, `make lab` opens the web lab on such data, `make test` checks it.
PYTHON ?= python3
BIN := .venv/bin
WORKERS ?= 2
SOURCES := $(wildcard irassay/*/*/*.c)

demo: .venv/ready
	$(BIN)/irassay demo

# The web lab on a simulated collection.
lab: .venv/ready
	$(BIN)/irassay lab --demo

test: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/pytest -n $(WORKERS)

# Writes irassay/index.json, the stubs and docs/metrics.md from the declarations; tests check that they are current.
index: .venv/ready
	$(BIN)/python -m irassay.cli.index

.venv/ready: requirements.lock pyproject.toml hatch_build.py $(SOURCES)
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "irassay needs Python 3.11 or later; set PYTHON=")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	$(BIN)/python -m compileall -q irassay
	touch $@

# Optional: known vulnerabilities of the locked packages. Needs pip-audit (pip install pip-audit) and a network; a package
# that could not be looked up is a failure.
audit:
	pip-audit --strict --require-hashes -r requirements.lock

# Writes the hashes of the versions in requirements.lock; needs a network.
lock: .venv/ready
	$(BIN)/python -m tests.support.lock

# The tests with the oldest versions that pyproject.toml admits; browsers, types and style are left to `make test`. What
# was printed before is compared to 1e-9: quantiles of t and of the normal differ in the 12th digit between scipys.
test-oldest: .venv-oldest/ready
	IRASSAY_GOLDEN_TOLERANCE=1e-9 .venv-oldest/bin/python -m pytest -n $(WORKERS) --ignore=tests/browser --ignore=tests/test_typing.py

.venv-oldest/ready: requirements-oldest.txt pyproject.toml hatch_build.py $(SOURCES)
	$(PYTHON) -m venv .venv-oldest
	.venv-oldest/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-oldest.txt \
	  pytest pytest-xdist hypothesis pandas pyarrow pooch hatchling editables build
	.venv-oldest/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

clean:
	rm -rf .venv .venv-oldest dist build *.egg-info

.PHONY: demo lab test index audit lock test-oldest clean
