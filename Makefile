# Everything here works on a fresh machine with Python 3.11 or newer and make: each target creates .venv by itself.
PYTHON ?= python3
VENV   ?= .venv
WORKERS ?= auto
PY     := $(VENV)/bin/python
PIP    := $(PY) -m pip --disable-pip-version-check --quiet
SAGA   := $(VENV)/bin/agent-saga
ROOTS  := trace proofs approvals policies certify runtime testing fleet console cli

.DEFAULT_GOAL := help
.PHONY: help demo test test-long lint format types imports docs docs-serve docs-generate bench faults package lock clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 22

$(PY):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "make: $(PYTHON) is older than Python 3.11; run make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)

# A stamp a set of packages: installed again when the project's dependencies or the lock change.
$(VENV)/.base: pyproject.toml requirements.lock | $(PY)
	@echo "installing agent-saga-toolkit into $(VENV)"
	@$(PIP) install --constraint requirements.lock --editable .
	@touch $@

$(VENV)/.dev: pyproject.toml requirements.lock | $(PY)
	@echo "installing agent-saga-toolkit[dev,zstd] into $(VENV)"
	@$(PIP) install --constraint requirements.lock --editable '.[dev,zstd]'
	@touch $@ $(VENV)/.base

$(VENV)/.docs: pyproject.toml requirements.lock | $(PY)
	@echo "installing agent-saga-toolkit[docs] into $(VENV)"
	@$(PIP) install --constraint requirements.lock --editable '.[docs]'
	@touch $@ $(VENV)/.base

demo: $(VENV)/.base ## certify two bundled logs, one good and one bad, and play two scenarios
	@echo '$$ agent-saga certify fixtures/demo/good.jsonl'
	@$(SAGA) certify fixtures/demo/good.jsonl || { echo "demo: the good log is not certified (exit $$?)" >&2; exit 1; }
	@echo; echo '$$ agent-saga certify fixtures/demo/bad.jsonl'
	@code=0; $(SAGA) certify fixtures/demo/bad.jsonl || code=$$?; \
	  test $$code -eq 1 || { echo "demo: the bad log must exit 1, got $$code" >&2; exit 1; }
	@echo; echo 'The second log is bad on purpose: exit code 1 is what stops a pipeline (docs/exit-codes.md).'
	@for scenario in business-failure crash; do \
	  echo; echo "\$$ agent-saga demo --scenario $$scenario"; \
	  $(SAGA) demo --scenario $$scenario || { echo "demo: $$scenario did not come out as it should" >&2; exit 1; }; \
	done

test: $(VENV)/.dev ## run the tests
	$(PY) -m pytest -n $(WORKERS) --dist loadgroup

test-long: $(VENV)/.dev ## run the tests, the slow ones too
	$(PY) -m pytest -n $(WORKERS) --dist loadgroup --long

lint: $(VENV)/.dev ## check the style
	$(PY) -m ruff check .
	$(PY) -m ruff format --check $(ROOTS) examples tests

format: $(VENV)/.dev ## fix what ruff can fix
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format $(ROOTS) examples tests

types: $(VENV)/.dev ## check the types (mypy --strict)
	$(PY) -m mypy

imports: $(VENV)/.dev ## check that no part imports from a floor above it
	$(VENV)/bin/lint-imports

docs: $(VENV)/.docs $(VENV)/.dev ## check the generated pages and build the site (strict)
	$(PY) tests/docs/make_cli.py --check
	$(PY) tests/docs/make_rules.py --check
	$(PY) tests/docs/make_controls.py --check
	$(PY) tests/proofs/page/make_page.py --check
	NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --strict
	@echo "the site stands in site/"

docs-serve: $(VENV)/.docs ## serve the site on this machine
	$(PY) -m mkdocs serve

docs-generate: $(VENV)/.dev ## write docs/cli.md, docs/rules/, the README's output and the HTML verifier anew
	$(PY) tests/docs/make_cli.py
	$(PY) tests/docs/make_rules.py
	$(PY) tests/docs/make_controls.py
	$(PY) tests/docs/make_readme.py
	$(PY) tests/proofs/page/make_page.py

bench: $(VENV)/.dev ## measure the certifier on large traces
	$(PY) tests/bench

faults: $(VENV)/.dev ## print how many injected faults the certifier catches
	$(PY) tests/faults

package: $(VENV)/.dev ## build the wheel and the sdist into dist/
	$(PY) -m build --outdir dist .

lock: ## write requirements.lock anew from what pip resolves today
	@rm -rf .venv-lock && $(PYTHON) -m venv .venv-lock
	@.venv-lock/bin/python -m pip --disable-pip-version-check --quiet install --editable '.[dev,docs,zstd]' 'hatchling>=1.27'
	@{ echo "# Versions that the tests run with (base, dev, docs, zstd). Written by: make lock"; \
	   .venv-lock/bin/python -m pip --disable-pip-version-check freeze --exclude-editable; } > requirements.lock
	@rm -rf .venv-lock

clean: ## remove what the targets made
	rm -rf .venv .venv-lock build dist site .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find $(ROOTS) tests examples -name __pycache__ -type d -prune -exec rm -rf {} +
