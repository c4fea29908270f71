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

test: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/pytest -n $(WORKERS)

# Builds the documentation into docs/_build/html, offline; every warning is an error. `make docs-setup` installs its packages.
docs: .venv/docs
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet --jobs auto docs docs/_build/html
	@echo "The site is in docs/_build/html: open docs/_build/html/index.html"

docs-setup: .venv/docs

.venv/docs: .venv/ready requirements-docs.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-docs.lock
	touch $@

# Writes irassay/index.json and the stubs from the declarations; tests check that they are current.
index: .venv/ready
	$(BIN)/python -m irassay.cli.index

.venv/ready: requirements.lock pyproject.toml hatch_build.py $(SOURCES)
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "irassay needs Python 3.11 or later; set PYTHON=")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	$(BIN)/python -m compileall -q irassay
	touch $@

.venv/dev: .venv/ready requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	touch $@

# Optional: known vulnerabilities of the locked packages. Needs pip-audit (pip install pip-audit) and a network; a package
# that could not be looked up is a failure.
audit:
	pip-audit --strict --require-hashes -r requirements.lock -r requirements-dev.lock

# Pins the newest versions that fit and the hashes of their files: requirements.lock for `make demo` and `make lab`,
# requirements-dev.lock for the tests. Versions that are pinned stay; remove a line to renew it. Needs uv and a network.
LOCK := uv pip compile pyproject.toml --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --no-header --group build
lock:
	$(LOCK) --extra lab --output-file requirements.lock
	$(LOCK) --extra all --group dev --constraints requirements.lock --output-file requirements-dev.lock
	$(LOCK) --extra all --extra docs --constraints requirements-dev.lock --output-file requirements-docs.lock

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

.PHONY: demo lab test docs docs-setup index audit lock test-oldest clean
